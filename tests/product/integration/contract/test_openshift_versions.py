"""The catalogue of versions over the wire: operators' certificates, ETags, and what customers then see."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.examples import INSTALLER_DIGEST, example
from tests.product.integration.contract.provider import PROVIDER, Provider

VERSIONS = f"/sre{PROVIDER}/openShiftVersions"
# A version that no other test of this session lists.
NAME = "4.18.98"


@pytest.fixture
def entry(provider: Provider) -> Iterator[Any]:
    """Give the example of an entry, not the default; delete the version afterwards."""
    body = example("openShiftVersions/4.19.24.json", INSTALLER_DIGEST=INSTALLER_DIGEST)
    body["properties"] |= {"version": NAME, "default": False}
    yield body
    assert ask(provider, "DELETE").status_code == 204


def ask(provider: Provider, method: str, content: Any = None, name: str = NAME, **headers: str) -> requests.Response:
    """Send a request for a version as an operator."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return provider.send(method, f"{VERSIONS}/{name}", certificate="admin_client", json=content, headers=sent)


def offered(provider: Provider) -> list[str]:
    """Return the versions that customers see."""
    found = provider.send("GET", f"{provider.location}/openShiftVersions").json()["value"]
    return [version["name"] for version in found]


def test_an_operator_adds_disables_and_deletes_a_version(provider: Provider, entry: Any) -> None:
    """Customers see each change at once."""
    created = ask(provider, "PUT", entry, if_none_match="*")
    assert (created.status_code, created.json()["properties"]) == (201, entry["properties"]), created.text
    assert NAME in offered(provider)
    read = ask(provider, "GET")
    assert read.headers["ETag"] == created.headers["ETag"]
    disabled = read.json()
    disabled["properties"]["enabled"] = False
    assert ask(provider, "PUT", disabled, if_match=read.headers["ETag"]).status_code == 200
    assert NAME not in offered(provider)
    assert ask(provider, "PUT", entry, if_match=read.headers["ETag"]).status_code == 412
    listed = provider.send("GET", VERSIONS, certificate="admin_client").json()["value"]
    assert [each["properties"]["enabled"] for each in listed if each["name"] == NAME] == [False]
    assert ask(provider, "DELETE").status_code == 204
    assert ask(provider, "GET").status_code == 404


def test_a_wrong_entry_is_refused_with_every_problem(provider: Provider, entry: Any) -> None:
    """Nothing is written."""
    entry["properties"] |= {"flavour": "Z", "openShiftPullspec": "", "enabeld": True}
    refused = ask(provider, "PUT", entry)
    assert refused.status_code == 400
    assert {detail["target"] for detail in refused.json()["error"]["details"]} == {
        "properties.enabeld",
        "properties.openShiftPullspec",
        "properties.flavour",
    }
    assert ask(provider, "GET").status_code == 404


def test_the_default_is_not_deleted(provider: Provider) -> None:
    """The refusal says what to do first."""
    listed = provider.send("GET", VERSIONS, certificate="admin_client").json()["value"]
    (default,) = (each["name"] for each in listed if each["properties"].get("default"))
    refused = ask(provider, "DELETE", name=default)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "Conflict")
    assert "First put another enabled version" in refused.json()["error"]["message"]


def test_a_version_of_a_running_create_is_not_deleted(provider: Provider, entry: Any) -> None:
    """The create has yet to read the entry."""
    assert ask(provider, "PUT", entry).status_code == 201
    body, correlation_id = provider.body("versioned"), str(uuid.uuid4())
    body["properties"]["clusterProfile"]["version"] = NAME
    # No step of this create gets any further.
    fault = {"service": "arm", "correlation_id": correlation_id, "step": ".+", "count": 1_000_000}
    held = provider.azure.control("POST", "/faults", fault | {"kind": "hold", "delay_seconds": 3600})
    created = provider.send(
        "PUT", provider.cluster("versioned"), json=body, headers={"x-ms-correlation-request-id": correlation_id}
    )
    assert created.status_code == 201
    refused = ask(provider, "DELETE")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "Conflict")
    assert "Clusters are being created with version" in refused.json()["error"]["message"]
    provider.azure.control("DELETE", f"/faults/{held['id']}")
    assert provider.send("DELETE", provider.cluster("versioned")).status_code == 202


@pytest.mark.parametrize("certificate", ["rp_client", "wrong_client"])
def test_only_operators_change_the_catalogue(provider: Provider, certificate: str) -> None:
    """ARM does not, either."""
    for method in ("GET", "PUT", "DELETE"):
        assert provider.send(method, f"{VERSIONS}/{NAME}", certificate=certificate).status_code == 403


def test_readiness_has_codes_for_anybody_and_more_for_operators(provider: Provider) -> None:
    """Both say that nothing is missing."""
    assert provider.send("GET", "/healthz/ready", certificate="wrong_client").json() == {"status": "Ready", "codes": []}
    told = provider.send("GET", "/sre/healthz/ready", certificate="admin_client").json()
    assert told == {"status": "Ready", "problems": [], "unreadableDocuments": []}
