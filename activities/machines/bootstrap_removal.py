"""The end of bootstrapping: removes the bootstrap machine, and the ignition that holds the cluster's keys."""

from typing import Any

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient

from activities.azure import machine_names, storage
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step


def _remove_bootstrap(step: Step) -> Outcome | None:
    """Delete the machine, then its disk, then its network interface: each is in use while the one before exists.

    Each run begins the next deletion, and waits. A second run finds it in progress, or done.

    Source: ARO-RP `pkg/cluster/removebootstrap.go`.
    """
    for what, name, operations in _parts(step):
        try:
            part = operations.get(step.resource_group, name)
        except ResourceNotFoundError:
            continue
        if part.provisioning_state != "Deleting":
            operations.begin_delete(step.resource_group, name, polling=False)
        return wait(f"{what} '{name}' is being deleted")
    return None


def _parts(step: Step) -> list[tuple[str, str, Any]]:
    """Return the remaining parts of the machine in the order of deletion: what it is, its name, its operations."""
    infra_id = step.properties["infraId"]
    name = machine_names.bootstrap(infra_id)
    compute, network = step.customer(ComputeManagementClient), step.customer(NetworkManagementClient)
    return [
        ("virtual machine", name, compute.virtual_machines),
        ("disk", f"{name}_OSDisk", compute.disks),
        ("network interface", machine_names.bootstrap_interface(infra_id), network.network_interfaces),
    ]


def _remove_ignition(step: Step) -> None:
    """Delete the container of the bootstrap ignition, the only thing outside the vault and the graph that holds keys.

    A second run finds it gone, or being deleted.

    Source: ARO-RP `pkg/cluster/removebootstrap.go`, `removeBootstrapIgnition`.
    """
    with storage.blob_service(step, resource_types="c", permissions="d") as blobs:
        step.check_fence()
        try:
            blobs.get_container_client(storage.IGNITION_CONTAINER).delete_container()
        except ResourceNotFoundError:
            return
        except HttpResponseError as error:
            if error.error_code != "ContainerBeingDeleted":  # type: ignore[attr-defined] # azure-storage adds it
                raise


remove_bootstrap = Executor(run=_remove_bootstrap, status=_remove_bootstrap)
remove_bootstrap_ignition = Executor(run=_remove_ignition)
