"""The image that a cluster's machines boot, as Azure shows it: which machines can boot it, and what that takes.

An image that does not fit would fail the machines after half an hour, and Azure's error would not say what fits. So it
is checked before anything is made in the customer's subscription.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.resource.resources import ResourceManagementClient

from activities.checks import catalogue_entry, size_offers
from activities.checks.size_offers import NVME, SCSI, Offer
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, invalid_parameter
from shared.arm.names import normal_location, same_location
from shared.arm.resource_id import ResourceId
from shared.release import machine_image
from shared.release.machine_image import ReleaseImages

_COMPUTE_VERSION, _GALLERY_VERSION, _TERMS_VERSION = "2022-08-01", "2022-03-03", "2021-01-01"
TRUSTED_LAUNCH = "TrustedLaunch"
# The values of an image's feature `SecurityType` that its machines must have. Others leave the choice to the machine.
_DEMANDS = (TRUSTED_LAUNCH, "ConfidentialVM")


@dataclass(frozen=True)
class Facts:
    """What Azure says of an image.

    Attributes:
        generation: of the machines that it boots, `V1` or `V2`.
        controllers: the disk controllers whose drivers it has.
        demanded: security type that its machines must have, or "".
        regions: where it is; empty for everywhere.
        architecture: of the processors, such as `x64`.
        is_bought: whether its machines must name a plan.
    """

    generation: str
    controllers: frozenset[str] = frozenset({SCSI})
    demanded: str = ""
    regions: tuple[str, ...] = ()
    architecture: str = "x64"
    is_bought: bool = False


def known_image(step: Step) -> dict[str, str] | None:
    """Return the machines' image: the decided one, or the catalogue's. None if the release has to be read for it.

    Raises:
        CloudError: for the operator: the catalogue's entry is wrong. For the customer: no image fits all sizes.
    """
    if decided := step.properties.get("rhcosImage"):
        return dict(decided)
    entry = catalogue_entry.entry(step)
    return entry.image or (choose_image(step, entry.release_images) if entry.release_images else None)


def choose_image(step: Step, images: ReleaseImages) -> dict[str, str]:
    """Return the image that machines boot, of those that a release names, or the disk that it is made from.

    All machines of a cluster boot the same one, of the newest generation that all their sizes boot.

    Raises:
        CloudError: for the customer: the sizes share no generation for which there is an image.
    """
    offers = [(target, offer) for target, offer in _offers(step) if offer is not None]
    shared = set(machine_image.GENERATIONS).intersection(*(offer.generations for _, offer in offers))
    if image := images.newest(shared):
        return image
    # A disk serves both generations.
    if images.vhd and shared:
        return {"vhd": images.vhd, "generation": max(shared)}
    sizes = ", ".join(f"'{offer.name}' boots {_listed(offer.generations)}" for _, offer in offers)
    made = machine_image.GENERATIONS if images.vhd else images.marketplace
    raise invalid_parameter(
        offers[0][0],
        "The machines of a cluster boot the same image, and the release has one for machines of generation "
        f"{_listed(made)}: {sizes}. Choose sizes that share one of these. This command shows what a size boots, as "
        f"HyperVGenerations: {size_offers.LIST.format(location=step.cluster['location'])}",
    )


def facts(step: Step, image: Mapping[str, str]) -> Facts | None:
    """Return what Azure says of an image, or None if the subscription has no such image."""
    if "vhd" in image:
        return Facts(image["generation"], frozenset({SCSI, NVME}))
    if "id" not in image:
        return _marketplace(step, image)
    own = resource_id.parse(image["id"])
    return _own(step, own) if _is_near(step, own) else None


def _is_near(step: Step, image: ResourceId) -> bool:
    """Tell whether an image is in the cluster's subscription."""
    return image.subscription_id.lower() == step.subscription_id.lower()


def _marketplace(step: Step, image: Mapping[str, str]) -> Facts | None:
    publisher, offer, sku, version = (image[member] for member in machine_image.MEMBERS)
    found = _read(
        step,
        f"/subscriptions/{step.subscription_id}/providers/Microsoft.Compute/locations/"
        f"{normal_location(step.cluster['location'])}/publishers/{publisher}/artifacttypes/vmimage/offers/{offer}/skus/"
        f"{sku}/versions/{version}",
        _COMPUTE_VERSION,
    )
    return None if found is None else _facts(found, is_bought=bool(found.get("plan")))


def _own(step: Step, image: ResourceId) -> Facts | None:
    if image.is_type(machine_image.IMAGES):
        found = _read(step, str(image), _COMPUTE_VERSION)
        return None if found is None else _facts(found, regions=(found["location"],))
    version = _read(step, str(image), _GALLERY_VERSION)
    definition = _read(step, str(image.parent), _GALLERY_VERSION)
    if version is None or definition is None:
        return None
    regions = (version.get("publishingProfile") or {}).get("targetRegions") or []
    return _facts(
        definition,
        regions=tuple(region["name"] for region in regions) or (version["location"],),
        is_bought=bool(definition.get("purchasePlan")),
    )


def _facts(found: Mapping[str, Any], *, regions: tuple[str, ...] = (), is_bought: bool = False) -> Facts:
    features = {each["name"]: str(each["value"]) for each in found.get("features") or []}
    demanded = features.get("SecurityType", "")
    return Facts(
        generation=found.get("hyperVGeneration") or "V1",
        controllers=frozenset(
            name.strip() for name in features.get("DiskControllerTypes", SCSI).split(",") if name.strip()
        ),
        demanded=demanded if demanded in _DEMANDS else "",
        regions=regions,
        architecture=found.get("architecture") or "x64",
        is_bought=is_bought,
    )


def _read(step: Step, path: str, api_version: str) -> dict[str, Any] | None:
    """Return the properties of a resource with its location, or None if it does not exist."""
    try:
        # The SDK puts the first slash before it.
        found = step.customer(ResourceManagementClient).resources.get_by_id(path[1:], api_version=api_version)
    except ResourceNotFoundError:
        return None
    properties: dict[str, Any] = found.properties or {}
    return properties | {"location": found.location or ""}


def problems(step: Step, image: Mapping[str, str], found: Facts | None) -> Iterator[CloudError]:
    """Yield why machines of the cluster's sizes cannot boot an image.

    Args:
        step: the step.
        image: the image.
        found: what `facts` returned for it.
    """
    label, location = machine_image.label(image), step.cluster["location"]
    if "id" in image and not _is_near(step, resource_id.parse(image["id"])):
        yield _refused(
            f"The machines' image '{label}' is in another subscription than the cluster, '{step.subscription_id}', "
            "where OpenShift's machine API looks for it",
            "Copy it into a gallery of that subscription and give that id as 'rhcosImage' of the catalogue's entry",
        )
        return
    if found is None:
        yield _refused(f"The machines' image '{label}' does not exist in {location}", _how_to_find(image, location))
        return
    if found.regions and not any(same_location(region, location) for region in found.regions):
        yield _refused(
            f"The machines' image '{label}' is in {_listed(found.regions)}, not in {location}",
            f"Replicate it to {location}, or give another 'rhcosImage' in the catalogue's entry",
        )
    if found.architecture != "x64":
        yield _refused(
            f"The machines' image '{label}' is for processors of {found.architecture}, and clusters have x64",
            "Give another 'rhcosImage' in the catalogue's entry",
        )
    yield from _of_plan(step, image, found)
    if found.demanded not in ("", TRUSTED_LAUNCH):
        yield _refused(
            f"The machines' image '{label}' demands {found.demanded}, and no size that clusters may have offers it",
            "Give another 'rhcosImage' in the catalogue's entry",
        )
        return
    for target, offer in _offers(step):
        if offer is not None and (why := _misfit(offer, found)):
            yield _misfit_error(step, target, offer, found, f"'{label}' {why}")


def _of_plan(step: Step, image: Mapping[str, str], found: Facts) -> Iterator[CloudError]:
    label, plan = machine_image.label(image), machine_image.purchase_plan(image)
    if found.is_bought and "id" in image:
        yield _refused(
            f"The machines' image '{label}' comes from an image that is bought, and OpenShift's machine API names no "
            "plan for an image by id",
            "Name the image in the marketplace as 'rhcosImage' of the catalogue's entry, with its plan",
        )
    elif found.is_bought and not plan:
        yield _refused(
            f"The machines' image '{label}' is bought with its machines, and the catalogue's entry does not say so",
            f"""Give its 'rhcosImage' "plan": "{machine_image.WITH_PLAN}", or another image""",
        )
    elif plan and not found.is_bought:
        yield _refused(
            f"The catalogue's entry says that the machines' image '{label}' is bought, and in Azure it has no plan",
            f"""Give its 'rhcosImage' "plan": "{machine_image.NO_PLAN}\"""",
        )
    elif plan and not _terms_accepted(step, plan):
        yield invalid_parameter(
            catalogue_entry.TARGET,
            f"Nobody has accepted the terms of the machines' image '{label}' for subscription "
            f"'{step.subscription_id}'. Accept them once, then repeat the request: az vm image terms accept --urn "
            f"{label} --subscription {step.subscription_id}",
        )


def _terms_accepted(step: Step, plan: Mapping[str, str]) -> bool:
    found = _read(
        step,
        f"/subscriptions/{step.subscription_id}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/"
        f"publishers/{plan['publisher']}/offers/{plan['product']}/plans/{plan['name']}/agreements/current",
        _TERMS_VERSION,
    )
    return bool(found and found.get("accepted"))


def _misfit(offer: Offer, found: Facts) -> str:
    """Return why machines of a size cannot boot an image, as the end of a sentence; "" if they can."""
    if found.generation not in offer.generations:
        return f"is for machines of generation {found.generation}, and the size boots {_listed(offer.generations)}"
    if not found.controllers & offer.controllers:
        controllers = _listed(offer.controllers)
        return f"has drivers for {_listed(found.controllers)} disks, and the size has {controllers} disks"
    if found.demanded == TRUSTED_LAUNCH and not offer.trusted_launch:
        return f"demands {TRUSTED_LAUNCH}, and the size does not support it"
    return ""


def _misfit_error(step: Step, target: str, offer: Offer, found: Facts, why: str) -> CloudError:
    fitting = frozenset(each.name for each in size_offers.offers(step).values() if not _misfit(each, found))
    return invalid_parameter(
        target,
        f"Machines of size '{offer.name}' cannot boot the image {why}. "
        f"{size_offers.advice(step, target, offer.name, fitting)} Or another 'rhcosImage' in the catalogue's entry.",
    )


def _offers(step: Step) -> list[tuple[str, Offer | None]]:
    offers = size_offers.offers(step)
    return [(target, offers.get(size.lower())) for target, size in size_offers.wanted_sizes(step).items()]


def _how_to_find(image: Mapping[str, str], location: str) -> str:
    if "id" in image:
        return "Give the id of an image that exists as 'rhcosImage' of the catalogue's entry"
    return (
        f"Give an image that this command lists as 'rhcosImage' of the catalogue's entry: az vm image list --location "
        f"{location} --publisher {image['publisher']} --offer {image['offer']} --sku {image['sku']} --all"
    )


def _listed(values: Any) -> str:
    return " or ".join(sorted(values))


def _refused(what: str, remedy: str) -> CloudError:
    """Build the error for an image that an operator has to replace in the catalogue."""
    return CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        f"{what}. {remedy}. Or create the cluster with another version.",
        catalogue_entry.TARGET,
    )
