"""How a number of workers is spread over machine sets, and when each has its machines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.arm.errors import CloudError
from shared.json_object import Json
from shared.openshift import machine_sets
from tests.product.unit.openshift.objects import machine

INFRA = "c1-x7k2p"
LABEL = "machine.openshift.io/cluster-api-machineset"


def machine_set(zone: int | str, replicas: int | None = 1, available: int | None = 1, *, seen: int = 2) -> Json:
    """Make a machine set of the workers in its second generation."""
    name = zone if isinstance(zone, str) else f"{INFRA}-worker-eastus{zone}"
    spec = {} if replicas is None else {"replicas": replicas}
    status = {"observedGeneration": seen} | ({} if available is None else {"availableReplicas": available})
    return {"metadata": {"name": name, "generation": 2}, "spec": spec, "status": status}


def of(zone: int, name: str, phase: str, **status: str) -> Json:
    """Make a machine of a machine set."""
    made = machine(name, phase, **status)
    made["metadata"]["labels"] = {LABEL: f"{INFRA}-worker-eastus{zone}"}
    return made


@pytest.mark.parametrize(
    ("current", "total", "want"),
    [
        ((1, 1, 1), 3, (1, 1, 1)),
        ((1, 1, 1), 5, (2, 2, 1)),
        ((2, 2, 1), 2, (0, 1, 1)),
        ((5, 0, 1), 6, (5, 0, 1)),
        ((5, 0, 1), 7, (5, 1, 1)),
        ((5, 0, 1), 4, (3, 0, 1)),
        ((3,), 50, (50,)),
    ],
)
def test_the_largest_set_shrinks_and_the_smallest_grows(
    current: tuple[int, ...], total: int, want: tuple[int, ...]
) -> None:
    """By one machine at a time, until the total is reached."""
    spread = machine_sets.spread({f"set-{number}": size for number, size in enumerate(current)}, total)
    assert tuple(spread.values()) == want


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(2, 50), st.integers(0, 6))
def test_a_change_that_was_interrupted_ends_as_it_would_have(current: list[int], total: int, written: int) -> None:
    """Whichever sets had been written; the total is always reached, and no set both grows and shrinks."""
    before = {f"set-{number}": size for number, size in enumerate(current)}
    after = machine_sets.spread(before, total)
    assert sum(after.values()) == total
    assert len({after[name] > size for name, size in before.items() if after[name] != size}) <= 1
    halfway = before | dict(list(after.items())[:written])
    assert sum(machine_sets.spread(halfway, total).values()) == total
    assert machine_sets.spread(after, total) == after


def test_only_sets_of_the_workers_are_scaled() -> None:
    """Those of the owner and of other clusters' names stay, and so does one that is being deleted."""
    leaving = machine_set(3)
    leaving["metadata"]["deletionTimestamp"] = "2026-03-01T09:00:00Z"
    found = [machine_set(2), machine_set(1), machine_set("gpu"), machine_set(f"{INFRA}-infra-eastus1"), leaving]
    names = [machine_sets.name(one) for one in machine_sets.worker_machine_sets(found, INFRA)]
    assert names == [f"{INFRA}-worker-eastus1", f"{INFRA}-worker-eastus2"]


@pytest.mark.parametrize(
    ("one", "want"),
    [
        (machine_set(1), ""),
        (machine_set(1, None), ""),
        (machine_set(1, 0, None), ""),
        (machine_set(1, seen=1), f"MachineSet '{INFRA}-worker-eastus1' has not seen its change yet"),
        (machine_set(1, 2), f"MachineSet '{INFRA}-worker-eastus1' has 1 of 2 machines"),
        (machine_set(1, 2, None), f"MachineSet '{INFRA}-worker-eastus1' has 0 of 2 machines"),
        (machine_set(1, 1, 2), f"MachineSet '{INFRA}-worker-eastus1' has 2 of 1 machines"),
        (machine_set("gpu", 5, 0, seen=1), ""),
    ],
)
def test_a_set_has_its_machines_when_it_has_seen_the_change_and_all_are_available(one: Json, want: str) -> None:
    """A set that does not say how many asks for one."""
    assert machine_sets.incomplete_sets(INFRA, [], [one]) == want


def test_a_set_without_its_machines_is_explained_by_them() -> None:
    """Machines of other sets explain nothing."""
    machines = [of(1, "w-1", "Provisioning"), of(1, "w-0", "Running"), of(9, "other", "Failed", errorMessage="quota")]
    assert machine_sets.incomplete_sets(INFRA, machines, [machine_set(1, 2)]) == (
        f"MachineSet '{INFRA}-worker-eastus1' has 1 of 2 machines; Machine 'w-1' is Provisioning"
    )


def test_a_machine_that_azure_has_no_quota_for_ends_the_wait() -> None:
    """machine-api does not retry it."""
    failed = of(1, "w-1", "Failed", errorMessage='Code="QuotaExceeded"')
    with pytest.raises(CloudError, match="Machine 'w-1' could not be created") as raised:
        machine_sets.incomplete_sets(INFRA, [failed], [machine_set(1, 2)])
    assert raised.value.code == "QuotaExceeded"
    assert machine_sets.incomplete_sets(INFRA, [failed], [machine_set(1)]) == ""
