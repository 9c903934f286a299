"""The image that a cluster's machines boot: the forms in which it is named, and what a release names itself.

`rhcosImage`, of a catalogue entry or a cluster, has one of two forms: the coordinates of a marketplace image, or the
resource id of an image of one's own. Where an entry has neither, the release names the image, or a disk. An image that
is made from a disk has `vhd`, the disk's URL, and `generation`, that of the machines that boot it; and an `id`, once it
is known how the image will be called.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.arm import resource_id
from shared.release import release_rules

PUBLISHER, OFFER = "azureopenshift", "aro4"
MEMBERS = ("publisher", "offer", "sku", "version")
# Whether the image is bought with its machines. Then each machine names the plan, and each subscription accepts its
# terms once. The words are those of OpenShift's installer.
NO_PLAN, WITH_PLAN = PLANS = ("NoPurchasePlan", "WithPurchasePlan")
IMAGES, GALLERY_VERSIONS = "Microsoft.Compute/images", "Microsoft.Compute/galleries/images/versions"
# The generations of virtual machines, newest first.
GENERATIONS = ("V2", "V1")
_OFFERED = {"V1": "hyperVGen1", "V2": "hyperVGen2"}
# Matches rhcos-43.81.202003111353.0-azure.x86_64.vhd: stream, release of the system, build time.
_VHD = re.compile(r"rhcos-(?P<stream>\d+)\.(?P<system>\d+)\.(?P<date>\d{8})\d*\b[^/]*")


@dataclass(frozen=True)
class ReleaseImages:
    """The images that a release names.

    Attributes:
        marketplace: images of the marketplace, which nobody has to buy, by generation.
        vhd: URL of the disk from which an image can be made, or "".
    """

    marketplace: Mapping[str, dict[str, str]] = field(default_factory=dict)
    vhd: str = ""

    def newest(self, generations: Collection[str] = GENERATIONS) -> dict[str, str] | None:
        """Return the marketplace image of the newest of these generations, or None."""
        preferred = (generation for generation in GENERATIONS if generation in generations)
        return next((self.marketplace[generation] for generation in preferred if generation in self.marketplace), None)


def problem(image: Any) -> str:
    """Return what is wrong with an `rhcosImage`, as the end of a sentence that begins with whose it is; "" if nothing.

    Args:
        image: the value as an operator wrote it.
    """
    if not isinstance(image, Mapping):
        return "has an 'rhcosImage' that is not an object"
    known = ("id",) if "id" in image else (*MEMBERS, "plan")
    if unknown := [str(member) for member in image if member not in known]:
        return f"has an 'rhcosImage' with {', '.join(unknown)}, which is not among its members: {', '.join(known)}"
    if "id" in image:
        return "" if _is_image(image["id"]) else f"has an 'rhcosImage' whose id is not that of an image: {_ID_RULE}"
    if missing := [member for member in MEMBERS if not image.get(member)]:
        return f"has an 'rhcosImage' without {', '.join(missing)}"
    if image.get("plan", NO_PLAN) not in PLANS:
        return f"has an 'rhcosImage' with the plan '{image['plan']}', which is not one of {', '.join(PLANS)}"
    return ""


_ID_RULE = (
    f"/subscriptions/<id>/resourceGroups/<group>/providers/{IMAGES}/<name>, or in a gallery "
    "/subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.Compute/galleries/<gallery>/images/<name>/versions/"
    "<x.y.z>"
)


def _is_image(text: Any) -> bool:
    parsed = resource_id.try_parse(text) if isinstance(text, str) else None
    if parsed is None or not parsed.resource_group:
        return False
    if parsed.is_type(GALLERY_VERSIONS):
        return re.fullmatch(r"\d+\.\d+\.\d+", parsed.name) is not None
    return parsed.is_type(IMAGES)


def reference(image: Mapping[str, str]) -> dict[str, str]:
    """Return the `imageReference` of a virtual machine that boots an image."""
    return {member: image[member] for member in (("id",) if "id" in image else MEMBERS)}


def purchase_plan(image: Mapping[str, str]) -> dict[str, str]:
    """Return the `plan` of a virtual machine that boots an image; empty if nobody buys it."""
    if image.get("plan", NO_PLAN) == NO_PLAN:
        return {}
    return {"name": image["sku"], "publisher": image["publisher"], "product": image["offer"]}


def label(image: Mapping[str, str]) -> str:
    """Return how messages name an image: its disk, its id, or its URN as `az vm image` takes it."""
    return image.get("vhd") or image.get("id") or ":".join(image[member] for member in MEMBERS)


def release_images(metadata: Mapping[str, Any], version: str) -> ReleaseImages:
    """Return the images that a release names.

    Up to OpenShift 4.10, the coordinates follow from the name of the release's disk. Newer names follow another rule
    than the marketplace, so only what the stream says counts.

    Args:
        metadata: metadata of the release: `azure.image` or `azure.url` (`rhcos.json`, up to OpenShift 4.7), or the
            stream's `architectures.x86_64.rhel-coreos-extensions`, which names the disk and, from 4.20 on, marketplace
            images.
        version: the OpenShift version.

    Raises:
        ValueError: if the metadata names no image.

    Source: ARO-RP of June 2020, `getRHCOSImage`; coreos/stream-metadata-go, `stream/rhcos`.
    """
    extensions = _at(metadata, "architectures", "x86_64", "rhel-coreos-extensions")
    vhd = str(_at(extensions, "azure-disk").get("url") or "")
    if vhd and not vhd.startswith("https://"):
        raise ValueError(f"its disk '{vhd}' is not an https URL")
    offers = _at(extensions, "marketplace", "azure", "no-purchase-plan")
    marketplace = {
        generation: {member: str(offered[member]) for member in MEMBERS}
        for generation in GENERATIONS
        if all((offered := _at(offers, _OFFERED[generation])).get(member) for member in MEMBERS)
    }
    if not marketplace and release_rules.disk_names_machine_image(version):
        azure = _at(metadata, "azure")
        marketplace = {"V1": _of_disk(str(azure.get("image") or azure.get("url") or vhd))}
    if not marketplace and not vhd:
        raise ValueError(
            "it has neither 'marketplace' nor 'azure-disk' in 'architectures.x86_64.rhel-coreos-extensions'"
        )
    return ReleaseImages(marketplace, vhd)


def _of_disk(place: str) -> dict[str, str]:
    """Return the coordinates that follow from a disk's name. The build time is cut to its date."""
    name = place.rpartition("/")[2]
    match = _VHD.fullmatch(name)
    if match is None:
        raise ValueError(f"'{name}' is not the name of an image, such as rhcos-43.81.202003111353.0-azure.x86_64.vhd")
    return {
        "publisher": PUBLISHER,
        "offer": OFFER,
        "sku": f"aro_{match['stream']}",
        "version": f"{match['stream']}.{match['system']}.{match['date']}",
    }


def _at(value: Any, *names: str) -> Mapping[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
