#!/usr/bin/env bash
# Pulls the release image with the credentials in root's home, for as long as it takes.
set -euo pipefail

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh release-image

release=@PULLSPEC@
minor=@MINOR@

echo "Pulling $release..."
until podman pull --quiet "$release"; do
    echo "Pulling failed; once more."
    sleep 1
done

# Older releases exist for one architecture only.
if ((minor < 8)); then
    exit 0
fi
image=$(podman image inspect --format '{{.Architecture}}' "$release")
case $(uname --machine) in
x86_64) host=amd64 ;;
aarch64) host=arm64 ;;
*) host=$(uname --machine) ;;
esac
if [[ "$image" != "$host" ]]; then
    echo "The release is for $image, this machine is $host." >&2
    exit 1
fi
