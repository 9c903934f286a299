"""One look at a cluster after another: what is read again, and what is stored."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import ServiceRequestError

from shared.cluster_conditions import cluster_check, cluster_reads, expirations, network, principal_secrets
from shared.cluster_conditions.cluster_check import Services
from shared.cluster_conditions.derivations import Expiration, Observation
from shared.cluster_conditions.facts import MachineSet
from shared.settings import parse
from tests.product.unit.cluster_conditions.observations import NOW, well
from tests.product.unit.product_world import ENVIRONMENT, OWN, cluster_document

MINUTE = timedelta(minutes=1)
END = NOW + timedelta(days=100)


class Looks:
    """Looks at one cluster that is well."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: Observation = well()
        self.refusal: Any = ""
        self.problems: Any = []
        self.tried: list[str] = []
        self.reads = 0
        self.now = NOW
        self.environment = ENVIRONMENT | {"TIME_SCALE": "1"}
        self.document = cluster_document(secrets={"request": "request/1"})
        self.stored: Any = None
        monkeypatch.setattr(cluster_reads, "observe", lambda *_arguments: replace(self.seen, at=self.now))
        monkeypatch.setattr(expirations, "read", self._read)
        monkeypatch.setattr(principal_secrets, "refusal", self._refusal)
        monkeypatch.setattr(cluster_check, "provider_reads", lambda *_tenant: None)
        monkeypatch.setattr(network, "problems", self._problems)

    def _problems(self, *_arguments: Any) -> Any:
        if isinstance(self.problems, Exception):
            raise self.problems
        return self.problems

    def _read(self, *_arguments: Any) -> list[Expiration]:
        self.reads += 1
        return [Expiration("user-kubeconfig", END)]

    def _refusal(self, _tenant: str, _client_id: str, secret: str) -> str:
        self.tried.append(secret)
        if isinstance(self.refusal, Exception):
            raise self.refusal
        return str(self.refusal)

    def look(self, after: timedelta = 5 * MINUTE) -> Any:
        """Look again after a while; return what was written, or None."""
        self.now += after
        bundles: Any = SimpleNamespace(get_secret=lambda name: {"clientSecret": name}, get_service_secret=None)
        subscription = {"subscription": {"properties": {"tenantId": "t"}}}
        store: Any = SimpleNamespace(subscriptions=SimpleNamespace(get=lambda _id: subscription))
        services = Services(parse(self.environment), store, bundles, lambda *_asks: [])
        written = cluster_check.check_cluster(self.document, self.stored, self.now, services)
        self.stored = written or self.stored
        return written

    def condition(self, kind: str) -> Any:
        """Return a condition as it is shown."""
        return next(each for each in self.stored["conditions"] if each["type"] == kind)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Look at one cluster."""
    return Looks(monkeypatch)


def test_ends_are_read_once_an_hour(looks: Looks) -> None:
    """And the secret of a principal that works is tried as often."""
    for _ in range(12):
        looks.look()
    assert (looks.reads, looks.tried) == (2, ["request/1"] * 2)
    assert looks.stored["expirations"] == [{"name": "user-kubeconfig", "end": END.isoformat(), "detail": ""}]


def test_nothing_is_written_while_nothing_changes(looks: Looks) -> None:
    """But after an hour."""
    writes = [bool(looks.look()) for _ in range(12)]
    assert writes == [True, *[False] * 9, True, False]


def test_a_secret_that_no_longer_works_is_reported_within_an_hour(looks: Looks) -> None:
    """The second try confirms it; then it is tried each time, so that a new one counts at once."""
    looks.look()
    looks.refusal = "AADSTS7000222: The provided client secret keys are expired."
    began = looks.now
    while looks.condition("CredentialsExpiring")["status"] == "False":
        looks.look()
    assert looks.now - began <= timedelta(hours=1)
    shown = looks.condition("CredentialsExpiring")
    assert shown["reason"] == "Invalid"
    assert "az ad app credential reset --id client-1 --append" in shown["message"]
    assert "az aro update --name C1 --resource-group customer --client-id client-1" in shown["message"]
    looks.refusal = ""
    looks.look()
    looks.look()
    assert looks.condition("CredentialsExpiring")["status"] == "False"


def test_in_ones_own_subscription_the_command_is_its_own(looks: Looks) -> None:
    """`az aro` goes to Azure's service."""
    looks.environment |= OWN
    looks.refusal = "expired"
    looks.look()
    assert (
        "'aroctl update C1 --resource-group customer --new-secret'" in looks.condition("CredentialsExpiring")["message"]
    )


def test_another_secret_is_tried_at_once(looks: Looks) -> None:
    """Whatever is known of the former one."""
    looks.look()
    looks.document["secrets"]["request"] = "request/2"
    looks.look()
    assert looks.tried == ["request/1", "request/2"]


def test_while_entra_is_away_what_is_known_holds(looks: Looks, caplog: pytest.LogCaptureFixture) -> None:
    """A cluster whose principal worked an hour ago is not reported."""
    looks.look()
    looks.refusal = ServiceRequestError("request/1")
    for _ in range(24):
        looks.look()
    assert looks.condition("CredentialsExpiring")["status"] == "False"
    assert "request/1" not in caplog.text


def test_a_cluster_with_workload_identity_has_no_secret_to_try(looks: Looks) -> None:
    """Its identities end nowhere that the service could see."""
    cluster = looks.document["openShiftCluster"]
    del cluster["properties"]["servicePrincipalProfile"]
    cluster["identity"] = {"userAssignedIdentities": {"/id": {}}}
    identities = {"platformWorkloadIdentities": {"ingress": {"resourceId": "/id2"}}}
    cluster["properties"]["platformWorkloadIdentityProfile"] = identities
    looks.look()
    assert looks.tried == []
    assert "principal" not in looks.stored


def test_machines_are_awaited_from_when_they_were_first_missed(looks: Looks) -> None:
    """For an hour; the time is stored, because no machine set has it."""
    looks.seen = well(machine_sets=[MachineSet("w", 3, 2)])
    looks.look()
    assert looks.condition("Progressing")["status"] == "True"
    for _ in range(14):
        looks.look()
    assert looks.condition("Progressing")["status"] == "False"
    assert list(looks.stored["mismatchedSince"]) == ["w"]
    looks.seen = well(machine_sets=[MachineSet("w", 3, 3)])
    looks.look()
    assert looks.stored["mismatchedSince"] == {}


def test_a_console_is_missed_only_where_it_was_reached_before(looks: Looks) -> None:
    """The service may have no way to the router, which says nothing about the cluster."""
    away = well(console="the API server does not answer in time")
    looks.seen = away
    for _ in range(3):
        looks.look()
    assert looks.condition("Available")["status"] == "True"
    looks.seen = well(console_reached=True)
    looks.look()
    looks.seen = away
    for _ in range(2):
        looks.look()
    assert looks.condition("Available")["reason"] == "ConsoleUnreachable"


def test_what_azure_does_not_show_of_the_network_stays_as_it_was(looks: Looks) -> None:
    """Before the first answer, nothing is known."""
    looks.problems = ServiceRequestError("away")
    looks.look()
    assert looks.condition("NetworkMisconfigured")["status"] == "Unknown"
    looks.problems = [{"reason": "SubnetMissing", "message": "gone"}]
    for _ in range(12):
        looks.look()
    assert looks.condition("NetworkMisconfigured")["reason"] == "SubnetMissing"
    looks.problems = ServiceRequestError("away")
    for _ in range(12):
        looks.look()
    assert looks.condition("NetworkMisconfigured")["reason"] == "SubnetMissing"
