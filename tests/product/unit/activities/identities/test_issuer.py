"""The issuer of a cluster's tokens: one key forever, and documents that show its public half."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from activities.identities import issuer
from shared.clusters.identities import issuer_documents
from tests.product.unit.activities.calls import DONE, call, error_of, twice
from tests.product.unit.activities.identities.conftest import Identities
from tests.product.unit.blobs_fake import FakeBlobs
from tests.product.unit.key_vault_fake import TOKEN
from tests.product.unit.product_world import CUSTOMER_TENANT

URL = f"https://eastus.oic.example.com/{CUSTOMER_TENANT}/doc-1"
PREFIX = f"$web/{CUSTOMER_TENANT}/doc-1"
DISCOVERY, KEYS = f"{PREFIX}/.well-known/openid-configuration", f"{PREFIX}/openid/v1/jwks"


@pytest.fixture
def website(ready: Identities, monkeypatch: pytest.MonkeyPatch) -> FakeBlobs:
    """Return the blobs of the account, empty."""
    ready.world.azure.on("GET", r"^/metadata/identity/oauth2/token$", lambda _request: (200, TOKEN, {}))
    made = FakeBlobs()
    made.install(monkeypatch)
    return made


def key(identities: Identities) -> Any:
    """Return the private key in the vault, of which there is one version."""
    (stored,) = identities.world.vault("rp-cls").versions["doc-1-signing"]
    return serialization.load_pem_private_key(json.loads(stored)["privateKey"].encode(), password=None)


def test_documents_show_the_key_and_the_cluster_knows_its_issuer(ready: Identities, website: FakeBlobs) -> None:
    """As JSON, at the paths that the discovery document names."""
    assert call("publish_issuer_documents") == DONE
    assert website.blobs.keys() == {DISCOVERY, KEYS}
    assert {each.headers["x-ms-blob-content-type"] for each in website.blobs.values()} == {"application/json"}
    shown = {path: json.loads(each.content) for path, each in website.blobs.items()}
    wanted = issuer_documents.documents(URL, key(ready).public_key())
    assert list(shown.values()) == list(wanted.values())
    assert shown[DISCOVERY]["issuer"] == ready.world.properties["clusterProfile"]["oidcIssuer"] == URL


def test_every_run_shows_the_same_key(ready: Identities, website: FakeBlobs) -> None:
    """A second one would make tokens worthless that the first has signed."""
    twice("publish_issuer_documents")
    first = website.blobs[KEYS].content
    website.blobs.clear()
    ready.world.properties["clusterProfile"].pop("oidcIssuer")
    assert call("publish_issuer_documents") == DONE
    assert website.blobs[KEYS].content == first
    assert key(ready)


def test_the_key_is_in_the_vault_before_anything_shows_it(
    ready: Identities, website: FakeBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends in between is repeated with the same key."""
    with monkeypatch.context() as broken:
        broken.setattr(website, "put", lambda _path, _content, _headers: 403)
        assert call("publish_issuer_documents")["outcome"] == "failed"
    assert website.blobs == {}
    before = key(ready)
    assert call("publish_issuer_documents") == DONE
    assert key(ready).private_numbers() == before.private_numbers()


def test_a_cluster_keeps_its_issuer_when_the_services_address_changes(ready: Identities, website: FakeBlobs) -> None:
    """Its tokens and federated credentials have it letter by letter."""
    former = f"https://former.example.com/{CUSTOMER_TENANT}/doc-1"
    ready.world.properties["clusterProfile"]["oidcIssuer"] = former
    assert call("publish_issuer_documents") == DONE
    assert json.loads(website.blobs[DISCOVERY].content)["issuer"] == former
    assert ready.world.properties["clusterProfile"]["oidcIssuer"] == former


def test_nothing_of_the_key_is_outside_of_the_vault(ready: Identities, website: FakeBlobs) -> None:
    """Neither in documents nor in what everybody can read."""
    call("publish_issuer_documents")
    written = json.dumps([container.writes for container in ready.world.cosmos.values()])
    assert "PRIVATE KEY" not in written + str([each.content for each in website.blobs.values()])


def test_the_key_is_long_and_in_the_form_that_the_api_server_reads() -> None:
    """RSA 4096, PKCS#1."""
    made = issuer._new_key()
    assert made.startswith("-----BEGIN RSA PRIVATE KEY-----")
    parsed = serialization.load_pem_private_key(made.encode(), password=None)
    assert isinstance(parsed, RSAPrivateKey)
    assert parsed.key_size == 4096


def test_a_refusal_of_the_account_is_the_services(
    ready: Identities, website: FakeBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the service's own."""
    monkeypatch.setattr(website, "put", lambda _path, _content, _headers: 403)
    error = error_of(call("publish_issuer_documents"))
    assert {"code": "Owner", "message": "platform"} in error["details"]
    assert "oidcIssuer" not in ready.world.properties["clusterProfile"]


@pytest.mark.usefixtures("ready")
def test_a_delete_removes_the_documents_and_nothing_else(website: FakeBlobs) -> None:
    """Absent ones are fine; other clusters have a prefix of their own."""
    call("publish_issuer_documents")
    other = f"$web/{CUSTOMER_TENANT}/doc-10/openid/v1/jwks"
    website.put(other, b"{}", {})
    twice("delete_issuer_documents")
    assert list(website.blobs) == [other]
