"""What the service reads of ARM before it answers a request, from the ARM of the local Azure."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.mgmt.resource.resources import ResourceManagementClient

from emulator.arm.access.authorization import EVERYONE
from emulator.arm.access.roles import CONTRIBUTOR, NETWORK_CONTRIBUTOR, READER
from emulator.arm.seeding import ensure_role
from shared import cloud
from shared.azure import scopes
from shared.azure.arm_reads import ArmReads
from shared.azure.rights import Ask, Rights
from shared.json_object import Json
from tests.emulator.integration.arm.stage import Stage, running

ENDPOINT = "https://management.azure.com"
CLUSTERS = "Microsoft.RedHatOpenShift/openShiftClusters"
JOIN = "Microsoft.Network/virtualNetworks/subnets/join/action"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Run ARM and the directory while these tests run."""
    with running(tmp_path_factory.mktemp("state")) as services:
        yield services


@pytest.fixture(scope="module")
def arm(stage: Stage) -> ArmReads:
    """Read as the owner of the subscription."""
    token = BearerTokenCredentialPolicy(stage.owner, f"{ENDPOINT}/.default")
    return ArmReads(cloud.prompt_client(ENDPOINT, token), ENDPOINT)


@pytest.fixture
def group(stage: Stage) -> str:
    """Create a resource group, and return its id."""
    name = f"group-{uuid4().hex[:8]}"
    with ResourceManagementClient(stage.owner, stage.world.subscription_id) as client:
        return str(client.resource_groups.create_or_update(name, {"location": "eastus"}).id)


def put(stage: Stage, scope: str, kind: str, properties: Json) -> None:
    """Store what somebody has made at a scope."""
    name, type_ = str(uuid4()), f"Microsoft.Authorization/{kind}"
    stage.arm.documents.put(
        {"id": f"{scope}/providers/{type_}/{name}", "name": name, "type": type_, "properties": properties}
    )


def deny(stage: Stage, scope: str, action: str, principal: Json, *excluded: Json) -> None:
    """Deny an action to a principal."""
    properties = {
        "denyAssignmentName": f"no {action}",
        "scope": scope,
        "permissions": [{"actions": [action], "notActions": []}],
        "principals": [principal],
        "excludePrincipals": list(excluded),
        "doNotApplyToChildScopes": False,
        "isSystemProtected": True,
    }
    put(stage, scope, "denyAssignments", properties)


def group_around(stage: Stage, member: str, kind: str) -> str:
    """Make a group of one member, and return its object id."""
    people = stage.directory.people
    made = str(people.add_group(stage.world.tenant_id, "group")["objectId"])
    people.add_member(made, kind, member)
    return made


def test_a_caller_may_what_its_roles_grant_where_they_are_assigned(stage: Stage, arm: ArmReads, group: str) -> None:
    """Neither the virtual network nor its subnet exists; ARM decides by their ids."""
    _, object_id = stage.principal("caller")
    network = f"{group}/providers/Microsoft.Network/virtualNetworks/vnet"
    ensure_role(stage.arm, group, object_id, READER)
    ensure_role(stage.arm, network, object_id, NETWORK_CONTRIBUTOR)
    asks = [
        Ask(f"{CLUSTERS}/read", group),
        Ask(f"{CLUSTERS}/write", group),
        Ask(f"{CLUSTERS}/read", f"{group}-none"),
        Ask(JOIN, f"{network}/subnets/master"),
        Ask(JOIN, f"{network}2/subnets/master"),
    ]
    assert Rights(arm).may_each(object_id, asks) == [True, False, False, True, False]
    assert Rights(arm).may_each(str(uuid4()), asks) == [False] * 5


def test_many_groups_are_asked_about_at_once(stage: Stage, arm: ArmReads, group: str) -> None:
    """ARM lists for the subscription what is assigned in its groups."""
    _, object_id = stage.principal("lister")
    ensure_role(stage.arm, group, object_id, READER)
    asks = [Ask(f"{CLUSTERS}/read", scope) for scope in [group, *(f"{group}-{number}" for number in range(20))]]
    assert Rights(arm).may_each(object_id, asks) == [True] + [False] * 20


def test_a_caller_has_the_rights_and_the_denials_of_groups_around_its_groups(
    stage: Stage, arm: ArmReads, group: str
) -> None:
    """Nobody here sees who is in a group: ARM follows the groups."""
    _, object_id = stage.principal("member")
    outer = group_around(stage, group_around(stage, object_id, "servicePrincipal"), "group")
    other = group_around(stage, stage.principal("other")[1], "servicePrincipal")
    ensure_role(stage.arm, group, outer, CONTRIBUTOR)
    deny(stage, group, "*/delete", {"id": outer, "type": "Group"})
    deny(stage, group, "*/write", {"id": other, "type": "Group"})
    asks = [Ask(f"{CLUSTERS}/{verb}", group) for verb in ("read", "write", "delete")]
    assert Rights(arm).may_each(object_id, asks) == [True, True, False]


def test_a_deny_assignment_wins_over_a_role(stage: Stage, arm: ArmReads, group: str) -> None:
    """It spares whom it excludes."""
    denied, excluded = (stage.principal(name)[1] for name in ("denied", "excluded"))
    for object_id in (denied, excluded):
        ensure_role(stage.arm, group, object_id, CONTRIBUTOR)
    everyone, spared = {"id": EVERYONE, "type": "SystemDefined"}, {"id": excluded, "type": "ServicePrincipal"}
    deny(stage, group, "*/write", everyone, spared)
    asks = [Ask(f"{CLUSTERS}/read", group), Ask(f"{CLUSTERS}/write", group)]
    assert Rights(arm).may_each(denied, asks) == [True, False]
    assert Rights(arm).may_each(excluded, asks) == [True, True]


def test_the_locks_of_a_group_and_of_its_subscription_are_found(stage: Stage, arm: ArmReads, group: str) -> None:
    """Those of other groups, and of resources in the group, are not."""
    subscription = f"/subscriptions/{stage.world.subscription_id}"
    network = f"{group}/providers/Microsoft.Network/virtualNetworks/vnet"
    for scope, level in (
        (subscription, "CanNotDelete"),
        (group, "ReadOnly"),
        (network, "ReadOnly"),
        (f"{group}2", "ReadOnly"),
    ):
        put(stage, scope, "locks", {"level": level})
    assert {(lock.scope, lock.level) for lock in scopes.locks(arm, group)} == {
        (subscription, "CanNotDelete"),
        (group, "ReadOnly"),
    }


def test_a_group_and_its_subscription_are_found(stage: Stage, arm: ArmReads, group: str) -> None:
    """A group that does not exist is none."""
    found = scopes.find_group(arm, stage.world.subscription_id, group.rpartition("/")[2].upper())
    assert found
    assert (found["location"], found["properties"]["provisioningState"]) == ("eastus", "Succeeded")
    assert scopes.find_group(arm, stage.world.subscription_id, "missing") is None
    assert scopes.subscription_state(arm, stage.world.subscription_id) == "Registered"
    assert scopes.subscription_state(arm, str(uuid4())) is None
