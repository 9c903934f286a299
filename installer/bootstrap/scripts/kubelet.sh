#!/usr/bin/env bash
# Runs the kubelet; the pause image comes from the unit's environment.
set -euo pipefail

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh kubelet

readonly flags=(@FLAGS@)

/usr/bin/kubelet "${flags[@]}" "--pod-infra-container-image=${MACHINE_CONFIG_INFRA_IMAGE:?is not set}"
