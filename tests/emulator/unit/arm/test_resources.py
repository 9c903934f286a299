"""Long-running writes, what they refuse in the meantime, and what a kill leaves of them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from emulator.arm.models import ArmModel, Conditions
from emulator.arm.resources import Writes
from emulator.core.service_error import ServiceError
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD, Time

VERSION = "2022-01-01"
NETWORK = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet"
SECURITY_GROUP = f"{GROUP}/providers/Microsoft.Network/networkSecurityGroups/n"


def _network(*prefixes: str) -> dict[str, Any]:
    subnets = [
        {"name": f"s{number}", "properties": {"addressPrefix": prefix}} for number, prefix in enumerate(prefixes)
    ]
    return {
        "location": "eastus",
        "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": subnets},
    }


def _put(model: ArmModel, identifier: str, body: dict[str, Any], version: str = VERSION) -> Any:
    return asyncio.run(model.put_resource(CALLER, identifier, version, body))


def _state(model: ArmModel, identifier: str) -> str | None:
    found = model.get_resource(identifier, VERSION)
    return None if found is None else found["properties"]["provisioningState"]


def test_a_write_ends_when_its_time_has_come_even_if_the_process_died(
    model: ArmModel, open_arm: Callable[[], ArmModel], time: Time
) -> None:
    """The end of an operation is a stored time, so a new process knows it too."""
    operation = _put(model, NETWORK, _network("10.0.0.0/24"))
    assert (operation.status_code, _state(model, NETWORK)) == (201, "Updating")
    restarted = open_arm()
    assert _state(restarted, NETWORK) == "Updating"
    time.pass_(60)
    assert _state(restarted, NETWORK) == "Succeeded"
    found = restarted.operations.get(operation.operation_id)
    assert found is not None
    assert restarted.operations.status(found)["status"] == "Succeeded"


def test_writes_in_one_network_exclude_each_other(model: ArmModel, time: Time) -> None:
    """The error of the second write names the operation that it has to wait for."""
    operation = _put(model, NETWORK, _network("10.0.0.0/24"))
    subnet = {"properties": {"addressPrefix": "10.0.1.0/24"}}
    with pytest.raises(ServiceError, match="AnotherOperationInProgress") as caught:
        _put(model, f"{NETWORK}/subnets/s1", subnet)
    assert operation.operation_id in caught.value.message
    time.pass_(60)
    _put(model, f"{NETWORK}/subnets/s1", subnet)


def test_a_list_that_leaves_out_a_subnet_removes_it(model: ArmModel, time: Time) -> None:
    """A PUT of a network replaces its subnets; before 2023-09-01 a missing list counts as an empty one."""
    _put(model, NETWORK, _network("10.0.0.0/24", "10.0.1.0/24"))
    time.pass_(60)
    _put(model, NETWORK, _network("10.0.0.0/24"))
    time.pass_(60)
    assert model.load(f"{NETWORK}/subnets/s1") is None
    bare = _network()
    del bare["properties"]["subnets"]
    _put(model, NETWORK, bare, "2023-09-01")
    time.pass_(60)
    assert model.load(f"{NETWORK}/subnets/s0") is not None
    _put(model, NETWORK, bare, VERSION)
    assert model.load(f"{NETWORK}/subnets/s0") is None


def test_a_group_with_something_in_use_from_outside_stays(model: ArmModel, time: Time) -> None:
    """The group's deletion begins, then fails, names the resource and leaves everything in place."""
    model.groups.put(WORLD.subscription_id, "other", {"location": "eastus"})
    network = NETWORK.replace("/group/", "/other/")
    _put(model, SECURITY_GROUP, {"location": "eastus"})
    body = _network("10.0.0.0/24")
    body["properties"]["subnets"][0]["properties"]["networkSecurityGroup"] = {"id": SECURITY_GROUP}
    _put(model, network, body)
    time.pass_(60)
    operation = asyncio.run(model.delete_group(WORLD.subscription_id, "group"))
    time.pass_(60)
    status = model.operations.status(operation)
    assert (status["status"], status["error"]["code"]) == ("Failed", "ResourceGroupDeletionBlocked")
    assert status["error"]["details"][0]["code"] == "InUseNetworkSecurityGroupCannotBeDeleted"
    assert model.load(SECURITY_GROUP) is not None
    _put(model, network, _network("10.0.0.0/24"))
    asyncio.run(model.delete_group(WORLD.subscription_id, "group"))
    with pytest.raises(ServiceError, match="ResourceGroupBeingDeleted"):
        _put(model, SECURITY_GROUP, {"location": "eastus"})
    time.pass_(60)
    assert model.resource_group(WORLD.subscription_id, "group") is None
    assert model.load(SECURITY_GROUP) is None


def test_a_group_whose_contents_could_not_go_is_deleted_when_asked_again(model: ArmModel, time: Time) -> None:
    """Once its store answers again, a resource's provider is told of the deletion, and only once."""
    busy, told = [ServiceError(503, "ServerBusy", "The server is busy.")], []

    async def removed(_arm: Writes, stored: dict[str, Any]) -> None:
        if busy and stored["name"] == "n":
            raise busy.pop()
        told.append(stored["name"])

    for key in ("microsoft.network/networksecuritygroups", "microsoft.network/virtualnetworks"):
        model.types[key] = replace(model.types[key], removed=removed)
    _put(model, SECURITY_GROUP, {"location": "eastus", "properties": {}})
    _put(model, NETWORK, _network())
    time.pass_(60)
    with pytest.raises(ServiceError) as caught:
        asyncio.run(model.delete_group(WORLD.subscription_id, "group"))
    assert caught.value.code == "ServerBusy"
    time.pass_(600)
    assert model.groups.find(WORLD.subscription_id, "group") is not None
    asyncio.run(model.delete_group(WORLD.subscription_id, "group"))
    time.pass_(600)
    assert model.groups.find(WORLD.subscription_id, "group") is None
    assert sorted(told) == ["n", "vnet"]


def test_what_is_made_again_after_its_group_refers_to_nothing_yet(model: ArmModel, time: Time) -> None:
    """A deleted group takes its resources' references with it."""
    model.groups.put(WORLD.subscription_id, "other", {"location": "eastus"})
    network = NETWORK.replace("/group/", "/other/")
    _put(model, SECURITY_GROUP, {"location": "eastus"})
    body = _network("10.0.0.0/24")
    body["properties"]["subnets"][0]["properties"]["networkSecurityGroup"] = {"id": SECURITY_GROUP}
    _put(model, network, body)
    time.pass_(60)
    asyncio.run(model.delete_group(WORLD.subscription_id, "other"))
    time.pass_(60)
    assert model.resource_group(WORLD.subscription_id, "other") is None
    model.groups.put(WORLD.subscription_id, "other", {"location": "eastus"})
    _put(model, network, _network("10.0.0.0/24"))
    time.pass_(60)
    assert asyncio.run(model.delete_resource(CALLER, SECURITY_GROUP, VERSION)).status_code == 202


def test_what_is_being_deleted_is_deleted_once(model: ArmModel, time: Time) -> None:
    """A second DELETE joins the first; a PUT has to wait."""
    _put(model, SECURITY_GROUP, {"location": "eastus"})
    time.pass_(60)
    first = asyncio.run(model.delete_resource(CALLER, SECURITY_GROUP, VERSION))
    second = asyncio.run(model.delete_resource(CALLER, SECURITY_GROUP, VERSION))
    assert (first.status_code, second.status_code, first.operation_id) == (202, 202, second.operation_id)
    with pytest.raises(ServiceError, match="ResourceBeingDeleted"):
        _put(model, SECURITY_GROUP, {"location": "eastus"})
    time.pass_(60)
    assert asyncio.run(model.delete_resource(CALLER, SECURITY_GROUP, VERSION)).status_code == 204


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"location": ""}, "LocationRequired"),
        ({"location": "atlantis"}, "LocationNotAvailableForResourceType"),
        ({"colour": "red"}, "InvalidRequestContent"),
    ],
)
def test_a_body_that_a_network_cannot_have_is_refused(model: ArmModel, change: dict[str, Any], code: str) -> None:
    """The code says what is wrong, and nothing is stored."""
    with pytest.raises(ServiceError) as caught:
        _put(model, NETWORK, _network() | change)
    assert caught.value.code == code
    assert model.load(NETWORK) is None


def test_a_reference_must_lead_somewhere(model: ArmModel) -> None:
    """A reference must name an existing resource of the type that the member takes."""
    for target, code in ((SECURITY_GROUP, "InvalidResourceReference"), (NETWORK, "InvalidRequestFormat")):
        body = _network("10.0.0.0/24")
        body["properties"]["subnets"][0]["properties"]["networkSecurityGroup"] = {"id": target}
        with pytest.raises(ServiceError) as caught:
            _put(model, NETWORK, body)
        assert caught.value.code == code


def test_rules_of_one_direction_have_different_priorities(model: ArmModel) -> None:
    """Microsoft.Network refuses two rules with the same priority."""
    ends = {
        "sourceAddressPrefix": "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": "1",
    }
    rule = {"access": "Allow", "direction": "Inbound", "priority": 101, "protocol": "Tcp", **ends}
    rules = [{"name": name, "properties": rule} for name in ("a", "b")]
    with pytest.raises(ServiceError, match="SecurityRuleConflict"):
        _put(model, SECURITY_GROUP, {"location": "eastus", "properties": {"securityRules": rules}})


def test_conditions_are_heeded(model: ArmModel, time: Time) -> None:
    """If-None-Match only creates; If-Match only changes what was read."""
    _put(model, SECURITY_GROUP, {"location": "eastus"})
    time.pass_(60)
    for conditions in (Conditions(if_none_match="*"), Conditions(if_match='W/"stale"')):
        with pytest.raises(ServiceError, match="PreconditionFailed"):
            asyncio.run(model.put_resource(CALLER, SECURITY_GROUP, VERSION, {"location": "eastus"}, conditions))
    etag = model.get_resource(SECURITY_GROUP, VERSION) or {}
    asyncio.run(
        model.put_resource(CALLER, SECURITY_GROUP, VERSION, {"location": "eastus"}, Conditions(if_match=etag["etag"]))
    )


def test_an_action_that_a_type_lacks_is_not_called_invalid(model: ArmModel) -> None:
    """Which actions a type has in Azure is not known here."""
    _put(model, SECURITY_GROUP, {"location": "eastus"})
    with pytest.raises(ServiceError) as refused:
        asyncio.run(model.begin_action(CALLER, SECURITY_GROUP, VERSION, "explode", {}))
    assert (refused.value.status_code, refused.value.code) == (400, "NotSupportedByLocalAzure")
    assert "the action 'explode' of type 'Microsoft.Network/networkSecurityGroups'" in refused.value.message
