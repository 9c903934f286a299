"""When a condition changes."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from shared import durations
from shared.cluster_conditions.derivations import Finding, Status, Type
from shared.cluster_conditions.inertia import next_conditions
from shared.settings import AZURES_PACE
from tests.product.unit.cluster_conditions.observations import NOW

if TYPE_CHECKING:
    from shared.documents import Condition, PendingStatus

STEP = durations.CONDITIONS_PERIOD


def finding(status: str = "True", reason: str = "AsExpected", **more: Any) -> Finding:
    """Make a finding of one type."""
    return Finding(Type.AVAILABLE, Status(status), reason, f"{reason}.", **more)


class Shown:
    """The one condition of a cluster, as the findings of its history make it."""

    def __init__(self) -> None:
        self.conditions: list[Condition] = []
        self.pending: dict[str, PendingStatus] = {}
        self.now = NOW

    def see(self, one: Finding, after: timedelta = STEP) -> tuple[str, str, datetime]:
        """Take in a finding; return status, reason and time of the last transition."""
        self.now += after
        self.conditions, self.pending = next_conditions(self.conditions, self.pending, [one], self.now, AZURES_PACE)
        (condition,) = self.conditions
        changed = datetime.fromisoformat(condition["lastTransitionTime"])
        return condition["status"], condition["reason"], changed


def test_the_first_finding_is_shown_at_once() -> None:
    """Nothing could flap yet."""
    assert Shown().see(finding("False", "OperatorUnavailable")) == ("False", "OperatorUnavailable", NOW + STEP)


def test_a_status_is_shown_once_it_has_held_for_two_minutes() -> None:
    """The time of the transition is when it is first shown."""
    shown = Shown()
    shown.see(finding())
    assert shown.see(finding("False", "Bad"), timedelta(minutes=1))[0] == "True"
    assert shown.see(finding("False", "Bad"), timedelta(minutes=1))[0] == "True"
    assert shown.see(finding("False", "Bad"), timedelta(minutes=1)) == ("False", "Bad", shown.now)
    assert shown.pending == {}


def test_what_the_cluster_has_said_for_long_counts_from_then() -> None:
    """But never from the future, which a cluster may name."""
    shown = Shown()
    shown.see(finding())
    assert shown.see(finding("False", "Bad", since=NOW + timedelta(days=9)))[0] == "True"
    shown.see(finding())
    assert shown.see(finding("False", "Bad", since=NOW))[0] == "False"


def test_a_status_that_goes_back_was_never_there() -> None:
    """However often: its two minutes begin again."""
    shown = Shown()
    began = shown.see(finding())[2]
    for _ in range(5):
        assert shown.see(finding("False", "Bad"), timedelta(minutes=1)) == ("True", "AsExpected", began)
        assert shown.see(finding(), timedelta(minutes=1)) == ("True", "AsExpected", began)


def test_another_reason_is_shown_at_once_and_is_not_a_transition() -> None:
    """The time moves with the status alone."""
    shown = Shown()
    began = shown.see(finding("False", "OperatorUnavailable"))[2]
    assert shown.see(finding("False", "ControlPlaneNodesNotReady")) == ("False", "ControlPlaneNodesNotReady", began)


@pytest.mark.parametrize(("after", "want"), [(timedelta(minutes=4), "True"), (timedelta(minutes=5), "Unknown")])
def test_a_cluster_is_unknown_after_five_minutes_without_an_answer(after: timedelta, want: str) -> None:
    """Before, the last answer counts."""
    shown, blind = Shown(), finding("Unknown", "NotReachable", inertia=durations.CONDITION_BLIND)
    shown.see(finding())
    assert shown.see(blind)[0] == "True"
    assert shown.see(blind, after)[0] == want


def test_a_stopped_cluster_is_unknown_at_once() -> None:
    """The service itself has stopped it."""
    shown = Shown()
    shown.see(finding())
    assert shown.see(finding("Unknown", "Stopped", inertia=timedelta()))[:2] == ("Unknown", "Stopped")
