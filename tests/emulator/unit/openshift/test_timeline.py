"""The tables of the timeline are complete, and a cluster takes as long as one in Azure."""

import pytest

from emulator.openshift.boot import timeline
from emulator.openshift.operators import cluster_operators, controllers


@pytest.mark.parametrize("flavour", "ATBC")
def test_every_row_can_come_true(flavour: str) -> None:
    """The rows that it needs are reached before it, and its action exists."""
    reached = {"ignition"}
    rows = list(timeline.rows(flavour))
    while rows:
        ready = [row for row in rows if set(row.needs) <= reached]
        assert ready, [row.name for row in rows]
        reached |= {row.name for row in ready}
        rows = [row for row in rows if row not in ready]
    assert {row.action for row in timeline.rows(flavour) if row.action} <= set(controllers.ACTIONS)


def test_rows_have_names_of_their_own() -> None:
    """No name appears twice in a flavour."""
    for flavour in "ATBC":
        names = [row.name for row in timeline.rows(flavour)]
        assert len(names) == len(set(names))


def _longest(flavour: str, name: str) -> float:
    row = next((row for row in timeline.rows(flavour) if row.name == name), None)
    return 0 if row is None else row.seconds + max(_longest(flavour, need) for need in row.needs)


def test_bootstrapping_and_operators_last_as_in_azure() -> None:
    """Published installs bootstrapped in 1,296 and 1,521 s, and had all operators 661 to 834 s later."""
    to_ports = _longest("C", "machine-config-server") + timeline.APPLY_SECONDS["bootstrap"]
    machine = timeline.FIRMWARE_SECONDS + timeline.APPLY_SECONDS["master"] + timeline.AGENT_SECONDS["master"]
    bootstrap = _longest("C", "bootstrap-complete") - _longest("C", "manifests")
    whole = to_ports + machine + timeline.NODE_SECONDS + bootstrap
    worker = timeline.FIRMWARE_SECONDS + timeline.APPLY_SECONDS["worker"] + timeline.AGENT_SECONDS["worker"]

    assert 641 <= to_ports + machine <= 705 + timeline.FIRMWARE_SECONDS
    assert 1280 <= whole <= 1521
    assert 661 <= _longest("C", "cluster-version") - _longest("C", "bootstrap-complete") <= 834
    assert 5 <= (worker + timeline.NODE_SECONDS) / 60 <= 10


def test_every_operator_with_a_resource_is_one_of_the_release() -> None:
    """There are as many operators as a release has."""
    assert set(cluster_operators.RESOURCES) <= set(timeline.NAMES)
    assert len(timeline.NAMES) >= 30


def test_the_console_shows_the_first_restarts_and_then_ever_fewer() -> None:
    """Otherwise a machine that never boots would push its own first lines off the console."""
    shown = [0]
    while shown[-1] < 10_000:
        shown.append(timeline.next_restart(shown[-1]))

    assert shown[:16] == [*range(13), 24, 48, 96]
    assert len(shown) < 30
