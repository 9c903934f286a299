"""The federated credentials of the operators' identities: exactly those that the cluster needs, and none of others."""

import re
from typing import Any

import pytest

from shared.clusters.identities import federated_credentials
from tests.product.unit.activities.calls import DONE, call, error_of, twice
from tests.product.unit.activities.identities.conftest import OPERATORS, Identities, identity
from tests.product.unit.azure_fake import Reply, Request
from tests.product.unit.clusters.identities.role_sets import seeded

ISSUER = "https://eastus.oic.example.com/tenant/doc-1"
SUBJECTS = {role["operatorName"]: role["serviceAccounts"] for role in seeded()["4.19"]["platformWorkloadIdentityRoles"]}
COUNT = sum(map(len, SUBJECTS.values()))


@pytest.fixture
def issued(ready: Identities) -> Identities:
    """Have the cluster's issuer."""
    ready.world.properties["clusterProfile"]["oidcIssuer"] = ISSUER
    return ready


def writes(identities: Identities) -> list[str]:
    """Return the identities that were written to, in order."""
    paths = [
        each.path
        for each in identities.world.azure.calls
        if each.method in ("PUT", "DELETE") and "federated" in each.path
    ]
    return [path.partition("/federated")[0].rpartition("/")[2] for path in paths]


def test_each_service_account_of_each_operator_gets_a_credential(issued: Identities) -> None:
    """A second run finds them, and writes nothing."""
    twice("ensure_federated_credentials")
    assert {operator: issued.azure.subjects(identity(operator)) for operator in OPERATORS} == SUBJECTS
    assert len(writes(issued)) == COUNT == 12
    (ingress,) = issued.azure.federated[identity("ingress").lower()].values()
    assert ingress["properties"] == {
        "issuer": ISSUER,
        "subject": "system:serviceaccount:openshift-ingress-operator:ingress-operator",
        "audiences": ["openshift"],
    }
    assert ingress["name"] == federated_credentials.name("C1", "ingress", ingress["properties"]["subject"])


def test_the_writes_of_one_identity_never_overlap(issued: Identities) -> None:
    """They are sent one after another, each after the answer to the one before."""
    call("ensure_federated_credentials")
    assert writes(issued) == [operator for operator in sorted(OPERATORS) for _ in SUBJECTS[operator]]


def test_without_an_issuer_nothing_is_sent(ready: Identities) -> None:
    """The row before stores it."""
    assert "oidcIssuer is not known yet" in error_of(call("ensure_federated_credentials"))["message"]
    assert ready.world.azure.changes() == []


@pytest.mark.parametrize("at", range(COUNT))
def test_a_run_that_ends_anywhere_is_continued(issued: Identities, at: int) -> None:
    """After each of the writes; nothing is written twice."""

    def before_write(_request: Request) -> Reply | None:
        return (503, {}, {}) if len(writes(issued)) > at else None

    issued.azure.before_write = before_write
    assert call("ensure_federated_credentials")["retryClass"] == "transient"
    issued.azure.before_write = lambda _request: None
    issued.world.azure.calls.clear()
    assert call("ensure_federated_credentials") == DONE
    assert len(writes(issued)) == COUNT - at


@pytest.mark.parametrize(
    ("status", "code", "want"),
    [
        (409, "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity", "busy"),
        (429, "TooManyRequests", "throttled"),
        (403, "AuthorizationFailed", "authorization"),
    ],
)
def test_a_write_that_may_pass_later_is_repeated(issued: Identities, status: int, code: str, want: str) -> None:
    """By the plan: somebody else writes at the same time, Azure is busy, or a role is not known everywhere."""
    issued.azure.before_write = lambda _request: (status, {"error": {"code": code, "message": "Later."}}, {})
    assert call("ensure_federated_credentials")["retryClass"] == want


def test_a_credential_that_the_service_made_under_another_name_is_not_made_again(issued: Identities) -> None:
    """Azure takes the pair of issuer and subject once for an identity."""
    (subject,) = SUBJECTS["ingress"]
    issued.azure.trust(identity("ingress"), "renamed", ISSUER, subject)
    assert call("ensure_federated_credentials") == DONE
    assert list(issued.azure.federated[identity("ingress").lower()]) == ["renamed"]


@pytest.mark.usefixtures("issued")
def test_identities_that_trust_nobody_else_pass() -> None:
    """New ones, and those that an earlier run has written to: a repeated create does not fail on its own."""
    twice("validate_federated_credentials")
    call("ensure_federated_credentials")
    twice("validate_federated_credentials")


@pytest.mark.parametrize(
    ("issuer", "audience"),
    [
        ("https://token.actions.githubusercontent.com", "openshift"),
        (f"{ISSUER}/", "openshift"),
        (ISSUER, "api://AzureADTokenExchange"),
    ],
    ids=["another issuer", "nearly the same issuer", "another audience"],
)
def test_an_identity_that_trusts_somebody_else_is_refused(issued: Identities, issuer: str, audience: str) -> None:
    """With the operator, the credential, and the command that deletes it."""
    issued.azure.trust(identity("ingress"), "theirs", issuer, audience=audience)
    outcome = call("validate_federated_credentials")
    error = error_of(outcome)
    assert (error["code"], outcome["retryClass"]) == ("PlatformWorkloadIdentityContainsInvalidCredential", "none")
    path = "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities"
    assert error["target"] == f'{path}["ingress"].resourceId'
    assert issuer in error["message"]
    command = "az identity federated-credential delete --resource-group ids --identity-name ingress --name 'theirs'"
    assert command in error["message"]


def test_before_there_is_an_issuer_nothing_may_be_trusted(ready: Identities) -> None:
    """All that is there is reported at once."""
    ready.azure.trust(identity("ingress"), "a", ISSUER)
    ready.azure.trust(identity("machine-api"), "b", "")
    error = error_of(call("validate_federated_credentials"))
    codes = [each["code"] for each in error["details"]]
    assert codes.count("PlatformWorkloadIdentityContainsInvalidCredential") == 2


def test_names_have_only_characters_that_azure_takes() -> None:
    """Also those of service accounts with dots."""
    name = federated_credentials.name("my.cluster", "id", "system:serviceaccount:ns:a.b")
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{2,119}", name)


def test_a_delete_removes_what_the_service_made_and_nothing_else(issued: Identities) -> None:
    """Of another issuer, with another audience, or by somebody else: all that stays."""
    call("ensure_federated_credentials")
    issued.azure.trust(identity("ingress"), "other", "https://token.actions.githubusercontent.com")
    issued.azure.trust(identity("ingress"), "audience", ISSUER, audience="api://AzureADTokenExchange")
    issued.azure.trust(identity("machine-api"), "neighbour", f"{ISSUER}0")
    twice("delete_federated_credentials")
    left = {name for federated in issued.azure.federated.values() for name in federated}
    assert left == {"other", "audience", "neighbour"}


def test_identities_that_are_gone_or_closed_do_not_fail_a_delete(
    issued: Identities, caplog: pytest.LogCaptureFixture
) -> None:
    """They are the customer's. What stays is logged, and all others are cleaned up."""
    call("ensure_federated_credentials")
    del issued.azure.known[identity("ingress").lower()]
    issued.azure.refused.add(identity("machine-api").lower())
    assert call("delete_federated_credentials") == DONE
    left = {path.rpartition("/")[2] for path, federated in issued.azure.federated.items() if federated}
    assert left == {"ingress", "machine-api"}
    assert f"federated credentials of {identity('machine-api')} stay" in caplog.text


def _without_issuer(identities: Identities) -> None:
    del identities.world.properties["clusterProfile"]["oidcIssuer"]


def _without_certificate(identities: Identities) -> None:
    identities.world.cluster["secrets"].pop("identity")
    identities.azure.known.clear()


def _without_address(identities: Identities) -> None:
    identities.world.cluster["secrets"].pop("identity")
    del identities.world.cluster["openShiftCluster"]["identity"]["identityURL"]


@pytest.mark.parametrize("lose", [_without_issuer, _without_certificate, _without_address])
def test_a_delete_goes_on_without_what_it_would_need(issued: Identities, lose: Any) -> None:
    """No issuer was published, the cluster identity is gone, or ARM has told no address."""
    lose(issued)
    assert call("delete_federated_credentials") == DONE


def test_a_delete_renews_a_certificate_that_has_ended(issued: Identities) -> None:
    """A cluster may not have been updated for a year."""
    call("ensure_federated_credentials")
    issued.world.cluster["secrets"].pop("identity")
    assert call("delete_federated_credentials") == DONE
    assert issued.world.cluster["secrets"]["identity"].endswith("/doc-1-identity/2")
    assert not any(issued.azure.federated.values())


def test_an_outage_delays_a_delete(issued: Identities) -> None:
    """Nothing is left behind because of one."""
    call("ensure_federated_credentials")
    issued.azure.before_write = lambda _request: (503, {}, {})
    assert call("delete_federated_credentials")["retryClass"] == "transient"
