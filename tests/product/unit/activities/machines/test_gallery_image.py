"""An image that is made from a release's disk: copied by Azure, made an image of a gallery, and removed again."""

from typing import Any

import pytest

from shared.azure import templates
from shared.release.machine_image import ReleaseImages
from tests.product.unit.activities.calls import call, error_of
from tests.product.unit.activities.checks.offers import MASTER, WORKER, offers, size, sku, version
from tests.product.unit.activities.machines.test_machine_image import BOTH, NEWEST, release_says
from tests.product.unit.blobs_fake import FakeBlobs
from tests.product.unit.product_world import CLUSTER_GROUP, World

VHD = "https://rhcos.blob.core.windows.net/imagebucket/rhcos-9.6.20250826-1-azure.x86_64.vhd"
BLOB = "aro/rhcos.vhd"
DEPLOYMENT = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/image".lower()
DONE = {"outcome": "done"}
WHOLE = (1 << 20) + 512


@pytest.fixture
def blobs(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeBlobs:
    """Give the cluster an image that is made from a disk, and a storage account."""
    found = FakeBlobs()
    found.install(monkeypatch)
    call("decide_names")
    accepted.properties["rhcosImage"] = {"id": "/subscriptions/s/x", "vhd": VHD, "generation": "V2"}
    account = (
        f"{CLUSTER_GROUP}/providers/Microsoft.Storage/storageAccounts/cluster{accepted.properties['storageSuffix']}"
    )
    accepted.azure.resources[account.lower()] = {
        "properties": {"primaryEndpoints": {"blob": "https://account.blob.core.windows.net/"}}
    }
    accepted.azure.on("POST", "/listAccountSas$", lambda _request: (200, {"accountSasToken": "sv=1&sig=canary"}, {}))
    return found


def becomes(blobs: FakeBlobs, status: str, content: bytes = b"", **more: str) -> None:
    """Let Azure say something of the copy."""
    found = blobs.blobs[BLOB]
    found.content = content
    found.headers |= {"x-ms-copy-status": status} | {f"x-ms-copy-{name}": value for name, value in more.items()}


def test_the_disk_is_copied_once_and_by_azure(blobs: FakeBlobs) -> None:
    """A second delivery finds the copy by its source. It is done once all of the disk is there, and not before."""
    assert call("copy_machine_disk")["message"] == "0/1049088 of the machines' disk is copied (bytes of bytes)"
    becomes(blobs, "pending", progress="524288/1049088")
    assert call("copy_machine_disk")["outcome"] == "wait"
    assert "524288/1049088" in call("copy_machine_disk", "status")["message"]
    becomes(blobs, "success", bytes(WHOLE))
    assert call("copy_machine_disk", "status") == call("copy_machine_disk") == DONE
    assert blobs.writes == [BLOB]


@pytest.mark.parametrize("status", ["failed", "aborted"])
def test_a_copy_that_ended_badly_is_begun_again(blobs: FakeBlobs, status: str) -> None:
    """With what Azure says of it, and not counted as done."""
    call("copy_machine_disk")
    becomes(blobs, status)
    blobs.blobs[BLOB].headers["x-ms-copy-status-description"] = "503 ServerBusy"
    outcome = call("copy_machine_disk", "status")
    assert outcome["retryClass"] == "given-up"
    assert VHD in outcome["error"]["message"]
    assert "503 ServerBusy" in outcome["error"]["message"]
    assert call("copy_machine_disk")["outcome"] == "wait"
    assert blobs.writes == [BLOB, BLOB]


def test_a_copy_that_disappeared_is_begun_again(blobs: FakeBlobs) -> None:
    """Somebody else deleted the blob: that does not count as success."""
    call("copy_machine_disk")
    del blobs.blobs[BLOB]
    assert call("copy_machine_disk", "status")["retryClass"] == "given-up"


def test_what_is_no_disk_is_refused(blobs: FakeBlobs) -> None:
    """A fixed VHD has whole MiB and a footer; nothing else tells whether the release's address was right."""
    call("copy_machine_disk")
    becomes(blobs, "success", bytes(WHOLE - 1))
    error = error_of(call("copy_machine_disk", "status"))
    assert error["target"] == "properties.clusterProfile.version"
    assert f"{VHD}, has {WHOLE - 1} bytes" in error["message"]


def test_a_copy_is_stopped_with_its_operation(blobs: FakeBlobs) -> None:
    """Otherwise it would hold up the deletion of its account."""
    call("copy_machine_disk")
    assert call("copy_machine_disk", "cancel") == {"outcome": "stopped"}
    assert blobs.blobs[BLOB].headers["x-ms-copy-status"] == "aborted"


def test_the_image_is_made_for_both_generations_and_the_copy_deleted(accepted: World, blobs: FakeBlobs) -> None:
    """The image has its own copy then."""
    call("copy_machine_disk")
    becomes(blobs, "success", bytes(WHOLE))
    assert call("deploy_image_template")["outcome"] == "wait"
    given = {
        name: each["value"] for name, each in accepted.azure.resources[DEPLOYMENT]["properties"]["parameters"].items()
    }
    assert given == {
        "infraId": accepted.properties["infraId"],
        "location": "eastus",
        "storageSuffix": accepted.properties["storageSuffix"],
        "disk": BLOB,
    }
    assert set(given) == set(templates.load("image")["parameters"])
    accepted.azure.resources[DEPLOYMENT]["properties"]["provisioningState"] = "Running"
    assert call("deploy_image_template", "status")["outcome"] == "wait"
    assert BLOB in blobs.blobs
    accepted.azure.resources[DEPLOYMENT]["properties"]["provisioningState"] = "Succeeded"
    assert call("deploy_image_template", "status") == call("deploy_image_template") == DONE
    assert blobs.blobs == {}


def test_an_image_that_exists_is_not_made(accepted: World, blobs: FakeBlobs) -> None:
    """Both rows end at once, and ask nobody."""
    accepted.properties["rhcosImage"] = {"id": "/subscriptions/s/x"}
    calls = len(accepted.azure.calls)
    for row in ("copy_machine_disk", "deploy_image_template"):
        assert call(row) == call(row, "status") == DONE
    assert (blobs.writes, len(accepted.azure.calls)) == ([], calls)


@pytest.mark.parametrize(
    ("worker", "generation", "suffix"), [(NEWEST, "V2", "-gen2"), ({"HyperVGenerations": "V1"}, "V1", "")]
)
def test_a_release_that_names_a_disk_alone_gets_an_image_of_the_generation_that_the_sizes_boot(
    accepted: World, monkeypatch: pytest.MonkeyPatch, worker: dict[str, Any], generation: str, suffix: str
) -> None:
    """Its id is known before it exists, under the names of OpenShift's installer."""
    call("decide_names")
    size(accepted)
    version(accepted, rhcosImage=None, openShiftPullspec="quay.io/openshift-release-dev/ocp-release:4.19.24-x86_64")
    offers(accepted, sku(MASTER, **BOTH, DiskControllerTypes="SCSI, NVMe"), sku(WORKER, **worker))
    secret = accepted.vault("rp-cls").set_secret(
        "doc-1-registry", '{"password": "x"}', content_type="application/json", tags={"cluster": "doc-1"}
    )
    accepted.cluster["secrets"]["registry"] = secret.id
    accepted.properties["registryProfiles"] = [{"name": "arosvc.azurecr.io", "username": "token-1"}]
    release_says(monkeypatch, ReleaseImages({}, VHD))
    assert call("decide_machine_image") == DONE
    infra_id = accepted.properties["infraId"]
    gallery = f"{CLUSTER_GROUP}/providers/Microsoft.Compute/galleries/gallery_{infra_id.replace('-', '_')}"
    assert accepted.properties["rhcosImage"] == {
        "vhd": VHD,
        "generation": generation,
        "id": f"{gallery}/images/{infra_id}{suffix}/versions/1.0.0",
    }
    assert call("validate_vm_sizes") == DONE
