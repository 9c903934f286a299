"""Users, groups and app roles in Microsoft Graph, by the requests of `az ad` and `az rest`."""

from typing import Any
from uuid import uuid4

import pytest
import requests

from emulator.entra.apis import AZURE_CLI
from emulator.entra.models import USER_ADMINISTRATOR
from emulator.json_object import Json
from tests.emulator.integration.entra.stage import Stage

BASE = "https://graph.microsoft.com/v1.0"
PASSWORD = "Passw0rd of a test"  # noqa: S105 - of the users made here


class Graph:
    """Calls Graph with one token."""

    def __init__(self, token: str) -> None:
        self._token = token

    def call(self, method: str, path: str, body: Any = None, **query: str) -> requests.Response:
        return requests.request(
            method,
            BASE + path,
            json=body,
            params={f"${name}": value for name, value in query.items()},
            headers={"Authorization": f"Bearer {self._token}"},
            timeout=60,
        )

    def make(self, path: str, body: Any) -> Json:
        """Create an object; return it."""
        answer = self.call("POST", path, body)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def user(self, name: str = "") -> Json:
        """Create a user as `az ad user create` does."""
        name = name or f"user-{uuid4().hex[:8]}"
        return self.make(
            "/users",
            {
                "userPrincipalName": f"{name}@customer.onmicrosoft.com",
                "displayName": name,
                "mailNickname": name,
                "accountEnabled": True,
                "passwordProfile": {"password": PASSWORD, "forceChangePasswordNextSignIn": False},
            },
        )

    def group(self) -> str:
        """Create a group as `az ad group create` does; return its object id."""
        name = f"group-{uuid4().hex[:8]}"
        body = {"displayName": name, "mailNickname": name, "mailEnabled": False, "securityEnabled": True}
        return str(self.make("/groups", body)["id"])

    def add(self, group: str, member: str) -> requests.Response:
        """Add a member as `az ad group member add` does."""
        return self.call("POST", f"/groups/{group}/members/$ref", {"@odata.id": f"{BASE}/directoryObjects/{member}"})


def _robot(stage: Stage, *, administrates: bool = False) -> tuple[Graph, str]:
    """Return a service principal's Graph, and its object id."""
    client_id, tenant_id = str(uuid4()), stage.platform.world.tenant_id
    stage.entra.ensure_application(client_id, "robot", tenant_id=tenant_id)
    object_id = stage.entra.ensure_service_principal(tenant_id, client_id)
    if administrates:
        stage.entra.assign_directory_role(tenant_id, client_id, USER_ADMINISTRATOR)
    return Graph(stage.entra.issue_token(tenant_id, client_id, "https://graph.microsoft.com")), object_id


def _as_user(stage: Stage, user: Json, **more: Any) -> Graph:
    found = stage.entra.people.user(user["id"])
    assert found is not None
    return Graph(stage.entra.issuing.user_token(found, AZURE_CLI.client_id, "https://graph.microsoft.com", **more))


def test_a_user_lives_from_creation_to_deletion(stage: Stage) -> None:
    """It is found by name and by id, and sees itself."""
    admin, _ = _robot(stage, administrates=True)
    user = admin.user()
    name = user["userPrincipalName"]
    for path in (f"/users/{name.upper()}", f"/users/{user['id']}"):
        assert admin.call("GET", path).json()["id"] == user["id"]
    found = admin.call("GET", "/users", filter=f"userPrincipalName eq '{name}'").json()["value"]
    assert [entry["id"] for entry in found] == [user["id"]]
    assert _as_user(stage, user).call("GET", "/me").json()["userPrincipalName"] == name
    assert admin.call("DELETE", f"/users/{name}").status_code == 204
    gone = admin.call("GET", f"/users/{name}")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "Request_ResourceNotFound")


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        ({"userPrincipalName": "u@elsewhere.example"}, "domain portion"),
        ({"userPrincipalName": "taken@customer.onmicrosoft.com"}, "already exists"),
        ({"displayName": None}, "required for property 'displayName'"),
    ],
)
def test_a_user_needs_a_name_of_the_tenant(stage: Stage, changes: Json, want: str) -> None:
    """Anything else is Request_BadRequest."""
    admin, _ = _robot(stage, administrates=True)
    if not stage.entra.people.user_named(stage.platform.world.tenant_id, "taken@customer.onmicrosoft.com"):
        admin.user("taken")
    body = {
        "userPrincipalName": f"{uuid4()}@customer.onmicrosoft.com",
        "displayName": "x",
        "mailNickname": "x",
        "accountEnabled": True,
        "passwordProfile": {"password": PASSWORD},
    }
    answer = admin.call("POST", "/users", body | changes)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "Request_BadRequest")
    assert want in answer.json()["error"]["message"]


def test_a_member_that_only_graph_has_is_named(stage: Stage) -> None:
    """Nobody should look for a mistake in a body that Graph would take."""
    answer = _robot(stage, administrates=True)[0].call("POST", "/users", {"jobTitle": "x"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "NotSupportedByLocalAzure")
    assert "the property jobTitle" in error["message"]


def test_groups_hold_users_groups_and_service_principals(stage: Stage) -> None:
    """Each is added once and removed once; groups are members too."""
    admin, _ = _robot(stage, administrates=True)
    _, robot = _robot(stage)
    user, inner, outer = admin.user()["id"], admin.group(), admin.group()
    for group, member in ((inner, user), (inner, robot), (outer, inner)):
        assert admin.add(group, member).status_code == 204
    again = admin.add(inner, user)
    assert (again.status_code, again.json()["error"]["code"]) == (400, "Request_BadRequest")
    assert stage.entra.people.all_groups_of(user) == {inner, outer}
    assert stage.entra.people.groups_of(robot) == {inner}
    names = admin.call("POST", "/directoryObjects/getByIds", {"ids": [user, outer], "types": ["user", "group"]})
    assert {entry["@odata.type"] for entry in names.json()["value"]} == {
        "#microsoft.graph.user",
        "#microsoft.graph.group",
    }
    assert admin.call("DELETE", f"/groups/{inner}/members/{user}/$ref").status_code == 204
    assert admin.call("DELETE", f"/groups/{inner}/members/{user}/$ref").status_code == 404
    assert stage.entra.people.all_groups_of(user) == set()


def test_a_user_owns_what_it_makes_and_nothing_else(stage: Stage) -> None:
    """Groups and applications of others need an administrator; so do users."""
    admin, _ = _robot(stage, administrates=True)
    user = admin.user()
    me, strange = _as_user(stage, user), admin.group()
    assert me.add(me.group(), user["id"]).status_code == 204
    assert me.make("/applications", {"displayName": "mine"})["appId"]
    for refused in (
        me.add(strange, user["id"]),
        me.call("DELETE", f"/users/{user['id']}"),
        _as_user(stage, user, scopes=["openid"]).call("GET", "/me"),
    ):
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "Authorization_RequestDenied")


def _role(**members: Any) -> Json:
    known = {"id": str(uuid4()), "allowedMemberTypes": ["User"], "description": "x", "displayName": "Operator"}
    return known | {"isEnabled": True, "value": "Operator"} | members


def test_the_owner_of_an_application_assigns_its_roles(stage: Stage) -> None:
    """`az rest --method post .../appRoleAssignedTo`; a role is for the kinds of principals that it names."""
    admin, _ = _robot(stage, administrates=True)
    me, robot = _robot(stage)
    user, role = admin.user(), _role()
    app = me.make("/applications", {"displayName": "api", "appRoles": [role]})
    resource = me.make("/servicePrincipals", {"appId": app["appId"]})["id"]
    body = {"principalId": user["id"], "resourceId": resource, "appRoleId": role["id"]}
    path = f"/servicePrincipals/{resource}/appRoleAssignedTo"
    made = me.make(path, body)
    assert (made["principalType"], made["principalDisplayName"]) == ("User", user["displayName"])
    assert [found["id"] for found in stage.entra.app_roles.of_resource(resource)] == [made["id"]]
    for wrong in (body, body | {"principalId": robot}, body | {"appRoleId": str(uuid4())}, {"principalId": user["id"]}):
        assert me.call("POST", path, wrong).json()["error"]["code"] == "Request_BadRequest"
    assert me.call("POST", path, body | {"principalId": str(uuid4())}).status_code == 404
    assert admin.call("POST", path, body).status_code == 403


def test_a_trusted_client_uses_only_scopes_of_an_earlier_request(stage: Stage) -> None:
    """Graph does not find the id of a scope that the same request makes, so an API needs two requests."""
    me, _ = _robot(stage)
    path = f"/applications/{me.make('/applications', {'displayName': 'api'})['id']}"
    scope = {"id": str(uuid4()), "value": "user_impersonation", "type": "User", "isEnabled": True}
    scopes = {"oauth2PermissionScopes": [scope]}
    trusted = {"preAuthorizedApplications": [{"appId": AZURE_CLI.client_id, "delegatedPermissionIds": [scope["id"]]}]}
    refused = me.call("PATCH", path, {"api": scopes | trusted})
    assert "cannot be found in the AppPermissions sets" in refused.json()["error"]["message"]
    assert me.call("PATCH", path, {"api": scopes}).status_code == 204
    assert me.call("PATCH", path, {"api": scopes | trusted}).status_code == 204
    unknown = {"preAuthorizedApplications": [{"appId": str(uuid4()), "delegatedPermissionIds": []}]}
    assert "that cannot be found" in me.call("PATCH", path, {"api": unknown}).json()["error"]["message"]


@pytest.mark.parametrize(
    ("roles", "want"),
    [
        ([], "CannotDeleteOrUpdateEnabledEntitlement"),
        ([_role(value="Other")], "CannotDeleteOrUpdateEnabledEntitlement"),
    ],
)
def test_roles_of_an_application_are_written_as_in_azure(stage: Stage, roles: list[Json], want: str) -> None:
    """An enabled role neither goes nor changes its value."""
    me, _ = _robot(stage)
    app = me.make("/applications", {"displayName": "api", "appRoles": [_role()]})
    answer = me.call("PATCH", f"/applications/{app['id']}", {"appRoles": roles})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, want)
