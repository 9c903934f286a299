"""The image of a cluster's machines: named by the catalogue or the release, checked, and decided once."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from activities.checks import size_offers
from activities.machines import machine_image
from activities.runtime.step import Step
from installer.back_end_errors import InstallerError
from installer.release import release_image
from installer.release.image_registry import Pullspec
from shared.release.machine_image import ReleaseImages
from shared.store import records
from tests.product.unit.activities.calls import call, error_of, payload
from tests.product.unit.activities.checks.offers import (
    IMAGE,
    MASTER,
    WORKER,
    lay_image,
    marketplace_path,
    offers,
    size,
    sku,
    version,
)
from tests.product.unit.product_world import CUSTOMER, World

DONE = {"outcome": "done"}
ROW = "decide_machine_image"
SECOND = IMAGE | {"sku": "419-v2"}
BOUGHT = {"publisher": "redhat", "offer": "rh-ocp-worker", "sku": "rh-ocp-worker-gen1", "version": "413.92.2023101700"}
GROUP = f"/subscriptions/{CUSTOMER}/resourceGroups/images"
GALLERY_IMAGE = f"{GROUP}/providers/Microsoft.Compute/galleries/g/images/rhcos"
OWN = {"id": f"{GALLERY_IMAGE}/versions/9.6.20251015"}
TARGET = "properties.clusterProfile.version"
BOTH = {"HyperVGenerations": "V1,V2"}
NEWEST = {"HyperVGenerations": "V2", "DiskControllerTypes": "NVMe"}


@pytest.fixture
def sized(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Let the cluster want sizes that boot machines of both generations, and a version with an image."""
    # Operators edit the catalogue here between two calls.
    monkeypatch.setattr(records, "_CATALOGUE_AGE_SECONDS", -1)
    size(accepted)
    version(accepted)
    offers(accepted, sku(MASTER, **BOTH), sku(WORKER, **BOTH))
    return accepted


def refusal(world: World) -> tuple[str, str, str]:
    """Return code, target and message of the one reason for which the row fails; nothing is decided."""
    error = error_of(call(ROW))
    assert "rhcosImage" not in world.properties
    return error["code"], error["target"], error["message"]


def names(world: World, image: dict[str, str]) -> None:
    """Let the catalogue name another image."""
    version(world, rhcosImage=image)


def lay_own(world: World, location: str = "East US", **definition: Any) -> None:
    """Let the customer have an image in a gallery, and the catalogue name it."""
    world.azure.resources[GALLERY_IMAGE.lower()] = {
        "location": "westeurope",
        "properties": {"hyperVGeneration": "V2", "architecture": "x64"} | definition,
    }
    regions = [{"name": "West Europe"}, {"name": location}]
    world.azure.resources[OWN["id"].lower()] = {
        "location": "westeurope",
        "properties": {"publishingProfile": {"targetRegions": regions}},
    }
    names(world, OWN)


def test_the_image_is_decided_once(sized: World) -> None:
    """The catalogue may have a newer one by now, but the machines of a cluster are alike."""
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == IMAGE
    names(sized, SECOND)
    calls = len(sized.azure.calls)
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == IMAGE
    assert len(sized.azure.calls) == calls


def test_an_image_that_was_corrected_in_the_catalogue_counts(sized: World) -> None:
    """What does not fit is not decided, so the repeated create takes the new one."""
    names(sized, SECOND)
    assert error_of(call(ROW))["target"] == TARGET
    names(sized, IMAGE)
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == IMAGE


def test_an_image_that_is_not_there_is_the_operators(sized: World) -> None:
    """The error names it, and the command that lists those that are."""
    del sized.azure.resources[marketplace_path(IMAGE)]
    code, target, message = refusal(sized)
    assert (code, target) == ("InternalServerError", TARGET)
    assert "'azureopenshift:aro4:aro_419:419.6.20250523' does not exist in eastus" in message
    assert "az vm image list --location eastus --publisher azureopenshift --offer aro4 --sku aro_419 --all" in message
    assert "'rhcosImage' of the catalogue's entry" in message


def test_a_size_that_boots_another_generation_is_refused_with_one_that_fits(sized: World) -> None:
    """Azure would say so when the machines are made, half an hour later."""
    offers(sized, sku(MASTER, **BOTH), sku(WORKER, **NEWEST), sku("Standard_D4s_v4", **BOTH), sku("Standard_D4s_v3"))
    code, target, message = refusal(sized)
    assert (code, target) == ("InvalidParameter", 'properties.workerProfiles["worker"].vmSize')
    assert "is for machines of generation V1, and the size boots V2" in message
    assert "Standard_D4s_v4 or Standard_D4s_v3" in message
    assert "Or another 'rhcosImage'" in message


def test_a_size_with_nvme_disks_alone_needs_an_image_with_their_driver(sized: World) -> None:
    """By the image's feature DiskControllerTypes, or else the image has SCSI alone."""
    offers(sized, sku(MASTER, **BOTH, DiskControllerTypes="SCSI,NVMe"), sku(WORKER, **NEWEST))
    names(sized, SECOND)
    lay_image(sized, SECOND, hyperVGeneration="V2")
    code, _, message = refusal(sized)
    assert code == "InvalidParameter"
    assert "has drivers for SCSI disks, and the size has NVMe disks" in message
    features = [{"name": "DiskControllerTypes", "value": "SCSI, NVMe"}]
    lay_image(sized, SECOND, hyperVGeneration="V2", features=features)
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == SECOND


def test_an_image_that_demands_trusted_launch_is_booted_with_it(sized: World) -> None:
    """It is decided with the image, and only sizes that support it are taken."""
    features = [{"name": "SecurityType", "value": "TrustedLaunch"}]
    lay_own(sized, features=features)
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == OWN | {"securityType": "TrustedLaunch"}
    del sized.properties["rhcosImage"]
    offers(sized, sku(MASTER, **BOTH, TrustedLaunchDisabled="True"), sku(WORKER, **BOTH))
    size_offers._reading.cache_clear()
    code, target, message = refusal(sized)
    assert (code, target) == ("InvalidParameter", "properties.masterProfile.vmSize")
    assert "demands TrustedLaunch, and the size does not support it" in message


@pytest.mark.parametrize("value", ["TrustedLaunchSupported", "TrustedLaunchAndConfidentialVmSupported", "None"])
def test_what_an_image_only_supports_is_not_demanded(sized: World, value: str) -> None:
    """Its machines may then have no security type."""
    lay_own(sized, features=[{"name": "SecurityType", "value": value}])
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == OWN


@pytest.mark.parametrize(
    ("location", "definition", "want"),
    [
        ("West US", {}, "is in West Europe or West US, not in eastus. Replicate it to eastus"),
        ("East US", {"architecture": "Arm64"}, "is for processors of Arm64, and clusters have x64"),
        ("East US", {"features": [{"name": "SecurityType", "value": "ConfidentialVM"}]}, "demands ConfidentialVM"),
        ("East US", {"purchasePlan": {"name": "x"}}, "comes from an image that is bought"),
    ],
    ids=["elsewhere", "other processors", "confidential", "bought"],
)
def test_an_image_of_ones_own_that_no_machine_could_boot_is_refused(
    sized: World, location: str, definition: dict[str, Any], want: str
) -> None:
    """Each for its own reason."""
    lay_own(sized, location, **definition)
    code, target, message = refusal(sized)
    assert (code, target) == ("InternalServerError", TARGET)
    assert want in message


def test_an_image_of_ones_own_that_is_missing_is_refused(sized: World) -> None:
    """With its id."""
    names(sized, OWN)
    assert f"'{OWN['id']}' does not exist in eastus. Give the id of an image that exists" in refusal(sized)[2]


def test_an_image_without_a_gallery_is_taken(sized: World) -> None:
    """Such an image has SCSI drivers alone, and says its generation itself."""
    own = {"id": f"{GROUP}/providers/Microsoft.Compute/images/rhcos"}
    sized.azure.resources[own["id"].lower()] = {"location": "eastus", "properties": {"hyperVGeneration": "V2"}}
    names(sized, own)
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == own


def test_an_image_in_another_subscription_is_refused(sized: World) -> None:
    """OpenShift's machine API puts the cluster's subscription before the id; nobody asks Azure about it."""
    own = {"id": OWN["id"].replace(CUSTOMER, "00000000-0000-0000-0000-00000000ffff")}
    names(sized, own)
    assert "is in another subscription than the cluster" in refusal(sized)[2]
    assert not [each for each in sized.azure.calls if "ffff/" in each.path]


def lay_bought(world: World, accepted: bool, **plan: str) -> None:
    """Let the catalogue name an image that is bought, and its terms be accepted or not."""
    names(world, BOUGHT | plan)
    lay_image(world, BOUGHT, plan={"name": "rh-ocp-worker-gen1", "publisher": "redhat", "product": "rh-ocp-worker"})
    path = (
        f"/subscriptions/{CUSTOMER}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/redhat/"
        "offers/rh-ocp-worker/plans/rh-ocp-worker-gen1/agreements/current"
    )
    world.azure.resources[path.lower()] = {"properties": {"accepted": accepted}}


def test_terms_that_nobody_has_accepted_are_refused_with_the_command(sized: World) -> None:
    """Azure would refuse the machines. The customer accepts them, and the repeated create goes on."""
    lay_bought(sized, accepted=False, plan="WithPurchasePlan")
    code, target, message = refusal(sized)
    assert (code, target) == ("InvalidParameter", TARGET)
    urn = "redhat:rh-ocp-worker:rh-ocp-worker-gen1:413.92.2023101700"
    assert f"az vm image terms accept --urn {urn} --subscription {CUSTOMER}" in message
    lay_bought(sized, accepted=True, plan="WithPurchasePlan")
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == BOUGHT | {"plan": "WithPurchasePlan"}


def test_an_entry_that_is_wrong_about_the_plan_is_refused(sized: World) -> None:
    """Both ways: machines of a bought image name its plan, and others must not."""
    lay_bought(sized, accepted=True)
    assert 'Give its \'rhcosImage\' "plan": "WithPurchasePlan"' in refusal(sized)[2]
    names(sized, IMAGE | {"plan": "WithPurchasePlan"})
    assert 'in Azure it has no plan. Give its \'rhcosImage\' "plan": "NoPurchasePlan"' in refusal(sized)[2]


def test_all_that_is_wrong_with_image_and_sizes_is_told_by_the_check_before(sized: World) -> None:
    """`validate_vm_sizes` reports it with the other checks, if the release need not be read."""
    offers(sized, sku(MASTER, **NEWEST), sku(WORKER, **NEWEST))
    error = error_of(call("validate_vm_sizes"))
    targets = [each["target"] for each in error["details"] if each["code"] == "InvalidParameter"]
    assert targets == ["properties.masterProfile.vmSize", 'properties.workerProfiles["worker"].vmSize']
    offers(sized, sku(MASTER, **BOTH), sku(WORKER, **BOTH))
    assert call("validate_vm_sizes") == DONE
    version(sized, rhcosImage=None)
    assert call("validate_vm_sizes") == DONE


def stream(**by_generation: dict[str, str]) -> dict[str, Any]:
    """Return the metadata of a stream with images of the marketplace."""
    offered = {f"hyperVGen{generation[1]}": image for generation, image in by_generation.items()}
    marketplace = {"azure": {"no-purchase-plan": offered}}
    return {"architectures": {"x86_64": {"rhel-coreos-extensions": {"marketplace": marketplace}}}}


@pytest.mark.parametrize(
    ("worker", "want"), [(BOTH, SECOND), ({"HyperVGenerations": "V1"}, IMAGE)], ids=["both", "the first alone"]
)
def test_the_streams_image_is_of_the_newest_generation_that_all_sizes_boot(
    sized: World, worker: dict[str, str], want: dict[str, str]
) -> None:
    """Masters and workers boot the same image."""
    version(sized, "4.20.15", rhcosImage=None, releaseMetadata=stream(V1=IMAGE, V2=SECOND))
    lay_image(sized, SECOND, hyperVGeneration="V2")
    offers(sized, sku(MASTER, **BOTH), sku(WORKER, **worker))
    assert call(ROW) == DONE
    assert sized.properties["rhcosImage"] == want


def test_sizes_that_share_no_generation_are_refused(sized: World) -> None:
    """The message has what each boots, and the command that shows it."""
    version(sized, "4.20.15", rhcosImage=None, releaseMetadata=stream(V1=IMAGE, V2=SECOND))
    offers(sized, sku(MASTER), sku(WORKER, **NEWEST))
    code, target, message = refusal(sized)
    assert (code, target) == ("InvalidParameter", "properties.masterProfile.vmSize")
    assert "'Standard_D8s_v5' boots V1, 'Standard_D4s_v5' boots V2" in message
    assert "az vm list-skus --location eastus" in message


@pytest.fixture
def unsaid(sized: World) -> World:
    """Leave the machines' image to the release, and have what it takes to read that."""
    version(sized, rhcosImage=None, openShiftPullspec="quay.io/openshift-release-dev/ocp-release:4.19.24-x86_64")
    secret = sized.vault("rp-cls").set_secret(
        "doc-1-registry", '{"password": "canary-registry"}', content_type="application/json", tags={"cluster": "doc-1"}
    )
    sized.cluster["secrets"]["registry"] = secret.id
    sized.properties["registryProfiles"] = [{"name": "arosvc.azurecr.io", "username": "token-1"}]
    return sized


def release_says(
    monkeypatch: pytest.MonkeyPatch,
    answer: ReleaseImages | InstallerError,
    before: Callable[[], object] = lambda: None,
) -> list[tuple[list[str], dict[str, Any]]]:
    """Make the release name images, or fail; return where it was read, and with which credentials.

    Args:
        monkeypatch: pytest's.
        answer: the images, or the error.
        before: runs before the answer.
    """
    asked: list[tuple[list[str], dict[str, Any]]] = []

    def read(number: str, at: list[Pullspec], pull_secret: str) -> ReleaseImages:
        assert number == "4.19.24"
        asked.append(([str(place) for place in at], json.loads(pull_secret)["auths"]))
        before()
        if isinstance(answer, InstallerError):
            raise answer
        return answer

    monkeypatch.setattr(release_image, "coreos_images", read)
    return asked


def test_an_image_that_nobody_names_is_read_from_the_release_once(
    unsaid: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the service's registry with the cluster's token, then from the release's own."""
    asked = release_says(monkeypatch, ReleaseImages({"V1": IMAGE}))
    step = Step(payload({"name": ROW, "phase": "preparation"}, "run"), unsaid.cluster)
    (wanted,) = machine_image.decide_machine_image.render(step)
    assert call(ROW) == call(ROW) == DONE
    assert unsaid.properties["rhcosImage"] == IMAGE
    ((places, auths),) = asked
    release = "openshift-release-dev/ocp-release:4.19.24-x86_64"
    assert places == [f"arosvc.azurecr.io/{release}", f"quay.io/{release}"]
    assert auths["arosvc.azurecr.io"] == {"auth": base64.b64encode(b"token-1:canary-registry").decode()}
    assert wanted == {"document": "properties.rhcosImage", "releaseImages": places}
    assert machine_image.decide_machine_image.render(Step(step.call, unsaid.cluster)) == []


def test_the_registrys_token_is_awaited_if_the_release_has_to_be_read(unsaid: World) -> None:
    """Creates whose version names its image wait for no token."""
    del unsaid.properties["registryProfiles"]
    outcome = call(ROW)
    assert (outcome["outcome"], "the registry's token" in outcome["message"]) == ("wait", True)
    version(unsaid)
    assert call(ROW) == DONE


def test_an_image_is_looked_for_with_one_reading_of_the_catalogue(
    unsaid: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the release lies and which version it has to be come from the same entry."""
    asked = release_says(monkeypatch, ReleaseImages({"V1": IMAGE}))
    versions = unsaid.cosmos["OpenShiftVersions"]
    read, reads = versions.query_items, []

    def read_then_edit(*arguments: Any, **options: Any) -> Any:
        found = read(*arguments, **options)
        (entry,) = versions.documents.values()
        reads.append(entry["openShiftPullspec"])
        versions.upsert_item(entry | {"openShiftPullspec": f"quay.io/edited/release:{len(reads)}"})
        return found

    monkeypatch.setattr(versions, "query_items", read_then_edit)
    assert call(ROW) == DONE
    (pullspec,) = reads
    ((places, _auths),) = asked
    assert places[-1] == pullspec


def test_the_image_that_was_stored_first_counts(unsaid: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another delivery was faster, and the release has named another image since."""
    other = IMAGE | {"version": "419.6.20990101"}
    lay_image(unsaid, other)

    def store() -> None:
        unsaid.properties["rhcosImage"] = IMAGE
        unsaid.cosmos["OpenShiftClusters"].upsert_item(unsaid.cluster)

    release_says(monkeypatch, ReleaseImages({"V1": other}), before=store)
    assert call(ROW) == DONE
    assert unsaid.properties["rhcosImage"] == IMAGE


@pytest.mark.parametrize(("passing", "retry_class"), [(False, "none"), (True, "transient")], ids=["stays", "passes"])
def test_a_release_that_cannot_be_read_is_the_platforms(
    unsaid: World, monkeypatch: pytest.MonkeyPatch, passing: bool, retry_class: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The message says what was asked and what to do; nothing is decided."""
    cause = "https://mirror answered 404; https://quay.io answered 503"
    release_says(monkeypatch, InstallerError("read the release image", cause, passing=passing))
    outcome = call(ROW)
    error = outcome["error"]
    assert (outcome["retryClass"], error["code"], error["target"]) == (retry_class, "InternalServerError", TARGET)
    assert f"boot cannot be read from its release image: {cause}. Create the cluster again later" in error["message"]
    assert {"code": "Owner", "message": "platform"} in error["details"]
    assert "canary" not in json.dumps(outcome) + caplog.text
    assert "rhcosImage" not in unsaid.properties


def test_an_entry_that_is_wrong_is_the_operators(sized: World) -> None:
    """The error says what the entry lacks, before anything is made from it."""
    sized.cosmos["OpenShiftVersions"].upsert_item({"id": "4.19.24", "version": "4.19.24", "enabled": True})
    code, target, message = refusal(sized)
    assert (code, target) == ("InternalServerError", TARGET)
    assert "has no 'openShiftPullspec'" in message
