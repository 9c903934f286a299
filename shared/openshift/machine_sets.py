"""The machine sets of a cluster's workers: how many machines each has, and how a total is spread over them. Pure.

The installer makes one for each zone and calls it `<infra id>-worker-<region><zone>`. Sets of the same prefix that a
cluster's owner has added count too; all others are the owner's alone.

Source: ARO-RP `pkg/backend/openshiftcluster/update.go`, of December 2019.
"""

from collections.abc import Iterable, Mapping

from shared.json_object import Json
from shared.openshift.client import Read
from shared.openshift.conditions import MACHINES, machine_missing, raise_for_quota

MACHINE_SETS = Read("MachineSet", namespace=MACHINES)
_OF_SET = "machine.openshift.io/cluster-api-machineset"


def worker_machine_sets(machine_sets: Iterable[Json], infra_id: str) -> list[Json]:
    """Return, by name, the machine sets that the service scales. One that is being deleted is not among them."""
    prefix = f"{infra_id}-worker-"
    ours = (
        one for one in machine_sets if name(one).startswith(prefix) and not one["metadata"].get("deletionTimestamp")
    )
    return sorted(ours, key=name)


def name(machine_set: Json) -> str:
    """Return the name of a machine set."""
    return str(machine_set["metadata"]["name"])


def replicas(machine_set: Json) -> int:
    """Return how many machines a machine set asks for; one that does not say asks for one."""
    asked = (machine_set.get("spec") or {}).get("replicas")
    return 1 if asked is None else int(asked)


def spread(current: Mapping[str, int], total: int) -> dict[str, int]:
    """Return the number of machines of each set, such that they add up to a total.

    The largest set shrinks, or the smallest grows, by one machine until the total is reached. So sets that are already
    even stay even, and a change that was interrupted ends in the same way.

    Args:
        current: number of machines by name of the set, at least one set.
        total: the wanted sum, 0 or more.
    """
    result = dict(sorted(current.items()))
    while sum(result.values()) > total:
        result[max(result, key=result.__getitem__)] -= 1
    while sum(result.values()) < total:
        result[min(result, key=result.__getitem__)] += 1
    return result


def incomplete_sets(infra_id: str, machines: list[Json], machine_sets: list[Json]) -> str:
    """Return which machine sets of the workers do not have the machines that they ask for, and why, or "".

    Args:
        infra_id: the infra id of the cluster.
        machines: the worker machines.
        machine_sets: the machine sets.

    Raises:
        CloudError: `QuotaExceeded`, for the customer: Azure has no more machines of a size.
    """
    sets = worker_machine_sets(machine_sets, infra_id)
    missing = [problem for one in sets if (problem := _missing(one))]
    if not missing:
        return ""
    theirs = machines_of_sets(machines, sets)
    for machine in theirs:
        raise_for_quota(machine)
    return "; ".join([*missing, *(problem for machine in theirs if (problem := machine_missing(machine)))])


def machines_of_sets(machines: Iterable[Json], sets: Iterable[Json]) -> list[Json]:
    """Return the machines that machine sets have made."""
    names = {name(one) for one in sets}
    return [one for one in machines if (one["metadata"].get("labels") or {}).get(_OF_SET) in names]


def _missing(machine_set: Json) -> str:
    status, wanted = machine_set.get("status") or {}, replicas(machine_set)
    if status.get("observedGeneration") != machine_set["metadata"].get("generation"):
        return f"MachineSet '{name(machine_set)}' has not seen its change yet"
    available = int(status.get("availableReplicas") or 0)
    return "" if available == wanted else f"MachineSet '{name(machine_set)}' has {available} of {wanted} machines"
