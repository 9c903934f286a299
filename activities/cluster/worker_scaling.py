"""Brings the cluster to the number of workers that its customer wants.

machine-api makes and deletes the machines; these rows change the machine sets and wait. A second run finds the total
reached, or the rest of it, and changes no more than that.
"""

from typing import Any

from kubernetes.client import ApiClient

from activities.cluster import cluster_api, cluster_conditions
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters import worker_count
from shared.json_object import Json
from shared.openshift import client, machine_sets, writes
from shared.openshift.client import Read
from shared.openshift.conditions import MACHINES, WORKER_MACHINES, Condition, raise_for_role

_TARGET = "properties.workerProfiles['worker'].count"


def _scale(step: Step) -> Outcome | None:
    """Let the machine sets of the workers ask for the wanted number of machines together, one set after the other.

    Raises:
        CloudError: `InvalidParameter`, for the customer: the cluster has no such machine set.
    """
    return cluster_api.write(step, lambda api: _spread(step, api))


def _spread(step: Step, api: ApiClient) -> None:
    infra_id = step.properties["infraId"]
    sets = machine_sets.worker_machine_sets(client.read(api, machine_sets.MACHINE_SETS), infra_id)
    if not sets:
        raise CloudError(
            400,
            ErrorCode.INVALID_PARAMETER,
            f"The cluster has no MachineSet in '{MACHINES}' whose name begins with '{infra_id}-worker-', so its "
            "workers cannot be scaled from outside. Make one, or scale the cluster's other MachineSets with: oc scale",
            _TARGET,
        )
    step.decide(worker_count.note_begun)
    current = {machine_sets.name(one): machine_sets.replicas(one) for one in sets}
    for name, replicas in machine_sets.spread(current, worker_count.wanted(step.cluster)).items():
        if replicas != current[name]:
            _set_replicas(api, name, replicas)


def _set_replicas(api: ApiClient, name: str, replicas: int) -> None:
    def patch(found: Json) -> Json:
        return {} if machine_sets.replicas(found) == replicas else {"spec": {"replicas": replicas}}

    writes.amend(api, Read("MachineSet", name, MACHINES), patch)


def _scaled(step: Step) -> Outcome | None:
    """Tell whether each machine set of the workers has the machines that it asks for.

    It need not be the number of the request: somebody, or an autoscaler, may have scaled a set since.
    """
    infra_id = step.properties["infraId"]
    row = Condition(
        (WORKER_MACHINES, machine_sets.MACHINE_SETS),
        lambda machines, sets: machine_sets.incomplete_sets(infra_id, machines, sets),
        give_up=raise_for_role,
    )
    return cluster_conditions.poll(step, row, remedy=_make_anew)


def _make_anew(step: Step, api: ApiClient, found: list[Any]) -> bool:
    """Make failed machines again as for a create, but only those of the machine sets that the service scales."""
    machines, sets = found
    ours = machine_sets.machines_of_sets(machines, machine_sets.worker_machine_sets(sets, step.properties["infraId"]))
    return cluster_conditions.make_failed_machines_anew(step, api, [ours])


scale_workers = Executor(run=_scale)
workers_scaled = Executor(status=_scaled)
