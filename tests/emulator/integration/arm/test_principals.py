"""Users, and groups in groups: their roles and deny assignments, as ARM decides by them and lists them."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.authorization import AuthorizationManagementClient

from emulator.arm.access.authorization import EVERYONE
from emulator.arm.access.roles import CONTRIBUTOR, NETWORK_CONTRIBUTOR, OWNER, READER
from emulator.arm.seeding import ensure_role
from emulator.entra.apis import AZURE_CLI
from emulator.json_object import Json
from tests.emulator.integration.arm.stage import Stage

ARM = "https://management.azure.com"
VERSION = "2022-04-01"


def _user(stage: Stage) -> Json:
    name = f"user-{uuid4().hex[:8]}@customer.onmicrosoft.com"
    return stage.directory.people.add_user(stage.world.tenant_id, name, "Passw0rd of a test")


def _group(stage: Stage, *members: tuple[str, str]) -> str:
    people = stage.directory.people
    group: str = people.add_group(stage.world.tenant_id, "group")["objectId"]
    for kind, member in members:
        people.add_member(group, kind, member)
    return group


def _call(stage: Stage, token: str, method: str, path: str, body: Any = None, **query: str) -> httpx.Response:
    parameters = {"api-version": VERSION} | {name.replace("_", "$"): value for name, value in query.items()}
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.request(method, f"{stage.url}{path}", params=parameters, json=body, headers=headers, timeout=60)


def _as_user(stage: Stage, user: Json, method: str, path: str, body: Any = None, **query: str) -> httpx.Response:
    token = stage.directory.issuing.user_token(user, AZURE_CLI.client_id, ARM)
    return _call(stage, token, method, path, body, **query)


def _scope(stage: Stage, group: str) -> str:
    return f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"


def _listed(stage: Stage, scope: str, text: str, kind: str = "roleAssignments") -> Any:
    with AuthorizationManagementClient(stage.owner, stage.world.subscription_id) as client:
        operations: Any = client.role_assignments if kind == "roleAssignments" else client.deny_assignments
        return {found.scope: found for found in operations.list_for_scope(scope, filter=text)}


def test_a_user_has_the_roles_of_groups_around_its_groups(stage: Stage, group: str) -> None:
    """A right goes with the membership, at any depth, and the refusal names the user."""
    user, scope = _user(stage), _scope(stage, group)
    refused = _as_user(stage, user, "GET", scope, **{"api-version": "2024-11-01"})
    assert refused.json()["error"]["message"].startswith(
        f"The client '{user['userPrincipalName']}' with object id '{user['objectId']}' does not have authorization"
    )
    inner = _group(stage, ("user", user["objectId"]))
    outer = _group(stage, ("group", _group(stage, ("group", inner))))
    ensure_role(stage.arm, scope, outer, READER)
    assert _as_user(stage, user, "GET", scope, **{"api-version": "2024-11-01"}).status_code == 200
    stage.directory.people.remove_member(inner, user["objectId"])
    assert _as_user(stage, user, "GET", scope, **{"api-version": "2024-11-01"}).status_code == 403


def test_groups_in_a_circle_end(stage: Stage, group: str) -> None:
    """Two groups that are members of each other have the same members."""
    user, scope = _user(stage), _scope(stage, group)
    first = _group(stage, ("user", user["objectId"]))
    second = _group(stage, ("group", first))
    stage.directory.people.add_member(first, "group", second)
    ensure_role(stage.arm, scope, second, READER)
    assert list(_listed(stage, scope, f"assignedTo('{user['objectId']}')")) == [scope]


def test_assignments_are_listed_by_scope_and_by_who_has_them(stage: Stage, group: str) -> None:
    """`atScope()` keeps those above and leaves out those below; `assignedTo` follows groups, `principalId eq` does not."""
    user, subscription, scope = _user(stage), f"/subscriptions/{stage.world.subscription_id}", _scope(stage, group)
    object_id = user["objectId"]
    outer = _group(stage, ("group", _group(stage, ("user", object_id))))
    vnet = f"{scope}/providers/Microsoft.Network/virtualNetworks/vnet"
    subnet, other = f"{vnet}/subnets/s", f"{scope}/providers/Microsoft.Network/virtualNetworks/other"
    ensure_role(stage.arm, subscription, outer, READER)
    ensure_role(stage.arm, vnet, object_id, NETWORK_CONTRIBUTOR)
    ensure_role(stage.arm, subnet, outer, CONTRIBUTOR)
    ensure_role(stage.arm, other, object_id, OWNER)
    mine = f"assignedTo('{object_id}')"
    assert set(_listed(stage, subnet, f"atScope() and {mine}")) == {subscription, vnet, subnet}
    assert set(_listed(stage, scope, f"atScope() and {mine}")) == {subscription}
    assert set(_listed(stage, scope, mine)) == {subscription, vnet, subnet, other}
    assert set(_listed(stage, scope, f"principalId eq '{object_id}'")) == {vnet, other}
    assert set(_listed(stage, scope, f"principalId eq '{outer}'")) == {subscription, subnet}
    assert subscription in _listed(stage, subnet, "atScope()")
    assert _listed(stage, subnet, mine)[subnet].principal_type == "Group"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("atScope() and principalId eq '{user}'", "UnsupportedQuery"),
        ("principalId eq {user}", "UnsupportedQuery"),
        ("atScope() or assignedTo('{user}')", "UnsupportedQuery"),
        ("assignedTo('{group}')", "UnsupportedPrincipalType"),
        ("atScope() and assignedTo('{group}')", "UnsupportedPrincipalType"),
    ],
)
def test_filters_that_azure_does_not_have_are_refused(stage: Stage, group: str, text: str, want: str) -> None:
    """Above all `assignedTo` of a group."""
    known = {"user": str(uuid4()), "group": _group(stage)}
    with pytest.raises(HttpResponseError) as refused:
        _listed(stage, _scope(stage, group), text.format(**known))
    assert refused.value.error is not None
    assert (refused.value.status_code, refused.value.error.code) == (400, want)


def test_a_role_is_assigned_to_what_the_principal_is(stage: Stage, group: str) -> None:
    """The type is found in the directory, and a wrong one is refused."""
    user, robot = _user(stage), stage.principal("robot")[1]
    role = f"/providers/Microsoft.Authorization/roleDefinitions/{READER}"
    token = stage.owner.get_token(f"{ARM}/.default").token
    for principal, want in ((user["objectId"], "User"), (_group(stage), "Group"), (robot, "ServicePrincipal")):
        properties = {"roleDefinitionId": role, "principalId": principal}
        path = f"{_scope(stage, group)}/providers/Microsoft.Authorization/roleAssignments/{uuid4()}"
        wrong = {"properties": properties | {"principalType": "User" if want == "Group" else "Group"}}
        refused = _call(stage, token, "PUT", path, wrong).json()
        assert refused["error"]["code"] == "UnmatchedPrincipalType"
        made = _call(stage, token, "PUT", path, {"properties": properties}).json()
        assert made["properties"]["principalType"] == want


def _denial(*principals: tuple[str, str], **members: Any) -> Json:
    """Return the `properties` of a deny assignment for writes and deletions of networks."""
    return {
        "denyAssignmentName": "no networks",
        "permissions": [{"actions": ["Microsoft.Network/*/write", "Microsoft.Network/*/delete"]}],
        "principals": [{"id": object_id, "type": kind} for kind, object_id in principals],
    } | members


def _writes(stage: Stage, user: Json, scope: str) -> str:
    """Return the code of the refusal with which a user writes a security group; "" if it is allowed."""
    path = f"{scope}/providers/Microsoft.Network/networkSecurityGroups/{uuid4().hex}"
    version = {"api-version": "2023-11-01"}
    answer = _as_user(stage, user, "PUT", path, {"location": "eastus", "properties": {}}, **version)
    return "" if answer.is_success else str(answer.json()["error"]["code"])


def _deny(stage: Stage, document: Json) -> httpx.Response:
    return httpx.put(f"http://localhost:{stage.platform.ports['control']}/deny-assignments", json=document, timeout=60)


def _lift(stage: Stage, identifier: str) -> int:
    url = f"http://localhost:{stage.platform.ports['control']}/deny-assignments"
    return httpx.delete(url, params={"id": identifier}, timeout=60).status_code


def test_the_control_service_denies_by_principal(stage: Stage, group: str) -> None:
    """For a group around the user except a group that is left out; and not below, if it says so."""
    user, scope, subscription = _user(stage), _scope(stage, group), f"/subscriptions/{stage.world.subscription_id}"
    inner = _group(stage, ("user", user["objectId"]))
    outer = _group(stage, ("group", inner))
    ensure_role(stage.arm, scope, user["objectId"], CONTRIBUTOR)
    for at, properties, want in (
        (scope, _denial(("Group", outer)), "DenyAssignmentAuthorizationFailed"),
        (scope, _denial(("Group", outer), excludePrincipals=[{"id": inner, "type": "Group"}]), ""),
        (subscription, _denial(("User", user["objectId"]), doNotApplyToChildScopes=True), ""),
        (subscription, _denial(("User", user["objectId"])), "DenyAssignmentAuthorizationFailed"),
    ):
        made = _deny(stage, {"scope": at, "properties": properties}).json()
        found = _listed(stage, scope, f"atScope() and assignedTo('{user['objectId']}')", "denyAssignments")
        assert [denial.id for denial in found.values()] == [made["id"]]
        assert found[at].is_system_protected is True
        assert _writes(stage, user, scope) == want
        assert _lift(stage, made["id"]) == 204
        assert _writes(stage, user, scope) == ""


def test_deny_assignments_are_listed_at_a_subnet(stage: Stage, group: str) -> None:
    """Those of others are left out; those of everybody are everybody's."""
    user, scope = _user(stage), _scope(stage, group)
    subnet = f"{scope}/providers/Microsoft.Network/virtualNetworks/vnet/subnets/s"
    made = [
        _deny(stage, {"scope": at, "properties": _denial(principal)}).json()["id"]
        for at, principal in (
            (subnet, ("User", user["objectId"])),
            (scope, ("SystemDefined", EVERYONE)),
            (scope, ("User", str(uuid4()))),
        )
    ]
    with AuthorizationManagementClient(stage.owner, stage.world.subscription_id) as client:
        listing = client.deny_assignments.list_for_scope
        mine = f"atScope() and assignedTo('{user['objectId']}')"
        assert {found.id for found in listing(subnet, filter=mine)} == {*made[:2]}
        assert {found.id for found in listing(scope, filter=mine)} == {made[1]}
        assert {found.id for found in listing(scope, filter="atScope()")} == {*made[1:]}
    for identifier in made:
        assert _lift(stage, identifier) == 204


@pytest.mark.parametrize(
    ("document", "want"),
    [
        ({"scope": "x"}, "members scope, name, properties"),
        ({"scope": "x", "properties": {}}, "is not a resource id"),
        ({"scope": "/subscriptions/x", "properties": {"who": "me"}}, "Could not find member 'who'"),
    ],
)
def test_a_deny_assignment_that_makes_no_sense_is_refused(stage: Stage, document: Json, want: str) -> None:
    """A misspelt member would deny nothing."""
    refused = _deny(stage, document)
    assert refused.status_code == 400
    assert want in refused.json()["error"]["message"]
    assert _lift(stage, "/subscriptions/x") == 404


def test_an_owner_denies_actions_to_one_principal(stage: Stage, group: str) -> None:
    """`az role deny-assignment create`: from 2024-07-01-preview on; it is the owner's to remove."""
    user, scope = _user(stage), _scope(stage, group)
    ensure_role(stage.arm, scope, user["objectId"], CONTRIBUTOR)
    token = stage.owner.get_token(f"{ARM}/.default").token
    path = f"{scope}/providers/Microsoft.Authorization/denyAssignments/{uuid4()}"
    body = {"properties": _denial(("User", user["objectId"]), isSystemProtected=False)}
    new = {"api-version": "2024-07-01-preview"}
    assert _call(stage, token, "PUT", path, body).status_code == 403
    assert _as_user(stage, user, "PUT", path, body, **new).status_code == 403
    assert _call(stage, token, "PUT", path, body, **new).status_code == 201
    assert _writes(stage, user, scope) == "DenyAssignmentAuthorizationFailed"
    assert _call(stage, token, "DELETE", path, **new).status_code == 200
    assert _writes(stage, user, scope) == ""
