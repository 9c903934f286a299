"""The inventory of a phase has a name that a cluster takes, whatever the phase is called."""

import re

import pytest

from activities.phases.inventory import Inventory
from activities.phases.objects import Cluster


def inventory(phase: str) -> Inventory:
    """Return the inventory of a phase; no cluster is asked."""
    return Inventory(Cluster(None), phase)  # type: ignore[arg-type]  # nothing is sent


def test_a_name_that_a_namespace_can_have_stays_as_it_is() -> None:
    """It is how airshipctl names inventories."""
    assert inventory("agent-2").id == "airshipit-agent-2"
    assert inventory("a" * 53).id == f"airshipit-{'a' * 53}"


@pytest.mark.parametrize("phase", ["kube_apply", "phasePlan", "v1.0", "a" * 54, "b_" * 100 + "b", "9" + "_" * 60 + "9"])
def test_any_other_becomes_one(phase: str) -> None:
    """Readable, within the limit of a namespace, and the same each time."""
    made = inventory(phase).id
    assert re.fullmatch("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", made), made
    assert made.startswith(f"airshipit-{phase[0].lower()}")
    assert made == inventory(phase).id


def test_phases_of_different_names_never_share_an_inventory() -> None:
    """Each would prune what the other applies."""
    names = ["kube-apply", "kube_apply", "Kube_apply", "kube.apply", "a" * 54, "a" * 55]
    assert len({inventory(one).id for one in names}) == len(names)
