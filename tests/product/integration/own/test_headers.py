"""Headers that only ARM or the platform may write change nothing, sent straight to the functions."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests

from tests.entra_azure import API_VERSION, EntraAzure
from tests.local_azure import unique
from tests.patience import PATIENCE_SECONDS, served
from tests.product.integration.own.conftest import Stored
from tests.product.integration.own.stage import prepare
from tests.product.integration.service.inventory import taken

pytestmark = pytest.mark.xdist_group("own-stored")

SOMEBODY = "11111111-1111-4111-8111-111111111111"
FORGED: dict[str, str] = {
    "X-MS-CLIENT-PRINCIPAL": "eyJhdXRoX3R5cCI6ImFhZCIsImNsYWltcyI6W119",
    "X-MS-CLIENT-PRINCIPAL-ID": SOMEBODY,
    "X-MS-CLIENT-PRINCIPAL-NAME": "admin@example.com",
    "X-MS-CLIENT-PRINCIPAL-IDP": "aad",
    "X-MS-TOKEN-AAD-ACCESS-TOKEN": "canary",
    "x-ms-arm-resource-system-data": '{"createdBy":"canary","createdByType":"User","createdAt":"2020-01-01T00:00:00Z"}',
    "x-ms-arm-signed-user-token": "canary",
    "x-ms-arm-service-request-id": SOMEBODY,
    "x-ms-identity-url": "https://canary.example.com/identity",
    "x-ms-identity-principal-id": SOMEBODY,
    "x-ms-home-tenant-id": SOMEBODY,
    "x-ms-client-tenant-id": SOMEBODY,
    "x-ms-client-object-id": SOMEBODY,
    "x-ms-client-principal-id": SOMEBODY,
    "x-ms-client-app-id": SOMEBODY,
    "Referer": "https://canary.example.com/subscriptions/x",
    "Host": "canary.example.com",
    "DISGUISED-HOST": "canary.example.com",
    "X-Forwarded-Host": "canary.example.com",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-For": "127.0.0.1",
    "X-Original-URL": "/sre/healthz/ready",
    "X-WAWS-Unencoded-URL": "/sre/healthz/ready",
    "x-ms-correlation-request-id": SOMEBODY,
}
# What names a request, and so differs from one answer to the next.
OF_REQUEST = ("date", "x-ms-request-id", "x-ms-correlation-request-id", "x-ms-client-request-id")


def _forged(azure: EntraAzure) -> dict[str, str]:
    """Return the headers, with the certificate that ARM shows to every provider."""
    leaf = Path(azure.endpoints["rp_client_cert"]).read_text(encoding="ascii").split("-----")[2]
    return FORGED | {"X-ARR-ClientCert": leaf.replace("\n", ""), "X-SSL-Client-Cert": quote(leaf)}


def _send(azure: EntraAzure, method: str, path: str, headers: Mapping[str, str], **more: Any) -> requests.Response:
    """Send a request to the Functions host itself, past the front end that would replace some of the headers."""
    with requests.Session() as session:
        session.trust_env = False
        address = f"{azure.endpoints['functions']}{path}?api-version={API_VERSION}"
        return served(lambda: session.request(method, address, headers=dict(headers), timeout=PATIENCE_SECONDS, **more))


def _told(answer: requests.Response) -> tuple[int, str, dict[str, str]]:
    """Return what an answer says, except the ids of the request."""
    kept = {name.lower(): value for name, value in answer.headers.items() if name.lower() not in OF_REQUEST}
    return answer.status_code, answer.text, kept


def test_without_a_token_each_forged_header_gets_401(entra_azure: EntraAzure, stored: Stored) -> None:
    """ARM's certificate is public: its leaf signs nobody in, and neither does any other header."""
    cluster = stored.owner.cluster_id
    for name, value in _forged(entra_azure).items():
        for path in (cluster, "/sre/healthz/ready"):
            answer = _send(entra_azure, "GET", path, {name: value})
            assert (answer.status_code, answer.headers["WWW-Authenticate"][:6]) == (401, "Bearer"), name


def test_with_a_token_each_forged_header_changes_nothing(entra_azure: EntraAzure, stored: Stored) -> None:
    """Who calls, what they may do and what they are answered follow from the token and the path alone."""
    reader = entra_azure.user(f"{stored.owner.cluster}-reader")
    entra_azure.assign(reader.object_id, "Reader", stored.owner.group_id, kind="User")
    signed_in = {"Authorization": f"Bearer {reader.token}"}
    cluster = stored.owner.cluster_id
    asked = [("GET", cluster), ("GET", cluster.rpartition("/")[0]), ("POST", f"{cluster}/listCredentials")]
    asked.append(("GET", "/sre/healthz/ready"))
    plain = [_told(_send(entra_azure, *each, signed_in)) for each in asked]
    assert [status for status, _, _ in plain] == [200, 200, 403, 403]
    for name, value in _forged(entra_azure).items():
        assert [_told(_send(entra_azure, *each, signed_in | {name: value})) for each in asked] == plain, name


def test_a_create_with_all_forged_headers_is_the_tokens(entra_azure: EntraAzure, rng: random.Random) -> None:
    """The addresses in the answer are the service's own, and the cluster is marked as made by who signed in."""
    azure, name = entra_azure, unique(rng)
    user = azure.user(name)
    owner = prepare(azure, name, user)
    headers = _forged(azure) | {"Authorization": f"Bearer {user.token}"}
    answer = _send(azure, "PUT", owner.cluster_id, headers, json=owner.body_that_fails())
    assert answer.status_code == 201, answer.text
    assert answer.headers["Azure-AsyncOperation"].startswith(f"{azure.endpoints['service']}/subscriptions/")
    assert "canary" not in answer.text + str(answer.headers)
    assert answer.json()["systemData"]["createdBy"].startswith(f"{name}@")
    assert answer.json()["systemData"]["createdByType"] == "User"
    with taken(azure.state) as inventory:
        (operation,) = inventory.operations(owner)
    assert operation["correlationData"]["correlationId"] != SOMEBODY
