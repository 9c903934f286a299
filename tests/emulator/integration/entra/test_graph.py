"""Microsoft Graph, tested over plain HTTPS, which is how the CLI calls it."""

from typing import Any
from uuid import uuid4

import pytest
import requests
from azure.identity import ClientSecretCredential

from tests.emulator.integration.entra.stage import Stage

BASE = "https://graph.microsoft.com/v1.0"


def _person(stage: Stage, *roles: str) -> str:
    """Return the `Authorization` header of a new principal in the customer's tenant."""
    client_id, tenant_id = str(uuid4()), stage.platform.world.tenant_id
    stage.entra.ensure_application(client_id, "person", tenant_id=tenant_id)
    stage.entra.ensure_service_principal(tenant_id, client_id, roles=roles)
    return "Bearer " + stage.entra.issue_token(tenant_id, client_id, "https://graph.microsoft.com")


def _call(authorization: str, method: str, path: str, body: Any = None, **query: str) -> requests.Response:
    return requests.request(
        method,
        BASE + path,
        json=body,
        params={f"${name}": value for name, value in query.items()},
        headers={"Authorization": authorization},
        timeout=10,
    )


def test_an_application_lives_from_registration_to_deletion(stage: Stage) -> None:
    """`az aro create` registers an application, adds a password with an empty body, and logs in as its principal."""
    me, tenant_id = _person(stage), stage.platform.world.tenant_id
    created = _call(me, "POST", "/applications", {"displayName": "aro-c1", "description": None})
    assert created.status_code == 201
    app_id, object_id = created.json()["appId"], created.json()["id"]
    added = requests.post(
        f"{BASE}/applications/{object_id}/addPassword", headers={"Authorization": me}, timeout=10
    ).json()
    principal = _call(me, "POST", "/servicePrincipals", {"appId": app_id})
    assert principal.status_code == 201
    with ClientSecretCredential(tenant_id, app_id, added["secretText"]) as credential:
        token = credential.get_token("https://management.azure.com/.default").token
    caller = stage.entra.authenticate(f"Bearer {token}", ("https://management.azure.com",))
    assert caller.object_id == principal.json()["id"]
    shown = _call(me, "GET", f"/applications/{object_id}").json()["passwordCredentials"]
    assert [(entry["keyId"], entry["secretText"]) for entry in shown] == [(added["keyId"], None)]
    assert _call(me, "PATCH", f"/applications/{object_id}", {"displayName": "aro-c2"}).status_code == 204
    assert _call(me, "GET", f"/applications(appId='{app_id}')").json()["displayName"] == "aro-c2"
    removal = _call(me, "POST", f"/applications/{object_id}/removePassword", {"keyId": added["keyId"]})
    assert removal.status_code == 204
    assert _call(me, "DELETE", f"/applications/{object_id}").status_code == 204
    assert _call(me, "GET", "/servicePrincipals", filter=f"appId eq '{app_id}'").json()["value"] == []


def test_principals_are_found_by_application_id_and_name(stage: Stage) -> None:
    """The CLI's filters work; principals of another tenant stay hidden."""
    me, world = _person(stage), stage.platform.world
    app_id = world.first_party_client_id
    stage.entra.ensure_application(app_id, "Azure Red Hat OpenShift RP", tenant_id=world.rp_tenant_id)
    assert _call(me, "GET", "/servicePrincipals", filter=f"appId eq '{app_id}'").json()["value"] == []
    object_id = stage.entra.ensure_service_principal(world.tenant_id, app_id)
    for condition in (
        f"appId eq '{app_id}'",
        f"servicePrincipalNames/any(c:c eq '{app_id}')",
        "startswith(displayName,'Azure Red')",
    ):
        found = _call(me, "GET", "/servicePrincipals", filter=condition, select="id,appId").json()["value"]
        assert found == [{"id": object_id, "appId": app_id}]
    names = _call(me, "POST", "/directoryObjects/getByIds", {"ids": [object_id, str(uuid4())]}).json()["value"]
    assert [(item["@odata.type"], item["displayName"]) for item in names] == [
        ("#microsoft.graph.servicePrincipal", "Azure Red Hat OpenShift RP")
    ]


@pytest.mark.parametrize(
    ("call", "body", "want_status", "want_code"),
    [
        ("GET /applications/{new}", None, 404, "Request_ResourceNotFound"),
        ("POST /applications", [], 400, "Request_BadRequest"),
        ("POST /applications", {"displayName": 5}, 400, "Request_BadRequest"),
        ("POST /applications", {"displayName": "\ud800"}, 400, "Request_BadRequest"),
        ("POST /directoryObjects/getByIds", {"ids": [], "types": []}, 400, "Request_BadRequest"),
        ("POST /directoryObjects/getByIds", {"ids": ["x"], "types": 5}, 400, "Request_BadRequest"),
        ("POST /applications/{cluster}/addPassword", {"passwordCredential": 5}, 400, "Request_BadRequest"),
        ("POST /applications", {}, 400, "Request_BadRequest"),
        ("POST /applications", {"displayName": "x", "appRoles": []}, 400, "Request_BadRequest"),
        ("POST /servicePrincipals", {"appId": "{new}"}, 400, "Request_BadRequest"),
        ("POST /servicePrincipals", {"appId": "{cluster}"}, 409, "Request_MultipleObjectsWithSameKeyValue"),
        ("POST /applications/{cluster}/addPassword", {}, 403, "Authorization_RequestDenied"),
        ("DELETE /servicePrincipals/{cluster}", None, 403, "Authorization_RequestDenied"),
        ("GET /servicePrincipals?$filter=appId ne null", None, 400, "Request_UnsupportedQuery"),
        ("GET /servicePrincipals?$top=1", None, 400, "Request_UnsupportedQuery"),
        ("GET /users", None, 400, "BadRequest"),
        ("GET /me", None, 400, "Request_BadRequest"),
    ],
)
def test_what_makes_no_sense_is_refused(stage: Stage, call: str, body: Any, want_status: int, want_code: str) -> None:
    """The error has Graph's own form and codes."""
    me, world = _person(stage), stage.platform.world
    stage.entra.ensure_application(world.cluster_client_id, "cluster", tenant_id=world.tenant_id)
    stage.entra.ensure_service_principal(world.tenant_id, world.cluster_client_id)
    method, _, path = call.partition(" ")
    ids = {"{new}": str(uuid4()), "{cluster}": world.cluster_client_id}
    for name, value in ids.items():
        path = path.replace(name, value)
        if isinstance(body, dict):
            body = {key: value if item == name else item for key, item in body.items()}
    answer = _call(me, method, path, body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (want_status, want_code)
    assert error["innerError"].keys() == {"date", "request-id", "client-request-id"}


def test_an_administrator_changes_what_others_own(stage: Stage) -> None:
    """The application role gives an administrator's rights."""
    world, me = stage.platform.world, _person(stage, "Application.ReadWrite.All")
    stage.entra.ensure_application(world.cluster_client_id, "cluster", tenant_id=world.tenant_id)
    assert _call(me, "POST", f"/applications/{world.cluster_client_id}/addPassword").status_code == 200


def test_a_token_is_required_and_must_be_for_graph(stage: Stage) -> None:
    """A missing token, or one for another audience, gets a 401 with Graph's challenge."""
    world, client_id = stage.platform.world, str(uuid4())
    stage.entra.ensure_application(client_id, "person", tenant_id=world.tenant_id)
    stage.entra.ensure_service_principal(world.tenant_id, client_id)
    wrong = stage.entra.issue_token(world.tenant_id, client_id, "https://management.azure.com/")
    for authorization in ("", f"Bearer {wrong}"):
        answer = _call(authorization, "GET", "/organization")
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "InvalidAuthenticationToken")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    assert _call(_person(stage), "GET", "/organization").json()["value"][0]["id"] == world.tenant_id
