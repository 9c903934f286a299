"""A bootstrap that is too old is removed completely, in the one possible order, from any half-finished state."""

import re
from typing import Any

import pytest

from activities.runtime.wrapper import perform
from tests.product.unit.activities.azure import network_fake
from tests.product.unit.activities.calls import as_json, call, payload
from tests.product.unit.azure_fake import Request
from tests.product.unit.blobs_fake import Blob, FakeBlobs
from tests.product.unit.product_world import CLUSTER_GROUP, CLUSTER_ID, World

DONE = {"outcome": "done"}
COMPUTE, NETWORK = (f"{CLUSTER_GROUP}/providers/Microsoft.{name}" for name in ("Compute", "Network"))
DEPLOYMENTS = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments"
OLD = "2026-02-28T09:00:00Z"
GRAPH, IGNITION = "aro/graph", "ignition/bootstrap.ign"


def remove(verb: str = "run") -> dict[str, Any]:
    """Run the executor once."""
    row = {"name": "r", "phase": "p", "kind": "begin-and-poll", "message": "", "waitsFor": "", "deadlineSeconds": 60}
    return as_json(perform("activities.machines.expired_machines:remove_expired_machines", payload(row, verb)))


@pytest.fixture
def blobs(monkeypatch: pytest.MonkeyPatch) -> FakeBlobs:
    """Answer for the blobs."""
    made = FakeBlobs()
    made.install(monkeypatch)
    return made


@pytest.fixture
def expired(accepted: World, blobs: FakeBlobs) -> World:
    """Make a cluster with machines and workers, whose resume begins the bootstrap again."""
    call("decide_names")
    infra_id = accepted.properties["infraId"]
    accepted.properties["install"] = {"now": OLD, "beginsAgain": True}
    accepted.cluster["secrets"] |= {"graph": "g/1", "credentials": "c/1", "registry": "r/1"}
    group = {"location": "eastus", "managedBy": CLUSTER_ID, "properties": {"provisioningState": "Succeeded"}}
    accepted.azure.resources[CLUSTER_GROUP.lower()] = group
    for machine in ("bootstrap", "master-0", "worker-eastus1-x"):
        network_fake.put(accepted, f"{COMPUTE}/virtualMachines/{infra_id}-{machine}", {})
        network_fake.put(accepted, f"{COMPUTE}/disks/{infra_id}-{machine}_OSDisk", {})
    for interface in ("bootstrap-nic", "master0-nic", "worker-eastus1-x-nic"):
        network_fake.put(accepted, f"{NETWORK}/networkInterfaces/{infra_id}-{interface}", {})
    link = {"privateLinkService": {"id": f"{NETWORK}/privateLinkServices/{infra_id}-pls"}}
    network_fake.put(accepted, f"{NETWORK}/networkInterfaces/{infra_id}-pls.nic.1", link)
    for name, tags in (("machines", {"aro-template": "1"}), ("network", {"aro-template": "2"}), ("foreign", {})):
        network_fake.put(accepted, f"{DEPLOYMENTS}/{name}", {})
        accepted.azure.resources[f"{DEPLOYMENTS}/{name}".lower()]["tags"] = tags
    for name in ("pip-v4", "outbound-pip-v4"):
        network_fake.put(accepted, f"{NETWORK}/publicIPAddresses/{infra_id}-{name}", {})
    _expose_router(accepted)
    for listed in (
        *("virtualMachines", "disks", "networkInterfaces", "deployments"),
        *("publicIPAddresses", "loadBalancers"),
    ):
        accepted.azure.on("GET", f"/aro-c1/.*/{listed}/?$", lambda request: _list(accepted, request))
    accepted.azure.on("DELETE", "/deployments/[a-z]+$", lambda request: _drop(accepted, request))
    account = f"cluster{accepted.properties['storageSuffix']}"
    network_fake.put(
        accepted,
        f"{CLUSTER_GROUP}/providers/Microsoft.Storage/storageAccounts/{account}",
        {"primaryEndpoints": {"blob": f"https://{account}.blob.core.windows.net/"}},
    )
    accepted.azure.on("POST", "/listAccountSas$", lambda _request: (200, {"accountSasToken": "sv=1"}, {}))
    blobs.blobs |= {GRAPH: Blob(b"x", {}), IGNITION: Blob(b"y", {})}
    return accepted


def _expose_router(world: World) -> None:
    """Give the old cluster an address of its own on the workers' load balancer."""
    balancer = f"{NETWORK}/loadBalancers/{world.properties['infraId']}"
    frontends = f"{balancer}/frontendIPConfigurations"
    network_fake.put(world, f"{NETWORK}/publicIPAddresses/router", {"ipConfiguration": {"id": f"{frontends}/router"}})
    rule = {"frontendIPConfiguration": {"id": f"{frontends}/router"}, "probe": {"id": f"{balancer}/p1"}}
    content = {
        "frontendIPConfigurations": [
            {"name": name, "id": f"{frontends}/{name}", "properties": {}} for name in ("outbound", "router")
        ],
        "loadBalancingRules": [{"name": "r", "properties": rule}],
        "probes": [{"name": "p1", "id": f"{balancer}/p1", "properties": {}}],
        "outboundRules": [{"name": "out", "properties": {}}],
    }
    network_fake.put(world, balancer, content)

    def update(request: Request) -> Any:
        del world.azure.resources[f"{NETWORK}/publicIPAddresses/router".lower()]["properties"]["ipConfiguration"]
        return world.azure._resource(request)

    world.azure.on("PUT", "/loadBalancers/", update)


def _list(world: World, request: Request) -> Any:
    prefix = request.path.lower().rstrip("/") + "/"
    found = [each for key, each in world.azure.resources.items() if re.fullmatch(re.escape(prefix) + "[^/]+", key)]
    return 200, {"value": found}, {}


def _drop(world: World, request: Request) -> Any:
    del world.azure.resources[request.path.lower()]
    return 202, None, {}


def until_ended() -> dict[str, Any]:
    """Ask until all is gone, as the engine does; return the last outcome."""
    for count in range(20):
        outcome = remove("status" if count else "run")
        if outcome["outcome"] != "wait":
            return outcome
    raise AssertionError("it never ended")


def names(world: World) -> set[str]:
    """Return the last segments of everything in the cluster's group, without the infra id."""
    infra_id = world.properties["infraId"]
    return {
        key.rsplit("/", 1)[1].removeprefix(f"{infra_id}-")
        for key in world.azure.resources
        if key.startswith(f"{CLUSTER_GROUP}/providers".lower()) and "storageaccounts" not in key
    }


def test_machines_disks_interfaces_records_and_blobs_go_and_the_rest_stays(expired: World, blobs: FakeBlobs) -> None:
    """What the network's template made stays, and so does what is not ours. Then the cluster drops its decisions."""
    assert until_ended() == DONE
    infra_id = expired.properties["infraId"]
    network = {"bootstrap-nic", "master0-nic", "pls.nic.1", "pip-v4", "outbound-pip-v4", infra_id}
    assert names(expired) == network | {"foreign"}
    balancer = expired.azure.resources[f"{NETWORK}/loadBalancers/{infra_id}".lower()]["properties"]
    assert [frontend["name"] for frontend in balancer["frontendIPConfigurations"]] == ["outbound"]
    assert (balancer["loadBalancingRules"], balancer["probes"]) == ([], [])
    assert [rule["name"] for rule in balancer["outboundRules"]] == ["out"]
    assert blobs.blobs == {}
    assert "install" not in expired.properties
    assert set(expired.cluster["secrets"]) == {"request", "registry"}
    signed = [request.json for request in expired.azure.calls if request.path.endswith("/listAccountSas")]
    assert {(one["signedResourceTypes"], one["signedPermission"]) for one in signed} == {("o", "d")}


def test_disks_wait_for_machines_and_the_record_is_forgotten_last(expired: World, blobs: FakeBlobs) -> None:
    """A disk in use cannot be deleted, and while anything is left the resume must run this row again."""
    assert remove()["outcome"] == "wait"
    assert all("/virtualmachines/" not in key for key in expired.azure.resources)
    assert any("/disks/" in key for key in expired.azure.resources)
    assert (set(blobs.blobs), expired.properties["install"]["now"]) == ({GRAPH, IGNITION}, OLD)


def test_what_is_on_its_way_is_awaited(expired: World) -> None:
    """A second delivery deletes nothing twice."""
    for key, resource in expired.azure.resources.items():
        if "/virtualmachines/" in key:
            resource["properties"]["provisioningState"] = "Deleting"
    assert remove()["outcome"] == "wait"
    assert expired.azure.changes() == []


def test_a_deployment_that_still_runs_is_cancelled_first(expired: World) -> None:
    """It would make again what is being removed."""
    expired.azure.resources[f"{DEPLOYMENTS}/machines".lower()]["properties"]["provisioningState"] = "Running"
    expired.azure.on("POST", "/deployments/machines/cancel$", lambda _request: (204, None, {}))
    assert "cancelled" in remove()["message"]
    assert expired.azure.changes() == ["POST machines/cancel"]


def test_a_late_delivery_touches_nothing_that_was_made_anew(expired: World, blobs: FakeBlobs) -> None:
    """Once the cluster has dropped the record, the row is finally done."""
    assert until_ended() == DONE
    network_fake.put(expired, f"{COMPUTE}/virtualMachines/new", {})
    blobs.blobs[GRAPH] = Blob(b"new", {})
    before = list(expired.azure.calls)
    assert remove() == DONE
    assert expired.azure.calls == before
    assert set(blobs.blobs) == {GRAPH}


def test_a_second_delivery_removes_no_graph_that_was_made_since(expired: World, blobs: FakeBlobs) -> None:
    """It has found nothing left but the blobs, when the first one ends and the next row makes another graph."""

    def meanwhile(_request: Any) -> Any:
        expired.azure._scripts.pop(0)
        assert until_ended() == DONE
        blobs.blobs[GRAPH] = Blob(b"new", {})
        return 200, {"accountSasToken": "sv=1"}, {}

    expired.azure.on("POST", "/listAccountSas$", meanwhile)
    assert until_ended() == DONE
    assert blobs.blobs[GRAPH].content == b"new"


@pytest.mark.parametrize("missing", ["group", "account", "container"])
def test_what_was_never_made_is_no_obstacle(expired: World, blobs: FakeBlobs, missing: str) -> None:
    """The old bootstrap may have ended in any state."""
    if missing == "group":
        del expired.azure.resources[CLUSTER_GROUP.lower()]
    if missing == "account":
        expired.azure.fails("POST", "/listAccountSas$", 404, "ResourceNotFound")
    if missing == "container":
        blobs.blobs.clear()
    assert until_ended() == DONE
    assert "install" not in expired.properties


def test_a_group_of_others_is_left_alone(expired: World) -> None:
    """Even machines with our names stay."""
    expired.azure.resources[CLUSTER_GROUP.lower()]["managedBy"] = "/other"
    assert remove() == DONE
    assert expired.azure.changes() == []


def test_a_lock_is_told_as_azure_tells_it(expired: World) -> None:
    """The record is kept, so the next resume tries again."""
    expired.azure.fails("DELETE", "/virtualMachines/", 409, "ScopeLocked", "The scope is locked: lock-1.")
    outcome = remove()
    assert outcome["error"]["code"] == "ScopeLocked"
    assert "lock-1" in outcome["error"]["message"]
    assert expired.properties["install"]["beginsAgain"]


def test_a_superseded_attempt_removes_no_blob(expired: World, blobs: FakeBlobs) -> None:
    """No client's policy guards the blobs."""

    def overtake(_request: Any) -> Any:
        expired.cluster["attempt"] = 2
        return 200, {"accountSasToken": "sv=1"}, {}

    expired.azure.on("POST", "/listAccountSas$", overtake)
    assert until_ended() == {"outcome": "fenced"}
    assert set(blobs.blobs) == {GRAPH, IGNITION}
