#!/usr/bin/env bash
# Has the container runtime take the pause image of the release, before it starts.
set -euo pipefail

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh crio-configure

# shellcheck source=/dev/null
. /usr/local/bin/release-image.sh

readonly flavour=@FLAVOUR@
readonly config=/etc/crio/crio.conf
readonly images_hooks=/usr/share/containers/oci/hooks.d
readonly hooks=/etc/containers/oci/hooks.d

pause_image="$(image_for pod)"

if [[ "${flavour}" == C ]]; then
    mkdir -p "${config}.d"
    cat >"${config}.d/50-bootstrap-override.conf" <<EOF
[crio.runtime]
hooks_dir = ["${images_hooks}", "${hooks}"]

[crio.image]
pause_image = "${pause_image}"
pause_command = "/usr/bin/pod"
EOF
else
    sed -i \
        -e "s|^#*[[:space:]]*pause_image[[:space:]]*=.*|pause_image = \"${pause_image}\"|" \
        -e 's|^#*[[:space:]]*pause_command[[:space:]]*=.*|pause_command = "/usr/bin/pod"|' \
        "${config}"
fi

if [[ "${flavour}" == [TB] ]]; then
    # The image's own folder is read-only. The list stands on one line or on several.
    sed -i \
        -e "/^hooks_dir[[:space:]]*=.*\]/c hooks_dir = [\"${hooks}\"]" \
        -e "/^hooks_dir[[:space:]]*=[^]]*\$/,/\]/c hooks_dir = [\"${hooks}\"]" \
        "${config}"
fi

if [[ "${flavour}" != A ]]; then
    mkdir -p "${hooks}"
fi
