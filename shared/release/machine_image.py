"""The image that a cluster's machines boot: Red Hat Enterprise Linux CoreOS from Azure's marketplace."""

import re
from collections.abc import Mapping
from typing import Any

PUBLISHER, OFFER = "azureopenshift", "aro4"
MEMBERS = ("publisher", "offer", "sku", "version")
# Matches rhcos-43.81.202003111353.0-azure.x86_64.vhd: stream, release of the system, build time.
_VHD = re.compile(r"rhcos-(?P<stream>\d+)\.(?P<system>\d+)\.(?P<date>\d{8})\d*\b[^/]*")
# Newer images are named after the release of Red Hat Enterprise Linux, 9 or 10; older ones after OpenShift's, 41 or
# more.
_FIRST_STREAM = 40


def of_release(metadata: Mapping[str, Any], version: str) -> dict[str, str]:
    """Return the marketplace coordinates of a release's image.

    Args:
        metadata: metadata of the release: `azure.image` or `azure.url` (`rhcos.json`, up to OpenShift 4.7), or the
            stream's `architectures.x86_64.rhel-coreos-extensions`, which names marketplace image and VHD.
        version: the OpenShift version.

    Returns:
        `publisher`, `offer`, `sku`, `version`. The build time is cut to its date.

    Raises:
        ValueError: if the metadata names no such image.

    Source: ARO-RP of June 2020, `getRHCOSImage`.
    """
    extensions = _at(metadata, "architectures", "x86_64", "rhel-coreos-extensions")
    offered = _at(extensions, "marketplace", "azure", "no-purchase-plan", "hyperVGen1")
    if all(offered.get(member) for member in MEMBERS):
        return {member: str(offered[member]) for member in MEMBERS}
    places = (
        _at(metadata, "azure").get("image"),
        _at(metadata, "azure").get("url"),
        _at(extensions, "azure-disk").get("url"),
    )
    name = next((str(place).rpartition("/")[2] for place in places if place), "")
    found = _VHD.fullmatch(name)
    if found is None:
        raise ValueError(f"'{name}' is not the name of an image, such as rhcos-43.81.202003111353.0-azure.x86_64.vhd")
    by_version = "".join(version.split(".")[:2])
    stream = found["stream"] if int(found["stream"]) >= _FIRST_STREAM else by_version
    return {
        "publisher": PUBLISHER,
        "offer": OFFER,
        "sku": f"aro_{stream}",
        "version": f"{found['stream']}.{found['system']}.{found['date']}",
    }


def _at(found: Any, *names: str) -> Mapping[str, Any]:
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
