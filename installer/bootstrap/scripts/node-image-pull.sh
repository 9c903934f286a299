#!/usr/bin/env bash
# Puts the release's own system beside the boot image's, which from 4.19 on has no kubelet, no container runtime and no
# command line client. node-image-overlay.sh then makes it the machine's.
set -euo pipefail

# shellcheck source=/dev/null
. /usr/local/bin/release-image.sh

readonly repository=/ostree/repo
readonly system="${repository}/tmp/node-image"
readonly name=coreos/node-image

until image=$(image_for rhel-coreos); do
    echo "The release does not say yet what its system is; once more in 10 seconds."
    sleep 10
done

# Only this unit sees that the file system can be written, because it has mounts of its own.
mount --options remount,rw /sysroot

echo "Pulling ${image}..."
until ostree container image pull --authfile=/root/.docker/config.json "${repository}" \
    "ostree-unverified-image:docker://${image}"; do
    echo "Pulling failed; once more in 10 seconds."
    sleep 10
done

# It is kept under a name that is made from the image's; there is no other image.
mapfile -t found < <(ostree refs --repo="${repository}" | grep '^ostree/container/image/docker')
if ((${#found[@]} != 1)); then
    echo "Not one image of a system, but ${#found[@]}: ${found[*]}" >&2
    exit 1
fi
ostree refs --repo="${repository}" "${found[0]}" --create="${name}"

# What the config of this machine has changed below /etc stays as it is.
ostree checkout --repo="${repository}" --require-hardlinks "${name}" "${system}" \
    --skip-list=<(ostree admin config-diff | sed 's,^[^ ]* *,/usr/etc/,')
