"""Management locks: what they stop, at which scopes, and how they are listed."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from emulator.arm.access.roles import CONTRIBUTOR
from emulator.arm.seeding import ensure_role
from tests.emulator.integration.arm.stage import Stage
from tests.local_azure import wait_for
from tests.provider_registration import HOST

LOCKS = "/providers/Microsoft.Authorization/locks"
NETWORKS = "2023-11-01"
GROUPS = "2024-11-01"
VNET = {
    "location": "eastus",
    "properties": {
        "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
        "subnets": [{"name": "s", "properties": {"addressPrefix": "10.0.0.0/24"}}],
    },
}


class Caller:
    """Calls ARM with one credential."""

    def __init__(self, stage: Stage, credential: Any) -> None:
        self._url, self._credential = stage.url, credential

    def call(self, method: str, path: str, version: str, body: Any = None, **query: str) -> httpx.Response:
        token = self._credential.get_token("https://management.azure.com/.default").token
        parameters = {"api-version": version} | {f"${name}": value for name, value in query.items()}
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.request(method, f"{self._url}{path}", params=parameters, json=body, headers=headers, timeout=60)

    def lock(self, scope: str, level: str, version: str = "2020-05-01") -> str:
        """Lock a scope; return the id of the lock."""
        body = {"properties": {"level": level, "notes": "of a test"}}
        answer = self.call("PUT", f"{scope}{LOCKS}/lock-{uuid4().hex[:8]}", version, body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def unlock(self, identifier: str) -> None:
        assert self.call("DELETE", identifier, "2020-05-01").status_code == 200


@pytest.fixture
def owner(stage: Stage) -> Caller:
    """Return the Owner of the subscription."""
    return Caller(stage, stage.owner)


@pytest.fixture
def scope(stage: Stage, group: str, owner: Caller) -> Iterator[str]:
    """Return the id of a group with a network; its locks go after the test."""
    identifier = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"
    assert owner.call("PUT", _vnet(identifier), NETWORKS, VNET).status_code == 201
    wait_for(lambda: _state(owner, _vnet(identifier)) == "Succeeded", "the network")
    yield identifier
    for lock in owner.call("GET", f"{identifier}{LOCKS}", "2020-05-01").json()["value"]:
        owner.unlock(lock["id"])


def _state(owner: Caller, resource: str) -> str:
    return str(owner.call("GET", resource, NETWORKS).json()["properties"]["provisioningState"])


def _vnet(scope: str) -> str:
    return f"{scope}/providers/Microsoft.Network/virtualNetworks/vnet"


def _refused(answer: httpx.Response, operation: str, target: str, locked: str) -> None:
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "ScopeLocked")
    assert answer.json()["error"]["message"] == (
        f"The scope '{target}' cannot perform {operation} operation because following scope(s) are locked: '{locked}'. "
        "Please remove the lock and try again."
    )


@pytest.mark.parametrize("version", ["2016-09-01", "2020-05-01"])
def test_a_group_that_must_not_be_deleted_can_be_written(owner: Caller, scope: str, version: str) -> None:
    """Neither the group nor anything in it is deleted, until the lock is."""
    lock = owner.lock(scope, "CanNotDelete", version)
    vnet = _vnet(scope)
    for path in (f"{vnet}/subnets/s", vnet):
        _refused(owner.call("DELETE", path, NETWORKS), "delete", path, scope)
    nsg = f"{scope}/providers/Microsoft.Network/networkSecurityGroups/n"
    assert owner.call("PUT", nsg, NETWORKS, {"location": "eastus", "properties": {}}).status_code == 201
    group = scope.replace("/resourceGroups/", "/resourcegroups/")
    _refused(owner.call("DELETE", scope, GROUPS), "delete", group, scope)
    owner.unlock(lock)
    assert owner.call("DELETE", vnet, NETWORKS).status_code == 202


def test_what_holds_something_locked_is_not_deleted(owner: Caller, scope: str) -> None:
    """A lock on a subnet keeps its network and their group."""
    vnet = _vnet(scope)
    subnet = f"{vnet}/subnets/s"
    owner.lock(subnet, "CanNotDelete")
    _refused(owner.call("DELETE", vnet, NETWORKS), "delete", vnet, subnet)
    assert owner.call("DELETE", scope, GROUPS).json()["error"]["code"] == "ScopeLocked"


def test_a_read_only_group_is_neither_written_nor_deleted(owner: Caller, scope: str) -> None:
    """Reads go on; a POST counts as a write, and assignments of roles are writes too."""
    storage = f"{scope}/providers/Microsoft.Storage/storageAccounts/s{uuid4().hex[:12]}"
    account = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {}}
    assert owner.call("PUT", storage, "2023-05-01", account).status_code in (200, 202)
    owner.lock(scope, "ReadOnly")
    vnet = _vnet(scope)
    assert owner.call("GET", vnet, NETWORKS).status_code == 200
    _refused(owner.call("PUT", vnet, NETWORKS, VNET), "write", vnet, scope)
    _refused(owner.call("POST", f"{storage}/listKeys", "2023-05-01"), "write", storage, scope)
    _refused(owner.call("DELETE", vnet, NETWORKS), "delete", vnet, scope)
    assignment = f"{scope}/providers/Microsoft.Authorization/roleAssignments/{uuid4()}"
    role = {"roleDefinitionId": f"/providers/Microsoft.Authorization/roleDefinitions/{CONTRIBUTOR}", "principalId": "x"}
    _refused(owner.call("PUT", assignment, "2022-04-01", {"properties": role}), "write", assignment, scope)
    assert owner.call("PATCH", scope, GROUPS, {"tags": {}}).json()["error"]["code"] == "ScopeLocked"


def test_a_locked_group_stops_calls_to_the_resource_provider(stage: Stage, owner: Caller, scope: str) -> None:
    """ARM refuses them; the provider hears nothing."""
    cluster = f"{scope}/providers/Microsoft.RedHatOpenShift/openShiftClusters/c"
    subscription = f"/subscriptions/{stage.world.subscription_id}"
    owner.call("POST", f"{subscription}/providers/Microsoft.RedHatOpenShift/register", GROUPS)
    owner.lock(scope, "ReadOnly")
    before = len(stage.provider.received)
    for method in ("PUT", "DELETE"):
        assert owner.call(method, cluster, "2025-07-25", {}).json()["error"]["code"] == "ScopeLocked"
    assert len([one for one in stage.provider.received[before:] if "openshiftclusters" in one[1].lower()]) == 0
    assert stage.arm.registration.host == HOST


def test_locks_are_listed_with_those_above(stage: Stage, owner: Caller, scope: str) -> None:
    """`atScope()` leaves out those below; other filters are refused."""
    vnet, subscription = _vnet(scope), f"/subscriptions/{stage.world.subscription_id}"
    above, here, below = (owner.lock(each, "CanNotDelete") for each in (subscription, scope, vnet))
    try:

        def listed(at: str, **query: str) -> set[str]:
            return {lock["id"] for lock in owner.call("GET", f"{at}{LOCKS}", "2016-09-01", **query).json()["value"]}

        assert listed(scope) == {above, here, below}
        assert listed(scope, filter="atScope()") == {above, here}
        assert listed(f"{vnet}/subnets/s", filter="atScope()") == {above, here, below}
        assert listed(subscription) >= {above, here, below}
        refused = owner.call("GET", f"{scope}{LOCKS}", "2016-09-01", filter="name eq 'x'")
        assert refused.status_code == 400
        assert owner.call("GET", here, "2016-09-01").json()["properties"] == {
            "level": "CanNotDelete",
            "notes": "of a test",
        }
    finally:
        owner.unlock(above)


def test_a_contributor_neither_locks_nor_unlocks(stage: Stage, owner: Caller, scope: str) -> None:
    """Locks are of Microsoft.Authorization, whose writes a Contributor lacks; a lock needs a level and its scope."""
    credential, object_id = stage.principal("contributor")
    ensure_role(stage.arm, scope, object_id, CONTRIBUTOR)
    lock = owner.lock(scope, "ReadOnly")
    contributor = Caller(stage, credential)
    body = {"properties": {"level": "ReadOnly"}}
    assert contributor.call("PUT", f"{scope}{LOCKS}/mine", "2020-05-01", body).status_code == 403
    assert contributor.call("DELETE", lock, "2020-05-01").status_code == 403
    owner.unlock(lock)
    wrong = {"properties": {"level": "NotSpecified"}}
    assert owner.call("PUT", f"{scope}{LOCKS}/mine", "2020-05-01", wrong).status_code == 400
    missing = f"{scope}/providers/Microsoft.Network/virtualNetworks/none{LOCKS}/mine"
    assert owner.call("PUT", missing, "2020-05-01", body).json()["error"]["code"] == "ResourceNotFound"
