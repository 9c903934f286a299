#!/usr/bin/env bash
# Brings up the cluster's control plane, stage by stage: docs/bootstrap.md tells what they are.
# Each leaves a marker beside the files it reads, so that a restart goes on where the last run ended.
set -Eeuo pipefail

cd /opt/openshift
if [[ -f .bootkube.done ]]; then
    echo "This machine has done its work already."
    exit 0
fi

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh bootkube
# shellcheck source=/dev/null
. /usr/local/bin/release-image.sh
: "${RELEASE_IMAGE_DIGEST:?not set by release-image.sh}"

remove_container() {
    podman rm --force "$1" >/dev/null 2>&1 || true
}

# The last argument is a folder, which need not be there yet.
copy() {
    mkdir --parents "${*: -1}"
    cp --recursive "$@"
}

copy_as() {
    mkdir --parents "$(dirname "$2")"
    cp "$1" "$2"
}

copy_if_there() {
    if compgen -G "$1/*" >/dev/null; then
        copy "$1"/* "$2"
    fi
}

