#!/usr/bin/env bash
# Tells the kubelet which pause image to keep: the release's, which the container runtime uses too.
set -euo pipefail

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh kubelet kubelet-pause-image

# shellcheck source=/dev/null
. /usr/local/bin/release-image.sh

readonly override=/etc/kubernetes/kubelet-pause-image-override

image="$(image_for pod)"
mkdir -p "${override%/*}"
printf 'MACHINE_CONFIG_INFRA_IMAGE=%s\n' "${image}" >"${override}.new"
mv "${override}.new" "${override}"
