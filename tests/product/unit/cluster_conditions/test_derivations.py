"""What a cluster's conditions are derived from, type by type."""

from datetime import timedelta
from typing import Any

import pytest

from shared.cluster_conditions import facts
from shared.cluster_conditions.calendar import CALENDAR, Entry, Kind
from shared.cluster_conditions.derivations import ESSENTIAL, Expiration, Stop, derive
from shared.cluster_conditions.facts import MachineSet
from shared.settings import AZURES_PACE
from tests.product.unit.cluster_conditions.observations import LONG_AGO, NOW, found, node, operators, well
from tests.product.unit.openshift import objects


def test_a_cluster_that_is_well_is_available() -> None:
    """Its reason says that nothing is unusual."""
    available = found("Available")
    assert (available.status, available.reason) == ("True", "AsExpected")


def test_an_essential_operator_that_is_unavailable_makes_the_cluster_unavailable() -> None:
    """In its own words, since it says so."""
    since = NOW - timedelta(minutes=7)
    etcd = objects.operator("etcd", available="False", since=since)
    available = found("Available", operators=operators(etcd))
    assert (available.status, available.reason) == ("False", "OperatorUnavailable")
    assert available.message == "ClusterOperator 'etcd' is not Available: Why: available?"
    assert available.since == since


def test_an_operator_that_does_not_exist_is_unavailable() -> None:
    """Somebody has deleted it, or it was never made."""
    available = found("Available", operators=[each for each in operators() if each.name != "dns"])
    assert available.message == "ClusterOperator 'dns' does not exist"


def test_an_operator_that_nobody_needs_may_be_unavailable() -> None:
    """It makes the cluster degraded."""
    assert found("Available", operators=operators(objects.operator("insights", available="False"))).status == "True"


@pytest.mark.parametrize(("ready", "want"), [(2, "True"), (1, "False")])
def test_two_masters_are_enough(ready: int, want: str) -> None:
    """With one, etcd has lost its quorum."""
    nodes = [node(f"m-{number}", "True" if number < ready else "Unknown") for number in range(3)]
    available = found("Available", nodes=facts.things([*nodes, node("w-0", master=False)]))
    assert available.status == want
    if want == "False":
        assert available.reason == "ControlPlaneNodesNotReady"
        assert available.message == "1 nodes of the control plane are Ready, and 2 are needed: 'm-1', 'm-2'"


def test_an_api_server_that_is_not_ready_decides_alone() -> None:
    """Whatever else could be read is old."""
    available = found("Available", not_ready="500 Internal Server Error", unread={"nodes": "the same"})
    assert (available.status, available.reason) == ("False", "ApiServerUnreachable")


def test_causes_are_joined_in_the_order_of_their_names_and_are_at_most_five() -> None:
    """So that the same causes always read alike."""
    bad = [objects.operator(name, available="False") for name in reversed(ESSENTIAL)]
    available = found("Available", operators=operators(*bad), nodes=())
    assert available.reason == "ControlPlaneNodesNotReady,OperatorUnavailable"
    assert available.message.count("; ") == 5
    assert available.message.endswith("and 6 more")
    assert available.message.index("'authentication'") < available.message.index("'console'")


def test_what_cannot_be_read_is_unknown() -> None:
    """Only where it is needed, and it says why."""
    available = found("Available", unread={"nodes": "it takes too long"})
    assert (available.status, available.reason) == ("Unknown", "NotReachable")
    assert available.message == "The cluster's nodes cannot be read: it takes too long"
    assert found("Available", unread={"machines": "it takes too long"}).status == "True"


def test_a_stopped_cluster_is_unknown_at_once_and_says_until_when() -> None:
    """Nobody asks it, so nothing is doubtful."""
    findings = derive(well(stop=Stop("Stopped", NOW)), AZURES_PACE)
    always = ("CredentialsExpiring", "NetworkMisconfigured", "StartBefore")
    stopped = [each for each in findings if each.type not in always]
    assert {(each.status, each.reason, each.inertia) for each in stopped} == {("Unknown", "Stopped", timedelta())}
    assert findings[0].message == (
        "The cluster is Stopped, so it is not asked; it has to be started before 2026-03-01 12:00 UTC."
    )


def test_a_strangers_text_is_bounded_and_printed() -> None:
    """An administrator of the cluster writes it, and somebody else reads it in a terminal or a page."""
    text = "a\x1b[31mb\u202e\nc\x00" + "x" * 10_000
    etcd = objects.operator("etcd", available="False", since=LONG_AGO)
    etcd["status"]["conditions"][0] |= {"message": text, "reason": "<b>\u202e"}
    message = found("Available", operators=operators(etcd)).message
    assert message.startswith("ClusterOperator 'etcd' is not Available: a [31mb c x")
    assert len(message) < 400
    assert message.isprintable()


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, {"metadata": []}, {"metadata": {"name": "\x00"}}, {"rows": 1}])
def test_a_stranger_may_answer_anything(junk: object) -> None:
    """It is left out."""
    assert facts.thing(junk) is None
    for pick in (facts.things, facts.machines, facts.machine_sets):
        assert pick([junk]) == []
    assert facts.endings(junk) == []
    assert facts.time(junk) is None


def test_an_operator_that_is_degraded_makes_the_cluster_degraded() -> None:
    """Since it says so; without one, nothing is."""
    since = NOW - timedelta(minutes=7)
    degraded = found("Degraded", operators=operators(objects.operator("storage", degraded="True", since=since)))
    assert (degraded.status, degraded.reason, degraded.since) == ("True", "OperatorDegraded", since)
    assert degraded.message == "ClusterOperator 'storage' is Degraded: Why: degraded?"
    assert (found("Degraded").status, found("Degraded").reason) == ("False", "AsExpected")


@pytest.mark.parametrize(("minutes", "want"), [(9, "False"), (10, "True")])
def test_an_operator_may_be_unavailable_for_ten_minutes(minutes: int, want: str) -> None:
    """It may be rolling out."""
    insights = objects.operator("insights", available="False", since=NOW - timedelta(minutes=minutes))
    assert found("Degraded", operators=operators(insights)).status == want


@pytest.mark.parametrize(("minutes", "want"), [(14, "False"), (15, "True")])
def test_a_node_may_be_away_for_fifteen_minutes(minutes: int, want: str) -> None:
    """It may be restarting."""
    gone = node("w-0", "Unknown", master=False, since=NOW - timedelta(minutes=minutes))
    degraded = found("Degraded", nodes=facts.things([gone]))
    assert (degraded.status, "NodeNotReady" in degraded.reason) == (want, want == "True")


TROUBLES: dict[str, tuple[dict[str, Any], str]] = {
    "the version fails": (
        {"version": facts.thing(objects.made("version", objects.condition("Failing", "True", "Stuck", "etcd")))},
        "ClusterVersionFailing",
    ),
    "a pool is degraded": (
        {"pools": facts.things([objects.made("worker", objects.condition("RenderDegraded", "True"))])},
        "PoolDegraded",
    ),
    "a node is under pressure": (
        {"nodes": facts.things([node("w-0", master=False, DiskPressure="True")])},
        "NodeUnderPressure",
    ),
    "a machine has failed": (
        {"machines": facts.machines([objects.machine("w-9", "Failed", errorMessage="no quota")])},
        "MachineFailed",
    ),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_cluster_is_degraded_when(trouble: str) -> None:
    """Each with a reason of its own."""
    changes, reason = TROUBLES[trouble]
    degraded = found("Degraded", **changes)
    assert (degraded.status, degraded.reason) == ("True", reason)


WORK: dict[str, tuple[dict[str, Any], str]] = {
    "the service changes it": ({"operation": "Updating"}, "OperationRunning"),
    "it upgrades": (
        {"version": facts.thing(objects.made("version", objects.condition("Progressing", "True", "", "4.19: 10%")))},
        "ClusterVersionProgressing",
    ),
    "a pool is rolled out": (
        {"pools": facts.things([objects.made("worker", objects.condition("Updating", "True"))])},
        "PoolUpdating",
    ),
    "machines come": ({"machine_sets": [MachineSet("w", 3, 2)]}, "MachinesChanging"),
}


@pytest.mark.parametrize("work", WORK)
def test_a_cluster_is_progressing_when(work: str) -> None:
    """And is not, when nothing changes it."""
    changes, reason = WORK[work]
    progressing = found("Progressing", **changes)
    assert (progressing.status, progressing.reason) == ("True", reason)
    assert found("Progressing").status == "False"


def test_machines_that_have_not_come_in_an_hour_are_not_awaited() -> None:
    """Otherwise a machine set that Azure has no room for would be at work forever."""
    for minutes, want in ((59, "True"), (60, "False")):
        since = {"w": NOW - timedelta(minutes=minutes)}
        progressing = found("Progressing", machine_sets=[MachineSet("w", 3, 2)], mismatched_since=since)
        assert progressing.status == want


@pytest.mark.parametrize("entry", [entry for entry in CALENDAR if entry.warned_days], ids=lambda entry: entry.name)
def test_what_ends_soon_is_warned_of_as_the_calendar_says(entry: Entry) -> None:
    """With its name, its date, and what to do."""
    for left, want in ((entry.warned_days, "False"), (entry.warned_days - 1, "True"), (-1, "True")):
        ends = Expiration(entry.name, NOW + timedelta(days=left), "which")
        warned = found(entry.kind, expirations=[ends])
        assert warned.status == want
        if want == "True":
            noun = "Certificate" if entry.kind is Kind.CERTIFICATE else "Credential"
            assert warned.reason == f"{noun}{'Expired' if left < 0 else 'Expiring'}"
            verb = "ended" if left < 0 else "ends"
            assert warned.message.startswith(f"The {entry.what} (which) {verb} on {ends.end:%Y-%m-%d %H:%M} UTC. ")
            assert entry.remedy.removesuffix(".") in warned.message


def test_what_the_cluster_renews_itself_is_listed_and_not_warned_of() -> None:
    """It ends every month."""
    ends = Expiration("csr-signer", NOW - timedelta(days=1))
    assert found("CertificatesExpiring", expirations=[ends]).status == "False"


def test_a_principal_that_entra_refuses_is_invalid() -> None:
    """With the command for this cluster."""
    remedies = {"service-principal": "Make another secret with 'az ...'"}
    credentials = found("CredentialsExpiring", refused_principal="AADSTS7000222: expired", remedies=remedies)
    assert (credentials.status, credentials.reason) == ("True", "Invalid")
    assert credentials.message.endswith("AADSTS7000222: expired. Make another secret with 'az ...'")


def test_credentials_are_judged_while_a_cluster_is_stopped() -> None:
    """The next start needs them."""
    seen = {"stop": Stop("Stopped", NOW), "refused_principal": "expired"}
    assert found("CredentialsExpiring", **seen).reason == "Invalid"
    assert found("CertificatesExpiring", **seen).reason == "Stopped"


@pytest.mark.parametrize(
    ("days", "status", "reason"),
    [
        (15, "False", "Stopped"),
        (14, "True", "StartSoon"),
        (4, "True", "StartSoon"),
        (3, "True", "StartNow"),
        (-1, "True", "StartNow"),
    ],
)
def test_a_stop_that_has_to_end_soon_is_said_twice(days: int, status: str, reason: str) -> None:
    """Two weeks and three days ahead; before, the message alone says until when."""
    soon = found("StartBefore", stop=Stop("Stopped", NOW + timedelta(days=days)))
    assert (soon.status, soon.reason) == (status, reason)
    assert "it has to be started before" in soon.message
    assert found("StartBefore").status == "False"


def test_a_webhook_that_blocks_a_start_is_named() -> None:
    """A stop is refused for it, too."""
    possible = found("HibernationPossible", webhooks=["'a.example.org' of 'a' (pods)"])
    assert (possible.status, possible.reason) == ("False", "WebhookBlocksStart")
    assert "'a.example.org' of 'a' (pods)" in possible.message
    assert found("HibernationPossible").status == "True"


def test_what_is_wrong_with_the_network_is_said() -> None:
    """Also while the cluster is stopped; and nothing while Azure does not show it."""
    wrong = [{"reason": "SecurityGroupMissing", "message": "The subnet 'worker' has no security group"}]
    for stop in (None, Stop("Stopped", NOW)):
        network = found("NetworkMisconfigured", network=wrong, stop=stop)
        assert (network.status, network.reason) == ("True", "SecurityGroupMissing")
    assert found("NetworkMisconfigured").status == "False"
    assert found("NetworkMisconfigured", unread={"network": "Azure does not show it"}).status == "Unknown"
