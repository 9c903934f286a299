"""Images of the marketplace."""

import pytest

from emulator.compute import images
from emulator.core.service_error import ServiceError


def _reference(sku: str, version: str) -> dict[str, str]:
    return {"publisher": "AzureOpenShift", "offer": "aro4", "sku": sku, "version": version}


@pytest.mark.parametrize(
    ("sku", "version", "exact"),
    [
        ("aro_43", "43.81.20200311", "43.81.20200311"),
        ("ARO_419", "419.94.20991231", "419.94.20991231"),
        ("aro_418", "latest", "418.94.20250122"),
    ],
)
def test_an_image_is_found_in_any_case_and_version(sku: str, version: str, exact: str) -> None:
    """Publishers add versions, so any version of the right form exists."""
    assert images.resolve(_reference(sku, version))[1] == exact


@pytest.mark.parametrize(
    ("sku", "version"),
    [("aro_421", "latest"), ("aro_43", "43.81.202003111353.0"), ("aro_418", "419.6.20250523"), ("aro_418", "4.18")],
)
def test_an_image_that_is_not_there_is_not_found(sku: str, version: str) -> None:
    """The SKU has neither a build of another release nor a version as the release's metadata writes it."""
    with pytest.raises(ServiceError, match="PlatformImageNotFound"):
        images.resolve(_reference(sku, version))


def test_every_release_has_an_image() -> None:
    """A cluster of each flavour can therefore be created here."""
    (offer,) = (image for image in images.IMAGES if image.offer == "aro4")

    assert [sku for sku in offer.latest if not sku.endswith("-v2")] == [f"aro_4{minor}" for minor in range(3, 21)]


@pytest.mark.parametrize(
    ("offer", "sku", "generation", "controllers", "product"),
    [
        ("azureopenshift:aro4", "aro_419", "V1", ("SCSI",), None),
        ("azureopenshift:aro4", "419-v2", "V2", ("SCSI", "NVMe"), None),
        ("redhat:rh-ocp-worker", "rh-ocp-worker-gen1", "V1", ("SCSI",), "rh-ocp-worker"),
    ],
)
def test_an_image_says_which_machines_boot_it(
    offer: str, sku: str, generation: str, controllers: tuple[str, ...], product: str | None
) -> None:
    """By its SKU; and whether they have to buy it."""
    publisher, _, name = offer.partition(":")
    image, exact = images.resolve({"publisher": publisher, "offer": name, "sku": sku, "version": "latest"})
    boot = image.boot(sku)
    assert image.has(sku, exact)
    assert (boot.generation, boot.controllers, boot.plan.get("product")) == (generation, controllers, product)


def test_every_latest_version_is_there() -> None:
    """The table does not contradict itself."""
    assert all(image.has(sku, latest) for image in images.IMAGES for sku, latest in image.latest.items())
