"""Reads from a release image which image of Red Hat Enterprise Linux CoreOS the machines first boot.

From OpenShift 4.8 on, the installer's image adds the stream's metadata to the release, as a ConfigMap that the cluster
gets too.

Source: openshift/installer `hack/build-coreos-manifest.go`; openshift/oc `pkg/cli/admin/release/new.go`, which names
files of that kind.
"""

import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

import yaml

from installer.back_end_errors import InstallerError
from installer.release import image_registry
from installer.release.downloads import Downloads, session
from installer.release.image_registry import Pullspec
from shared import kubernetes_yaml
from shared.release import machine_image
from shared.release.machine_image import ReleaseImages

READ = "read the release image"
_BOOT_IMAGES = "release-manifests/0000_50_installer_coreos-bootimages.yaml"
# Several times the size in any release so far.
_LARGEST_FILE = 4 << 20
# For each location. The file is in the last layer, which is small.
_SECONDS = 60


def places(pullspec: str, mirrors: Iterable[Mapping[str, Any]]) -> list[Pullspec]:
    """Return the locations of a release image: the mirrors of its repository, then the one in its pull spec.

    Args:
        pullspec: with a server, and a tag or a digest.
        mirrors: rows of `imageContentSources`: `source`, `mirrors`.

    Raises:
        InstallerError: if the pull spec cannot be read.
    """
    named_image = image_registry.parse(pullspec)
    if named_image is None:
        raise InstallerError(READ, f"'{pullspec}' names no registry, or neither a tag nor a digest")
    copies = [
        copy
        for row in mirrors
        if row["source"] == f"{named_image.server}/{named_image.repository}"
        for copy in row["mirrors"]
    ]
    named = [copy.partition("/") for copy in copies]
    return [*(Pullspec(server, repository, named_image.reference) for server, _, repository in named), named_image]


def coreos_images(version: str, at: Iterable[Pullspec], pull_secret: str) -> ReleaseImages:
    """Return the images that the machines of a release can boot.

    Args:
        version: version of the release.
        at: locations of the release image; the first one that has the file is used.
        pull_secret: JSON.

    Raises:
        InstallerError: with the failure of each location; passing if one of them may have it later.
    """
    auths = json.loads(pull_secret or "{}").get("auths") or {}
    causes, passing = [], False
    with closing(session()) as opened:
        for place in at:
            try:
                return _images_of(Downloads(READ, time.monotonic() + _SECONDS, opened), version, place, auths)
            except InstallerError as error:
                causes.append(error.cause)
                passing = passing or error.passing
    raise InstallerError(READ, "; ".join(causes), passing=passing)


def _images_of(downloads: Downloads, version: str, at: Pullspec, auths: Mapping[str, Any]) -> ReleaseImages:
    with tempfile.TemporaryFile() as file:
        image_registry.with_credential(downloads, at, auths).extract(_BOOT_IMAGES, file, _LARGEST_FILE)
        file.seek(0)
        content = file.read()
    try:
        return machine_image.release_images(json.loads(kubernetes_yaml.load(content)["data"]["stream"]), version)
    except (yaml.YAMLError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = str(error) if type(error) is ValueError else type(error).__name__
        raise downloads.failed(f"'{_BOOT_IMAGES}' of {at} names no image of the machines ({why})") from None
