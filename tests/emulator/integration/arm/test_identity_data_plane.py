"""The identity data plane: only the resource provider gets a certificate, and only for identities of the very resource."""

import base64
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from azure.identity import CertificateCredential, ClientSecretCredential
from cryptography.hazmat.primitives.serialization import pkcs12

from emulator.arm.call import AUDIENCES
from tests.emulator.integration.arm.stage import Stage

CLUSTER = (
    "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.RedHatOpenShift/openShiftClusters/{name}"
)
AUDIENCE = "https://serviceidentity.azure.net/.default"
VERSION = {"api-version": "2024-01-01"}


@pytest.fixture
def identity(stage: Stage, group: str) -> str:
    """Make an identity; return its id."""
    stage.arm.subscriptions.register(stage.world.subscription_id, "Microsoft.ManagedIdentity")
    scope = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"
    name = f"{scope}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/cluster"
    token = stage.owner.get_token(f"{AUDIENCES[1]}/.default").token
    made = httpx.put(
        f"https://management.azure.com{name}",
        json={"location": "eastus"},
        params={"api-version": "2024-11-30"},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert made.status_code == 201
    return name


@pytest.fixture
def cluster(stage: Stage, group: str, identity: str) -> str:
    """Attach the identity to a cluster, as a PUT through ARM does; return the cluster's id."""
    path = CLUSTER.format(subscription=stage.world.subscription_id, group=group, name="one")
    stage.arm.front_door.identities.attach(path, [identity])
    return path


@pytest.fixture
def provider(stage: Stage) -> ClientSecretCredential:
    """Return the credential of the first-party application in the customer's tenant."""
    credential, _ = stage.principal("first party", client_id=stage.world.first_party_client_id)
    return credential


def _ask(
    stage: Stage, cluster: str, credential: ClientSecretCredential | None, *names: str, **query: str
) -> httpx.Response:
    url = httpx.URL(stage.arm.front_door.identities.url(cluster))
    headers = {"Authorization": f"Bearer {credential.get_token(AUDIENCE).token}"} if credential else {}
    return httpx.post(url.copy_merge_params(VERSION | query), json={"identityIds": names}, headers=headers)


def test_without_a_token_it_says_where_to_get_one(stage: Stage, cluster: str, identity: str) -> None:
    """In the tenant of the identity, which is the customer's."""
    reply = _ask(stage, cluster, None, identity)
    tenant_id = stage.world.tenant_id
    assert reply.status_code == 401
    assert reply.headers["WWW-Authenticate"] == f'Bearer authorization="https://login.microsoftonline.com/{tenant_id}"'


def test_the_provider_acts_as_the_identity_with_the_certificate(
    stage: Stage, cluster: str, identity: str, provider: ClientSecretCredential
) -> None:
    """Ids and times are as in Azure; the id may be in any case."""
    reply = _ask(stage, cluster.upper(), provider, identity.upper())
    assert reply.status_code == 200
    (issued,) = reply.json()["explicit_identities"]
    assert issued["resource_id"] == identity
    moments = {name: datetime.fromisoformat(issued[name]) for name in ("not_before", "renew_after", "not_after")}
    assert moments["renew_after"] - moments["not_before"] == timedelta(days=45)
    secret = base64.b64decode(issued["client_secret"])
    certificate = pkcs12.load_key_and_certificates(secret, None)[1]
    assert certificate is not None
    assert abs(certificate.not_valid_after_utc - moments["not_after"]) < timedelta(hours=2)
    options: dict[str, Any] = {"certificate_data": secret, "send_certificate_chain": True}
    with CertificateCredential(issued["tenant_id"], issued["client_id"], **options) as credential:
        token = credential.get_token(f"{AUDIENCES[1]}/.default").token
    principal = stage.directory.authenticate(f"Bearer {token}", AUDIENCES)
    assert (principal.object_id, principal.client_id) == (issued["object_id"], issued["client_id"])
    assert principal.tenant_id == stage.world.tenant_id


def test_others_get_nothing(stage: Stage, cluster: str, identity: str, provider: ClientSecretCredential) -> None:
    """Another application, another resource's address, an identity that is not attached, another version."""
    stranger, _ = stage.principal("stranger")
    other = f"{cluster}-other"
    assert _ask(stage, cluster, stranger, identity).status_code == 403
    assert _ask(stage, other, provider, identity).status_code == 404
    assert _ask(stage, cluster, provider, f"{identity}-other").status_code == 404
    assert _ask(stage, cluster, provider, identity, arpid="forged").status_code == 404
    refused = _ask(stage, cluster, provider, identity, **{"api-version": "2023-01-01"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "BadRequest")
    good = {"Authorization": f"Bearer {provider.get_token(AUDIENCE).token}"}
    url = httpx.URL(stage.arm.front_door.identities.url(cluster)).copy_merge_params(VERSION)
    for body in ("nonsense", "[]", "{}", '{"identityIds": 7}'):
        malformed = httpx.post(url, content=body, headers=good)
        assert (malformed.status_code, malformed.json()["error"]["code"]) == (400, "BadRequest")
    token = provider.get_token(f"{AUDIENCES[1]}/.default").token
    wrong = httpx.post(
        stage.arm.front_door.identities.url(cluster), headers={"Authorization": f"Bearer {token}"}, json={}
    )
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (401, "InvalidAuthenticationTokenAudience")
