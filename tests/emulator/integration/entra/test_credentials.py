"""The sign-in endpoints, tested with azure-identity and MSAL under the public names."""

import base64
from pathlib import Path
from uuid import uuid4

import jwt
import msal  # type: ignore[import-untyped]  # it carries no type marker
import pytest
import requests
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import (
    CertificateCredential,
    ClientSecretCredential,
    CredentialUnavailableError,
    ManagedIdentityCredential,
)
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.certificate_authority import private_key_pem
from emulator.entra.resources import ARM, COSMOS, KEY_VAULT
from tests.emulator.integration.entra.stage import Stage

SECRET = "a secret that only this test knows"  # noqa: S105 - of the applications made here
ARM_SCOPE = "https://management.azure.com/.default"


def _application(stage: Stage, *, certificates: tuple[bytes, ...] = (), both_tenants: bool = False) -> str:
    client_id = str(uuid4())
    world = stage.platform.world
    stage.entra.ensure_application(
        client_id, "test", tenant_id=world.tenant_id, secrets=[SECRET], certificates=certificates
    )
    for tenant_id in (world.tenant_id, world.rp_tenant_id) if both_tenants else (world.tenant_id,):
        stage.entra.ensure_service_principal(tenant_id, client_id)
    return client_id


def _fails_with(code: int, credential: ClientSecretCredential | CertificateCredential, scope: str = ARM_SCOPE) -> None:
    with credential, pytest.raises(ClientAuthenticationError, match=f"AADSTS{code}:"):
        credential.get_token(scope)


def test_a_client_secret_gets_a_token_that_arm_accepts(stage: Stage) -> None:
    """The token is a signed v1 token with the claims that resource providers look for."""
    client_id, world = _application(stage), stage.platform.world
    with ClientSecretCredential(world.tenant_id, client_id, SECRET) as credential:
        token = credential.get_token(ARM_SCOPE)
    principal = stage.entra.authenticate(f"Bearer {token.token}", ARM.identifiers)
    assert principal.client_id == client_id
    assert principal.tenant_id == world.tenant_id
    assert principal.object_id == stage.entra.ensure_service_principal(world.tenant_id, client_id)
    assert principal.claims["iss"] == f"https://sts.windows.net/{world.tenant_id}/"
    assert principal.claims["idtyp"] == "app"
    assert "roles" not in principal.claims


def test_a_multi_tenant_application_is_another_principal_in_each_tenant(stage: Stage) -> None:
    """With one secret the application has a different object id in each tenant."""
    client_id, world = _application(stage, both_tenants=True), stage.platform.world
    found = set()
    for tenant_id in (world.tenant_id, world.rp_tenant_id):
        with ClientSecretCredential(tenant_id, client_id, SECRET) as credential:
            claims = credential.get_token(ARM_SCOPE).token
        found.add(stage.entra.authenticate(f"Bearer {claims}", ARM.identifiers).object_id)
    assert len(found) == 2


@pytest.mark.parametrize("send_chain", [False, True], ids=["thumbprint alone", "with its chain"])
def test_a_certificate_gets_a_token(stage: Stage, tmp_path: Path, *, send_chain: bool) -> None:
    """MSAL signs an assertion with the certificate's key; the directory checks it with the registered certificate."""
    certificate, key = stage.platform.authority.issue("first-party", client=True, rsa_key=True)
    client_id = _application(stage, certificates=(certificate.public_bytes(Encoding.DER),))
    file = tmp_path / "credential.pem"
    file.write_bytes(private_key_pem(key) + certificate.public_bytes(Encoding.PEM))
    world = stage.platform.world
    with CertificateCredential(
        world.tenant_id, client_id, certificate_path=str(file), send_certificate_chain=send_chain
    ) as credential:
        token = credential.get_token(ARM_SCOPE).token
    principal = stage.entra.authenticate(f"Bearer {token}", ARM.identifiers)
    assert (principal.client_id, principal.claims["appidacr"]) == (client_id, "2")


def test_a_certificate_that_is_not_registered_is_refused(stage: Stage, tmp_path: Path) -> None:
    """The error is AADSTS700027, even with a chain that leads to the same authority."""
    registered, _ = stage.platform.authority.issue("first-party", rsa_key=True)
    other, key = stage.platform.authority.issue("first-party", rsa_key=True)
    client_id = _application(stage, certificates=(registered.public_bytes(Encoding.DER),))
    file = tmp_path / "credential.pem"
    file.write_bytes(private_key_pem(key) + other.public_bytes(Encoding.PEM))
    for send_chain in (False, True):
        _fails_with(
            700027,
            CertificateCredential(
                stage.platform.world.tenant_id,
                client_id,
                certificate_path=str(file),
                send_certificate_chain=send_chain,
            ),
        )


def test_credentials_fail_as_in_azure(stage: Stage) -> None:
    """Each mistake has its AADSTS code, and azure-identity finds it."""
    client_id, world = _application(stage), stage.platform.world
    _fails_with(7000215, ClientSecretCredential(world.tenant_id, client_id, "wrong"))
    _fails_with(700016, ClientSecretCredential(world.tenant_id, str(uuid4()), SECRET))
    _fails_with(700016, ClientSecretCredential(world.rp_tenant_id, client_id, SECRET))
    _fails_with(500011, ClientSecretCredential(world.tenant_id, client_id, SECRET), "https://nobody.example/.default")
    _fails_with(1002012, ClientSecretCredential(world.tenant_id, client_id, SECRET), "https://management.azure.com/x")
    stage.entra.update_service_principal(world.tenant_id, client_id, {"accountEnabled": False})
    _fails_with(7000112, ClientSecretCredential(world.tenant_id, client_id, SECRET))
    stage.entra.update_service_principal(world.tenant_id, client_id, {"accountEnabled": True})
    stage.entra.delete_service_principal(world.tenant_id, client_id)
    _fails_with(7000229, ClientSecretCredential(world.tenant_id, client_id, SECRET))


def test_an_unknown_tenant_is_refused_before_anything_else(stage: Stage) -> None:
    """MSAL fails to read the tenant's metadata; the token endpoint itself answers AADSTS90002."""
    client_id, tenant = _application(stage), str(uuid4())
    with (
        ClientSecretCredential(tenant, client_id, SECRET) as credential,
        pytest.raises(ClientAuthenticationError, match="Unable to get authority configuration"),
    ):
        credential.get_token(ARM_SCOPE)
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": SECRET, "scope": ARM_SCOPE}
    url = f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token"
    answer = requests.post(url, form, headers={"client-request-id": "the-correlation-id"}, timeout=60)
    body = answer.json()
    assert answer.status_code == 400
    assert body["error"] == "invalid_request"
    assert body["error_codes"] == [90002]
    assert body["correlation_id"] == "the-correlation-id"
    assert body.keys() >= {"error_description", "timestamp", "trace_id", "error_uri"}


@pytest.mark.parametrize("tenant", ["your-tenant-id", "%7Btenant%7D", "e63649b2-07c0-49ed-a24b-87381dac292"])
@pytest.mark.usefixtures("stage")
def test_a_tenant_that_is_neither_an_id_nor_a_domain_is_refused(tenant: str) -> None:
    """These are what stands for a tenant in an example, and an id that lost a digit."""
    form = {"grant_type": "client_credentials", "client_id": str(uuid4()), "client_secret": "x", "scope": ARM_SCOPE}
    answer = requests.post(f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token", form, timeout=60)
    assert (answer.status_code, answer.json()["error_codes"]) == (400, [900023])


@pytest.mark.usefixtures("stage")
def test_a_token_endpoint_takes_no_get() -> None:
    """Neither from a browser, nor from a client that lost its form in a redirect."""
    answer = requests.get("https://login.microsoftonline.com/common/oauth2/v2.0/token", timeout=60)
    assert (answer.status_code, answer.json()["error_codes"]) == (400, [900561])


def test_the_token_of_a_cluster_needs_a_federated_credential(stage: Stage) -> None:
    """This application has none; the refusal names the issuer, not a certificate."""
    client_id, issuer = _application(stage), "https://oidc.example.com/cluster/"
    claims = {"iss": issuer, "sub": "system:serviceaccount:a:b", "aud": "api://AzureADTokenExchange"}
    form = {
        "grant_type": "client_credentials",
        "client_id": client_id,
        "client_assertion": jwt.encode(claims, "a" * 32, algorithm="HS256"),
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "scope": ARM_SCOPE,
    }
    url = f"https://login.microsoftonline.com/{stage.platform.world.tenant_id}/oauth2/v2.0/token"
    body = requests.post(url, form, timeout=60).json()
    assert body["error_codes"] == [70021]
    assert f"Assertion Issuer: '{issuer}'" in body["error_description"]


def test_msal_finds_the_authority_by_instance_discovery(stage: Stage) -> None:
    """Instance discovery is on, and the token cache knows the directory's aliases."""
    client_id, world = _application(stage), stage.platform.world
    with requests.Session() as session:
        application = msal.ConfidentialClientApplication(
            client_id,
            client_credential=SECRET,
            authority=f"https://login.windows.net/{world.tenant_id}",
            http_client=session,
        )
        for source in ("identity_provider", "cache"):
            answer = application.acquire_token_for_client([ARM_SCOPE])
            assert answer is not None
            assert answer["token_source"] == source
        known = application._get_instance_metadata("login.microsoftonline.com")
    assert {"login.microsoftonline.com", "login.windows.net"} <= set(known[0]["aliases"])


def test_the_token_port_on_localhost_answers_without_a_proxy(stage: Stage) -> None:
    """The port takes a plain form, as curl posts it."""
    client_id, world = _application(stage), stage.platform.world
    base = f"https://localhost:{stage.platform.ports['token']}/{world.tenant_id}"
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": SECRET}
    body = requests.post(f"{base}/oauth2/v2.0/token", form | {"scope": ARM_SCOPE}, timeout=60).json()
    assert (body["token_type"], body["expires_in"]) == ("Bearer", 3599)
    stage.entra.authenticate(f"Bearer {body['access_token']}", ARM.identifiers)
    metadata = requests.get(f"{base}/v2.0/.well-known/openid-configuration", timeout=60).json()
    assert metadata["token_endpoint"] == f"{base}/oauth2/v2.0/token"


def test_anybody_can_verify_a_token_with_the_published_keys(stage: Stage) -> None:
    """The metadata names the key set, and the key set verifies the signature."""
    client_id, world = _application(stage), stage.platform.world
    authority = f"https://login.microsoftonline.com/{world.tenant_id}"
    metadata = requests.get(f"{authority}/v2.0/.well-known/openid-configuration", timeout=60).json()
    keys = requests.get(metadata["jwks_uri"], timeout=60).json()["keys"]
    token = stage.entra.issue_token(world.tenant_id, client_id, "https://management.azure.com/")
    header = jwt.get_unverified_header(token)
    key = next(jwt.PyJWK(key) for key in keys if key["kid"] == header["kid"])
    claims = jwt.decode(
        token,
        key,
        algorithms=["RS256"],
        audience="https://management.azure.com/",
        issuer=f"https://sts.windows.net/{world.tenant_id}/",
    )
    assert claims["oid"] == claims["sub"]


def test_the_managed_identity_gets_tokens_of_the_resource_provider(stage: Stage) -> None:
    """ManagedIdentityCredential finds App Service's endpoint in the environment and calls it without a proxy."""
    account = "https://account.documents.azure.com"
    for scope, audiences in (
        ("https://vault.azure.net/.default", KEY_VAULT.identifiers),
        (f"{account}/.default", (account,)),
        ("https://cosmos.azure.com/.default", COSMOS.identifiers),
    ):
        with ManagedIdentityCredential() as credential:
            token = credential.get_token(scope).token
        principal = stage.entra.authenticate(f"Bearer {token}", audiences)
        assert principal.object_id == stage.identity.object_id
        assert principal.tenant_id == stage.platform.world.rp_tenant_id
        assert principal.claims["xms_mirid"] == stage.identity.resource_id


def test_the_identity_endpoint_refuses_strangers_and_identities_that_the_app_lacks(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call without the app's secret header gets a 401, one for another client id a 400."""
    scope = "https://vault.azure.net/.default"
    with (
        ManagedIdentityCredential(client_id=str(uuid4())) as credential,
        pytest.raises((CredentialUnavailableError, ClientAuthenticationError), match="No User Assigned"),
    ):
        credential.get_token(scope)
    monkeypatch.setenv("IDENTITY_HEADER", "guessed")
    with (
        ManagedIdentityCredential() as credential,
        pytest.raises((CredentialUnavailableError, ClientAuthenticationError), match="X-IDENTITY-HEADER"),
    ):
        credential.get_token(scope)
    answer = requests.get(stage.environment["IDENTITY_ENDPOINT"], timeout=60)
    assert (answer.status_code, answer.json()["statusCode"]) == (401, 401)


def test_the_journal_names_the_caller_and_hides_the_secret(stage: Stage) -> None:
    """A call for a token can be found by client id; the secret appears nowhere in the journal."""
    client_id, world = _application(stage), stage.platform.world
    with ClientSecretCredential(world.tenant_id, client_id, SECRET) as credential:
        credential.get_token(ARM_SCOPE)
    entry = next(entry for entry in stage.platform.journal.entries(service="entra") if entry.caller == client_id)
    assert (entry.operation, entry.status) == ("POST token", 200)
    journal = (stage.platform.root / "logs" / "journal.jsonl").read_text()
    assert SECRET not in journal
    assert base64.b64encode(SECRET.encode()).decode() not in journal
