#!/usr/bin/env bash
# Becomes the kubelet; the pause image comes from the unit's environment.
set -euo pipefail

readonly flags=(@FLAGS@)

exec /usr/bin/kubelet "${flags[@]}" "--pod-infra-container-image=${MACHINE_CONFIG_INFRA_IMAGE:?is not set}"
