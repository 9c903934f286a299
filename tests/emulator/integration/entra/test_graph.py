"""Microsoft Graph, tested over plain HTTPS, which is how the CLI calls it."""

import base64
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import requests
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import CertificateCredential, ClientSecretCredential
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.certificate_authority import private_key_pem
from emulator.entra.models import APPLICATION_ADMINISTRATOR
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
        timeout=60,
    )


def test_an_application_lives_from_registration_to_deletion(stage: Stage) -> None:
    """`az aro create` registers an application, adds a password with an empty body, and logs in as its principal."""
    me, tenant_id = _person(stage), stage.platform.world.tenant_id
    created = _call(me, "POST", "/applications", {"displayName": "aro-c1", "description": None})
    assert created.status_code == 201
    app_id, object_id = created.json()["appId"], created.json()["id"]
    added = requests.post(
        f"{BASE}/applications/{object_id}/addPassword", headers={"Authorization": me}, timeout=60
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
        ("POST /applications", {"displayName": "\ud800"}, 400, "Request_BadRequest"),
        ("POST /directoryObjects/getByIds", {"ids": [], "types": []}, 400, "Request_BadRequest"),
        ("POST /applications", {}, 400, "Request_BadRequest"),
        ("POST /applications", {"displayName": "x", "logo": "x"}, 400, "NotSupportedByLocalAzure"),
        (
            "POST /applications",
            {"displayName": "x", "identifierUris": ["https://elsewhere.example.com"]},
            400,
            "HostNameNotOnVerifiedDomain",
        ),
        (
            "POST /applications",
            {"displayName": "x", "keyCredentials": [{"type": "AsymmetricX509Cert", "usage": "Verify", "key": "eA=="}]},
            400,
            "Request_BadRequest",
        ),
        ("POST /servicePrincipals", {"appId": "{new}"}, 400, "Request_BadRequest"),
        ("POST /servicePrincipals", {"appId": "{cluster}"}, 409, "Request_MultipleObjectsWithSameKeyValue"),
        ("POST /applications/{cluster}/addPassword", {}, 403, "Authorization_RequestDenied"),
        ("GET /servicePrincipals?$filter=appId ne null", None, 400, "NotSupportedByLocalAzure"),
        ("GET /servicePrincipals?$top=1", None, 400, "NotSupportedByLocalAzure"),
        ("GET /devices", None, 400, "NotSupportedByLocalAzure"),
        ("GET /me", None, 400, "Request_BadRequest"),
    ],
)
def test_what_makes_no_sense_is_refused(stage: Stage, call: str, body: Any, want_status: int, want_code: str) -> None:
    """The error has Graph's own form and codes."""
    me, world = _person(stage), stage.platform.world
    stage.entra.ensure_application(world.cluster_client_id, "cluster", tenant_id=world.tenant_id)
    stage.entra.ensure_service_principal(world.tenant_id, world.cluster_client_id)
    method, _, path = call.partition(" ")
    kind = "servicePrincipals" if path.startswith("/servicePrincipals") else "applications"
    found = _call(me, "GET", f"/{kind}(appId='{world.cluster_client_id}')").json()["id"]
    path = path.replace("{new}", str(uuid4())).replace("{cluster}", found)
    ids = {"{new}": str(uuid4()), "{cluster}": world.cluster_client_id}
    for name, value in ids.items():
        if isinstance(body, dict):
            body = {key: value if item == name else item for key, item in body.items()}
    answer = _call(me, method, path, body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (want_status, want_code)
    assert error["innerError"].keys() == {"date", "request-id", "client-request-id"}


@pytest.mark.parametrize("kind", ["applications", "servicePrincipals"])
def test_an_application_id_is_no_object_id(stage: Stage, kind: str) -> None:
    """A path has the object id, or the application id in parentheses; people mix them up."""
    me, client_id, tenant_id = _person(stage), str(uuid4()), stage.platform.world.tenant_id
    stage.entra.ensure_application(client_id, "mixed up", tenant_id=tenant_id)
    stage.entra.ensure_service_principal(tenant_id, client_id)
    answer = _call(me, "GET", f"/{kind}/{client_id}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "Request_ResourceNotFound")
    found = _call(me, "GET", f"/{kind}(appId='{client_id}')").json()
    assert found["appId"] == client_id
    assert _call(me, "GET", f"/{kind}/{found['id']}").json()["appId"] == client_id


def test_an_administrator_changes_what_others_own(stage: Stage) -> None:
    """The application role gives an administrator's rights."""
    world, me = stage.platform.world, _person(stage, "Application.ReadWrite.All")
    stage.entra.ensure_application(world.cluster_client_id, "cluster", tenant_id=world.tenant_id)
    object_id = stage.entra.application(world.cluster_client_id)["objectId"]
    assert _call(me, "POST", f"/applications/{object_id}/addPassword").status_code == 200


def test_a_member_of_the_directory_role_changes_what_others_own(stage: Stage) -> None:
    """Whoever deploys the service replaces the certificate of the first-party application."""
    world, client_id = stage.platform.world, str(uuid4())
    stage.entra.ensure_application(client_id, "administrator", tenant_id=world.tenant_id)
    stage.entra.ensure_service_principal(world.tenant_id, client_id)
    stage.entra.ensure_application(world.cluster_client_id, "cluster", tenant_id=world.tenant_id)
    object_id = stage.entra.application(world.cluster_client_id)["objectId"]
    for want_status in (403, 200):
        me = "Bearer " + stage.entra.issue_token(world.tenant_id, client_id, "https://graph.microsoft.com")
        assert _call(me, "POST", f"/applications/{object_id}/addPassword").status_code == want_status
        stage.entra.assign_directory_role(world.tenant_id, client_id, APPLICATION_ADMINISTRATOR)


def test_a_second_certificate_is_appended_and_both_get_tokens(stage: Stage, tmp_path: Path) -> None:
    """`az ad app credential reset --cert --append` sends back the old one without its key; a removed one counts no more."""
    me, tenant_id = _person(stage), stage.platform.world.tenant_id
    created = _call(me, "POST", "/applications", {"displayName": "certified", "keyCredentials": []}).json()
    _call(me, "POST", "/servicePrincipals", {"appId": created["appId"], "accountEnabled": True})
    path = f"/applications/{created['id']}"
    keys = []
    for name in ("old", "new"):
        certificate, key = stage.platform.authority.issue(name, client=True, rsa_key=True)
        (tmp_path / name).write_bytes(certificate.public_bytes(Encoding.PEM) + private_key_pem(key))
        keys.append(certificate.public_bytes(Encoding.DER))
        known = _call(me, "GET", path).json()["keyCredentials"]
        added = [*known, _credential(keys[-1])]
        assert _call(me, "PATCH", path, {"keyCredentials": added}).status_code == 204
    shown = _call(me, "GET", path).json()["keyCredentials"]
    assert [credential["key"] for credential in shown] == [None, None]
    for name in ("old", "new"):
        _token(tenant_id, created["appId"], tmp_path / name)
    assert _call(me, "PATCH", path, {"keyCredentials": shown[1:]}).status_code == 204
    with pytest.raises(ClientAuthenticationError, match="AADSTS700027"):
        _token(tenant_id, created["appId"], tmp_path / "old")
    _token(tenant_id, created["appId"], tmp_path / "new")


@pytest.mark.parametrize(
    ("changes", "want_code"),
    [
        ({"key": "bm8gY2VydGlmaWNhdGU="}, "Request_BadRequest"),
        ({"key": None}, "Request_BadRequest"),
        ({"startDateTime": "soon"}, "Request_BadRequest"),
    ],
)
def test_a_credential_must_be_a_certificate_with_readable_times(
    stage: Stage, changes: dict[str, Any], want_code: str
) -> None:
    """Otherwise the mistake would be found when the old certificate has ended."""
    me = _person(stage)
    certificate, _ = stage.platform.authority.issue("credential", client=True, rsa_key=True)
    credential = _credential(certificate.public_bytes(Encoding.DER)) | changes
    answer = _call(me, "POST", "/applications", {"displayName": "x", "keyCredentials": [credential]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, want_code)


def test_the_registration_of_an_api_is_shown_by_its_service_principal(stage: Stage) -> None:
    """Objects are merged, lists replaced; the identifier names the principal too, and belongs to one application."""
    me = _person(stage)
    role = {
        "id": str(uuid4()),
        "allowedMemberTypes": ["Application"],
        "description": "r",
        "displayName": "r",
        "isEnabled": True,
        "value": "r",
    }
    created = _call(me, "POST", "/applications", {"displayName": "api", "appRoles": [role]}).json()
    path, uri = f"/applications(appId='{created['appId']}')", f"https://customer.onmicrosoft.com/{uuid4()}"
    scope = {"id": str(uuid4()), "value": "user_impersonation", "type": "User", "isEnabled": True}
    for change in (
        {"identifierUris": [f"api://{created['appId']}", uri], "api": {"requestedAccessTokenVersion": 2}},
        {"api": {"oauth2PermissionScopes": [scope]}},
    ):
        assert _call(me, "PATCH", path, change).status_code == 204
    api = _call(me, "GET", path).json()["api"]
    assert (api["requestedAccessTokenVersion"], api["oauth2PermissionScopes"]) == (2, [scope])
    principal = _call(me, "POST", "/servicePrincipals", {"appId": created["appId"]}).json()
    found = _call(me, "GET", "/servicePrincipals", filter=f"servicePrincipalNames/any(c:c eq '{uri}')").json()["value"]
    assert [(entry["id"], entry["appRoles"], entry["oauth2PermissionScopes"]) for entry in found] == [
        (principal["id"], [role], [scope])
    ]
    other = _call(me, "POST", "/applications", {"displayName": "other"}).json()
    taken = _call(me, "PATCH", f"/applications/{other['id']}", {"identifierUris": [uri.upper()]})
    assert (taken.status_code, taken.json()["error"]["code"]) == (400, "ObjectConflict")


def test_a_disabled_principal_gets_no_token(stage: Stage) -> None:
    """An administrator disables it; its secret is still the right one."""
    me, tenant_id = _person(stage), stage.platform.world.tenant_id
    created = _call(me, "POST", "/applications", {"displayName": "x"}).json()
    secret = _call(me, "POST", f"/applications/{created['id']}/addPassword").json()["secretText"]
    disabled = {"appId": created["appId"], "accountEnabled": False, "notes": "left"}
    principal = _call(me, "POST", "/servicePrincipals", disabled).json()
    assert (principal["accountEnabled"], principal["notes"]) == (False, "left")
    with (
        ClientSecretCredential(tenant_id, created["appId"], secret) as credential,
        pytest.raises(ClientAuthenticationError, match="AADSTS7000112"),
    ):
        credential.get_token("https://management.azure.com/.default")


def _credential(der: bytes) -> dict[str, Any]:
    """Return a new key credential as the CLI sends it."""
    return {
        "@odata.type": "#microsoft.graph.keyCredential",
        "displayName": None,
        "key": base64.encodebytes(der).decode(),
        "keyId": str(uuid4()),
        "type": "AsymmetricX509Cert",
        "usage": "Verify",
    }


def _token(tenant_id: str, client_id: str, path: Path) -> None:
    with CertificateCredential(tenant_id, client_id, str(path)) as credential:
        credential.get_token("https://management.azure.com/.default")


def test_a_token_is_required_and_must_be_for_graph(stage: Stage) -> None:
    """A missing token, or one for another audience, gets a 401 with Graph's challenge."""
    world, client_id = stage.platform.world, str(uuid4())
    stage.entra.ensure_application(client_id, "person", tenant_id=world.tenant_id)
    stage.entra.ensure_service_principal(world.tenant_id, client_id)
    wrong = stage.entra.issue_token(world.tenant_id, client_id, "https://management.azure.com/")
    for authorization, message in (
        ("", "Access token is empty."),
        (f"Bearer {wrong}", "Access token validation failure. Invalid audience."),
    ):
        answer = _call(authorization, "GET", "/applications")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["message"]) == (401, "InvalidAuthenticationToken", message)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    assert _call(_person(stage), "GET", "/applications").status_code == 200
