"""The certificate of the cluster identity: issued by the data plane, kept in the vault, replaced in time."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared import settings
from tests.product.unit.activities.calls import DONE, call, error_of, twice
from tests.product.unit.activities.identities.conftest import Identities
from tests.product.unit.activities.identities.identities_fake import URL
from tests.product.unit.clusters.identities.credentials import CLUSTER_IDENTITY
from tests.product.unit.product_world import CUSTOMER_TENANT


def versions(identities: Identities) -> list[str]:
    """Return what the vault has for the cluster identity."""
    return identities.world.vault("rp-cls").versions.get("doc-1-identity", [])


def ago(**time: float) -> str:
    """Return a time of the past."""
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def test_a_certificate_is_issued_once_and_is_in_the_vault_alone(hosted: Identities) -> None:
    """The whole reply, by a versioned id, with the times for which it is valid."""
    twice("ensure_identity_certificate")
    (stored,) = versions(hosted)
    (element,) = json.loads(stored)["explicit_identities"]
    assert element["resource_id"] == CLUSTER_IDENTITY
    assert hosted.world.cluster["secrets"]["identity"].endswith("/doc-1-identity/1")
    vault = hosted.world.vault("rp-cls")
    assert vault.tags["doc-1-identity"].items() >= {
        ("renew_after", element["renew_after"]),
        ("cannot_renew_after", element["cannot_renew_after"]),
        ("cluster", "doc-1"),
    }
    times = tuple(datetime.fromisoformat(element[name]) for name in ("not_before", "not_after"))
    assert vault.times["doc-1-identity"] == times
    documents = json.dumps([container.writes for container in hosted.world.cosmos.values()])
    assert "PRIVATE KEY" not in documents
    assert len(hosted.azure.issued) == 1


def test_the_data_plane_gets_its_own_parameters_back_and_a_token_for_its_tenant(hosted: Identities) -> None:
    """After it has refused a call without a token, which names the tenant. The audience is a setting."""
    call("ensure_identity_certificate")
    (request,) = hosted.azure.issued
    assert request.query == {"tid": ["tenant"], "arpid": ["a/b"], "api-version": ["2024-01-01"]}
    assert request.json == {"identityIds": [CLUSTER_IDENTITY]}
    assert request.host == "eastus.identity.example.net"
    (login,) = (each for each in hosted.world.azure.calls if each.method == "POST" and "/token" in each.path)
    assert login.path.startswith(f"/{CUSTOMER_TENANT}/"), "the host of the challenge does not count"
    assert "serviceidentity.azure.net" in login.text
    assert settings.load().first_party_client_id in login.text


@pytest.mark.parametrize(
    ("more", "want"),
    [
        ({}, 1),
        ({"renew_after": ago(minutes=1)}, 2),
        ({"renew_after": ago(days=400), "not_after": ago(days=360), "cannot_renew_after": ago(days=1)}, 2),
        ({"resource_id": CLUSTER_IDENTITY.upper()}, 1),
    ],
    ids=["good", "may be renewed", "ended long ago", "the same id in another case"],
)
def test_a_certificate_is_replaced_once_it_may_be_and_not_before(
    hosted: Identities, more: dict[str, Any], want: int
) -> None:
    """Every operation looks."""
    hosted.azure.element = more
    assert call("ensure_identity_certificate") == DONE
    hosted.azure.element = {}
    assert call("ensure_identity_certificate") == DONE
    assert len(versions(hosted)) == want
    assert hosted.world.cluster["secrets"]["identity"].endswith(f"/{want}")


def test_another_cluster_identity_gets_a_certificate_of_its_own(hosted: Identities) -> None:
    """An update may bring one."""
    call("ensure_identity_certificate")
    assigned = hosted.world.cluster["openShiftCluster"]["identity"]["userAssignedIdentities"]
    other = f"{CLUSTER_IDENTITY}-2"
    assigned[other] = assigned.pop(CLUSTER_IDENTITY)
    hosted.azure.known[other.lower()] = "aro-Cluster-2"
    call("ensure_identity_certificate")
    assert len(versions(hosted)) == 2


def test_an_identity_that_does_not_exist_is_named(hosted: Identities) -> None:
    """The customer has deleted it, and can make it again."""
    hosted.azure.known.clear()
    outcome = call("ensure_identity_certificate")
    error = error_of(outcome)
    assert (error["code"], error["target"]) == ("InvalidParameter", "identity.userAssignedIdentities")
    assert CLUSTER_IDENTITY in error["message"]
    assert outcome["retryClass"] == "none"
    assert versions(hosted) == []


@pytest.mark.parametrize(("status", "want"), [(429, "throttled"), (500, "transient"), (503, "transient")])
def test_a_data_plane_that_is_busy_or_away_is_asked_again(hosted: Identities, status: int, want: str) -> None:
    """By the plan."""
    hosted.world.azure.fails("POST", "^/credentials/doc$", status, "Later")
    assert call("ensure_identity_certificate")["retryClass"] == want


def test_a_refusal_of_the_data_plane_is_the_services(hosted: Identities) -> None:
    """No customer can change what the first party may do, and the error says what was answered."""
    hosted.world.azure.fails("POST", "^/credentials/doc$", 403, "Forbidden", "Not this application.")
    error = error_of(call("ensure_identity_certificate"))
    assert "Not this application." in error["message"]
    assert {"code": "Owner", "message": "platform"} in error["details"]


@pytest.mark.parametrize(
    ("member", "value", "want"),
    [
        ("client_secret", "", "has no 'client_secret'"),
        ("renew_after", "soon", "'renew_after' in the reply of the identity data plane is not a time"),
        ("resource_id", "/another", "has issued '/another'"),
    ],
)
def test_a_reply_that_is_not_what_was_asked_for_is_not_kept(
    hosted: Identities, member: str, value: str, want: str
) -> None:
    """The next call would fail with it."""
    hosted.azure.element = {member: value}
    assert want in error_of(call("ensure_identity_certificate"))["message"]
    assert versions(hosted) == []


@pytest.mark.parametrize("url", ["", URL.replace("https", "http")], ids=["none", "not https"])
def test_without_an_address_nothing_is_sent(hosted: Identities, url: str) -> None:
    """Only ARM tells it."""
    hosted.world.cluster["openShiftCluster"]["identity"]["identityURL"] = url
    assert error_of(call("ensure_identity_certificate"))["code"] == "InternalServerError"
    assert hosted.world.azure.changes() == []
