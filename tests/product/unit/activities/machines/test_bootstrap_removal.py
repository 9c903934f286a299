"""The end of bootstrapping: the machine's parts are deleted in the only possible order, its ignition at once."""

from typing import Any

import pytest

from tests.product.unit.activities.azure import network_fake
from tests.product.unit.activities.calls import call
from tests.product.unit.product_world import CLUSTER_GROUP, World

DONE = {"outcome": "done"}
PARTS = (
    "Microsoft.Compute/virtualMachines/{}-bootstrap",
    "Microsoft.Compute/disks/{}-bootstrap_OSDisk",
    "Microsoft.Network/networkInterfaces/{}-bootstrap-nic",
)


@pytest.fixture
def parts(accepted: World) -> list[str]:
    """Let the bootstrap machine exist; return the ids of its parts."""
    call("decide_names")
    ids = [f"{CLUSTER_GROUP}/providers/{part.format(accepted.properties['infraId'])}" for part in PARTS]
    for one in ids:
        network_fake.put(accepted, one, {})
    return ids


def test_machine_disk_and_interface_go_one_after_the_other(accepted: World, parts: list[str]) -> None:
    """Each is awaited before the next, and the last run finds nothing left."""
    for one in parts:
        outcome = call("remove_bootstrap", "status")
        assert outcome["outcome"] == "wait"
        assert one.rsplit("/", 1)[-1] in outcome["message"]
    assert call("remove_bootstrap", "status") == DONE
    assert call("remove_bootstrap") == DONE
    want = ["/".join(one.split("/")[-2:]) for one in parts]
    assert accepted.azure.changes() == [f"DELETE {each}" for each in want]


def test_what_is_on_its_way_is_awaited(accepted: World, parts: list[str]) -> None:
    """A second delivery deletes nothing twice, and nothing that is still in use."""
    network_fake.put(accepted, parts[0], {}, state="Deleting")
    assert call("remove_bootstrap")["outcome"] == "wait"
    assert accepted.azure.changes() == []


def test_a_lock_is_told_as_azure_tells_it(accepted: World, parts: list[str]) -> None:
    """The customer has to remove it."""
    accepted.azure.fails(
        "DELETE", "/virtualMachines/", 409, "ScopeLocked", f"The scope '{parts[0]}' is locked: lock-1."
    )
    outcome = call("remove_bootstrap")
    assert (outcome["error"]["code"], outcome["retryClass"]) == ("ScopeLocked", "none")
    assert "lock-1" in outcome["error"]["message"]


def container(world: World, *answers: tuple[int, str]) -> None:
    """Let the storage account exist, and the container's deletion answer with these codes in turn."""
    call("decide_names")
    name = f"cluster{world.properties['storageSuffix']}"
    network_fake.put(
        world,
        f"{CLUSTER_GROUP}/providers/Microsoft.Storage/storageAccounts/{name}",
        {"primaryEndpoints": {"blob": f"https://{name}.blob.core.windows.net/"}},
    )
    world.azure.on("POST", "/listAccountSas$", lambda _request: (200, {"accountSasToken": "sv=1&sig=s3cret"}, {}))
    left = list(answers)

    def delete(_request: Any) -> Any:
        status, code = left.pop(0)
        return status, None, {"x-ms-error-code": code} if code else {}

    world.azure.on("DELETE", "^/ignition$", delete)


@pytest.mark.parametrize(
    "answer",
    [(202, ""), (404, "ContainerNotFound"), (409, "ContainerBeingDeleted")],
    ids=["there", "gone", "on its way"],
)
def test_the_ignition_goes_with_its_container(accepted: World, answer: tuple[int, str]) -> None:
    """With a signature that may only delete containers."""
    container(accepted, answer)
    assert call("remove_bootstrap_ignition") == DONE
    (signed,) = [request.json for request in accepted.azure.calls if request.path.endswith("/listAccountSas")]
    assert (signed["signedServices"], signed["signedResourceTypes"], signed["signedPermission"]) == ("b", "c", "d")


def test_an_ignition_that_cannot_be_deleted_fails_the_row(accepted: World) -> None:
    """It holds the cluster's keys, so it must not be left behind unnoticed."""
    container(accepted, (403, "AuthorizationPermissionMismatch"))
    outcome = call("remove_bootstrap_ignition")
    assert outcome["outcome"] == "failed"
    assert "s3cret" not in str(outcome)
