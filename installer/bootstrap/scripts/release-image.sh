#!/usr/bin/env bash
# To be sourced: RELEASE_IMAGE_DIGEST, and image_for, which finds an image of the release by its name there.

release=@PULLSPEC@
if ! RELEASE_IMAGE_DIGEST=$(podman image inspect --format '{{index .RepoDigests 0}}' "$release") ||
    [[ -z "$RELEASE_IMAGE_DIGEST" ]]; then
    echo "The digest of $release is not known; it goes on by that name." >&2
    RELEASE_IMAGE_DIGEST=$release
fi

image_for() {
    podman run --quiet --rm --net=none "$RELEASE_IMAGE_DIGEST" image "$1"
}

# release_file PATH: what a file of the release says.
release_file() {
    podman run --quiet --rm --net=none --entrypoint=cat "$RELEASE_IMAGE_DIGEST" "$1"
}
