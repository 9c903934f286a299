"""Undoes the first phase: removes what a bootstrap with expired certificates has made, so that it can begin again.

Resources that templates own, and that hold no certificate, stay: group, storage account, load balancers, private
endpoint.
"""

from typing import Any

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.deployments import DeploymentsMgmtClient

from activities.azure import deployments, machine_names, outbound, resource_group, storage
from activities.machines import graph
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument

# The key is removed with what it sealed, the credentials with their signer and the certificates that they name, and the
# link, which has ended, with what it is for.
_BUNDLES = (Purpose.GRAPH_KEY, Purpose.CREDENTIALS, Purpose.ADMIN_SIGNER, Purpose.IGNITION_LINK)


def _remove_expired_machines(step: Step) -> Outcome | None:
    """Remove all that a bootstrap with expired certificates has made, then clear its decisions.

    These are machines, disks, interfaces, addresses, graph and ignition. Each run begins the next deletions of the
    first unfinished stage, and waits. The last stage is one write under the fence, which clears `beginsAgain`: a later
    run finds nothing to do, whatever has been made again by then. Workers are removed too, because a control plane
    makes them long before its bootstrap is reported, and they trust only the old one.
    """
    if not _begins_again(step.document):
        return None
    group = resource_group.find(step)
    if group is not None and resource_group.is_ours(step, group):
        for stage in (deployments.cancel_all, _machines, _disks, _interfaces, _addresses, _histories):
            if outcome := stage(step):
                return outcome
        _blobs(step)
    step.decide(_forget)
    return None


def _machines(step: Step) -> Outcome | None:
    machines = step.customer(ComputeManagementClient).virtual_machines
    return _delete("virtual machine", machines, step, list(machines.list(step.resource_group)))


def _disks(step: Step) -> Outcome | None:
    disks = step.customer(ComputeManagementClient).disks
    return _delete("disk", disks, step, list(disks.list_by_resource_group(step.resource_group)))


def _interfaces(step: Step) -> Outcome | None:
    """Delete the network interfaces of workers. The template made the others, or Azure did for a private link."""
    interfaces, infra_id = step.customer(NetworkManagementClient).network_interfaces, step.properties.get("infraId", "")
    kept = {machine_names.bootstrap_interface(infra_id), *machine_names.master_interfaces(infra_id)}
    found = [
        interface
        for interface in interfaces.list(step.resource_group)
        if interface.name not in kept and not interface.private_link_service and not interface.private_endpoint
    ]
    return _delete("network interface", interfaces, step, found)


def _addresses(step: Step) -> Outcome | None:
    """Delete the public addresses that the old cluster took for its services, first of all the router's."""
    network, infra_id = step.customer(NetworkManagementClient), step.properties.get("infraId", "")
    kept = {f"{infra_id}-pip-v4", *(way["publicIpAddress"] for way in outbound.ways(step.properties))}
    left = [address for address in network.public_ip_addresses.list(step.resource_group) if address.name not in kept]
    used = {str(address.ip_configuration.id).lower() for address in left if address.ip_configuration}
    return (_release(step, used) if used else None) or _delete(
        "public address", network.public_ip_addresses, step, left
    )


def _release(step: Step, used: set[str]) -> Outcome | None:
    """Remove these frontends, with their rules and probes, from the load balancer that has one of them."""
    balancers = step.customer(NetworkManagementClient).load_balancers
    for balancer in balancers.list(step.resource_group):
        frontends, rules = balancer.frontend_ip_configurations or [], balancer.load_balancing_rules or []
        balancer.frontend_ip_configurations = [one for one in frontends if str(one.id).lower() not in used]
        if balancer.frontend_ip_configurations == frontends:
            continue
        balancer.load_balancing_rules = [rule for rule in rules if _id(rule.frontend_ip_configuration) not in used]
        probed = {_id(rule.probe) for rule in balancer.load_balancing_rules}
        balancer.probes = [probe for probe in balancer.probes or [] if str(probe.id).lower() in probed]
        balancers.begin_create_or_update(step.resource_group, str(balancer.name), balancer, polling=False)
        return wait(f"load balancer '{balancer.name}' is being updated")
    return None


def _id(reference: Any) -> str:
    return str(reference.id).lower() if reference is not None else ""


def _delete(what: str, operations: Any, step: Step, found: list[Any]) -> Outcome | None:
    for one in found:
        if one.provisioning_state != "Deleting":
            operations.begin_delete(step.resource_group, one.name, polling=False)
    return wait(f"{what} '{found[0].name}' is being deleted") if found else None


def _histories(step: Step) -> Outcome | None:
    """Delete the records of the deployments, not the resources. Each is then sent again, and fixes what is missing."""
    client = step.customer(DeploymentsMgmtClient).deployments
    ours = [
        deployment
        for deployment in client.list_by_resource_group(step.resource_group)
        if deployments.DIGEST in (deployment.tags or {})
    ]
    for deployment in ours:
        if deployments.state(deployment) != "Deleting":
            client.begin_delete(step.resource_group, str(deployment.name), polling=False)
    return wait(f"the record of deployment '{ours[0].name}' is being deleted") if ours else None


def _blobs(step: Step) -> None:
    """Delete the graph and the ignition that was made from it."""
    try:
        service = storage.blob_service(step, resource_types="o", permissions="d")
    except ResourceNotFoundError:  # There is no storage account yet.
        return
    with service as blobs:
        for container, name in (graph.GRAPH_BLOB, graph.IGNITION_BLOB):
            step.check_fence()
            if not _begins_again(step.newest):
                # Another call has ended the row since, and these blobs may be new.
                return
            try:
                blobs.get_blob_client(container, name).delete_blob()
            except ResourceNotFoundError:
                continue
            except HttpResponseError as error:
                if error.error_code != "ContainerBeingDeleted":  # type: ignore[attr-defined] # azure-storage adds it
                    raise


def _begins_again(document: ClusterDocument) -> bool:
    return bool((document["openShiftCluster"]["properties"].get("install") or {}).get("beginsAgain"))


def _forget(document: ClusterDocument) -> bool:
    if not _begins_again(document):
        return False
    properties = document["openShiftCluster"]["properties"]
    properties.pop("install")
    for purpose in _BUNDLES:
        document.get("secrets", {}).pop(purpose, None)
    return True


remove_expired_machines = Executor(run=_remove_expired_machines, status=_remove_expired_machines)
