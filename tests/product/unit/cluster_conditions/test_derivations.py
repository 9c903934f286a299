"""What a cluster's conditions are derived from, type by type."""

from datetime import timedelta

import pytest

from shared.cluster_conditions import facts
from shared.cluster_conditions.derivations import ESSENTIAL, Stop, derive
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
        assert available.message == "1 nodes of the control plane are Ready: 'm-1', 'm-2'"


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
    findings = derive(well(stop=Stop(NOW)))
    assert {(each.status, each.reason, each.inertia) for each in findings} == {("Unknown", "Stopped", timedelta())}
    assert "before 2026-03-01 12:00 UTC" in findings[0].message


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
