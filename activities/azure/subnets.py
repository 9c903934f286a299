"""Prepares the customer's subnets: service endpoints, network security groups, and leave for a private link service.

If the customer brings network security groups (`preconfiguredNSG`), the service attaches and detaches none.

Subnets of one virtual network change one after the other, because ARM refuses a second change while one is in progress.
Each run changes the first subnet that needs it, and waits.
"""

from collections.abc import Sequence
from http import HTTPStatus
from ipaddress import IPv4Network, ip_network

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import NetworkSecurityGroup, ServiceEndpointPropertiesFormat, Subnet

from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode
from shared.arm.resource_id import ResourceId

# The value of `privateLinkServiceNetworkPolicies` if the subnet may have private link services.
_LINKS_ALLOWED = "Disabled"
# The service endpoint of storage accounts in a subnet's own region, which is the cluster's, and that of all regions.
# Azure allows one of the two in a subnet.
_STORAGE, _ALL_STORAGE = "Microsoft.Storage", "Microsoft.Storage.Global"


def _ensure_service_endpoints(step: Step) -> Outcome | None:
    """Give the cluster's subnets the service endpoint of storage; a storage account lets in no subnet without it.

    The endpoints that a subnet has stay. A subnet that has this one is left alone, so a second run changes nothing.

    Raises:
        CloudError: `InvalidLinkedVNet`, for the customer: a subnet is missing.

    Source: ARO-RP `pkg/cluster/ensureendpoints.go`, `ensureServiceEndpoints`.
    """
    for target, subnet_id, _ in wanted_subnets(step):
        subnet = _require(step, subnet_id, target)
        endpoints = subnet.service_endpoints or []
        if not {str(each.service).lower() for each in endpoints} & {_STORAGE.lower(), _ALL_STORAGE.lower()}:
            subnet.service_endpoints = [*endpoints, ServiceEndpointPropertiesFormat(service=_STORAGE, locations=["*"])]
            return _put(step, subnet_id, subnet)
        if subnet.provisioning_state == "Updating":
            return wait(f"subnet {subnet_id.name} is Updating")
    return None


def _attach_nsgs(step: Step) -> Outcome | None:
    """Attach the cluster's network security groups to its subnets, and allow a private link service in the masters'.

    A private link service takes an address in the master subnet, which the subnet's policies would otherwise forbid. A
    subnet that is as it should be is left alone.

    Raises:
        CloudError: `InvalidLinkedVNet`, for the customer: a subnet is missing, or has somebody else's group, or has
            none although the customer brings them.

    Source: ARO-RP `pkg/cluster/attachnsgs.go`, `pkg/cluster/setmastersubnetpolicies.go`.
    """
    master_id = step.properties["masterProfile"]["subnetId"].lower()
    for target, subnet_id, group_id in wanted_subnets(step):
        subnet = _require(step, subnet_id, target)
        attached = attached_group(subnet)
        if problem := group_problem(subnet, group_id):
            raise _invalid(problem, target)
        forbids_links = (
            str(subnet_id).lower() == master_id and subnet.private_link_service_network_policies != _LINKS_ALLOWED
        )
        if not attached or forbids_links:
            if not attached:
                subnet.network_security_group = NetworkSecurityGroup(id=group_id)
            if forbids_links:
                subnet.private_link_service_network_policies = _LINKS_ALLOWED
            return _put(step, subnet_id, subnet)
        if subnet.provisioning_state == "Updating":
            return wait(f"subnet {subnet_id.name} is Updating")
    return None


def _detach_nsgs(step: Step) -> Outcome | None:
    """Detach the cluster's network security groups from every subnet that has one, so that they can be deleted.

    A subnet that is gone, or has another group, is left alone. So is one that we may not read, if the cluster's own
    group is gone or closed to us as well, because there is nothing of ours to delete. If the group is ours to delete,
    the customer has to open a subnet that we may not read, because otherwise the group could not be deleted.

    Source: ARO-RP `pkg/cluster/delete.go`, `deleteNSGs` and `disconnectSecurityGroup`.
    """
    ours = f"{resource_id.parse(step.properties['clusterProfile']['resourceGroupId'])}/".lower()
    groups = _groups(step)
    for subnet_id in subnet_ids(step, groups or ()):
        try:
            subnet = _get(step, subnet_id)
        except HttpResponseError as error:
            if error.status_code != HTTPStatus.FORBIDDEN or groups is not None:
                raise
            continue
        if subnet is None:
            continue
        if attached_group(subnet).lower().startswith(ours):
            subnet.network_security_group = None
            try:
                return _put(step, subnet_id, subnet)
            except ResourceNotFoundError:  # Its owner was faster.
                continue
        if subnet.provisioning_state == "Updating":
            return wait(f"subnet {subnet_id.name} is Updating")
    return None


def brings_groups(step: Step) -> bool:
    """Tell whether the customer attaches network security groups of their own."""
    return (step.properties.get("networkProfile") or {}).get("preconfiguredNSG") == "Enabled"


def group_problem(subnet: Subnet, group_id: str) -> str:
    """Return what is wrong with the group of a subnet, and what to do, or "".

    Args:
        subnet: the subnet.
        group_id: id of the cluster's own group; "" if the customer brings one.
    """
    attached = attached_group(subnet)
    if not group_id and not attached:
        return (
            f"The subnet '{subnet.id}' has no network security group, which the preconfiguredNSG 'Enabled' requires. "
            f"Attach one with: az network vnet subnet update --ids '{subnet.id}' --network-security-group <id>"
        )
    if group_id and attached and attached.lower() != group_id.lower():
        return (
            f"The subnet '{subnet.id}' has the network security group '{attached}'. The cluster attaches its own: "
            f"detach it with: az network vnet subnet update --ids '{subnet.id}' --remove networkSecurityGroup"
        )
    return ""


def wanted_subnets(step: Step) -> list[tuple[str, ResourceId, str]]:
    """Return each subnet: its path in the request, its id, and the id of its group, "" if the customer brings one."""
    group = resource_id.parse(step.properties["clusterProfile"]["resourceGroupId"])
    prefix = f"{group}/providers/Microsoft.Network/networkSecurityGroups/{step.properties.get('infraId', '')}"
    own = "" if brings_groups(step) else prefix
    workers = {profile["subnetId"] for profile in step.properties["workerProfiles"]}
    master = resource_id.parse(step.properties["masterProfile"]["subnetId"])
    return [
        ("properties.masterProfile.subnetId", master, own and f"{own}-controlplane-nsg"),
        *(
            ('properties.workerProfiles["worker"].subnetId', resource_id.parse(subnet_id), own and f"{own}-node-nsg")
            for subnet_id in sorted(workers)
        ),
    ]


def subnet_ids(step: Step, groups: Sequence[NetworkSecurityGroup] = ()) -> list[ResourceId]:
    """Return the subnets of the request, and all others to which somebody attached one of these groups."""
    ids = [step.properties["masterProfile"]["subnetId"]]
    ids += [profile["subnetId"] for profile in step.properties["workerProfiles"]]
    ids += [subnet.id for group in groups for subnet in group.subnets or []]
    return list({one.lower(): resource_id.parse(one) for one in reversed(ids)}.values())[::-1]


def _groups(step: Step) -> list[NetworkSecurityGroup] | None:
    """Return the network security groups in the cluster's group; None if it is gone, or we may not read it."""
    try:
        return list(step.customer(NetworkManagementClient).network_security_groups.list(step.resource_group))
    except HttpResponseError as error:
        if error.status_code not in (HTTPStatus.FORBIDDEN, 404):
            raise
        return None


def _get(step: Step, subnet_id: ResourceId) -> Subnet | None:
    client = step.customer(NetworkManagementClient, subnet_id.subscription_id)
    try:
        return client.subnets.get(subnet_id.resource_group, subnet_id.names[0], subnet_id.names[1])
    except ResourceNotFoundError:
        return None


def _require(step: Step, subnet_id: ResourceId, target: str) -> Subnet:
    subnet = _get(step, subnet_id)
    if subnet is None:
        raise _invalid(f"The subnet '{subnet_id}' was not found.", target)
    return subnet


def _put(step: Step, subnet_id: ResourceId, subnet: Subnet) -> Outcome:
    client = step.customer(NetworkManagementClient, subnet_id.subscription_id)
    network, name = subnet_id.names
    client.subnets.begin_create_or_update(subnet_id.resource_group, network, name, subnet, polling=False)
    return wait(f"subnet {name} is being updated")


def ranges(subnet: Subnet) -> list[IPv4Network]:
    """Return the IPv4 ranges of a subnet."""
    texts = subnet.address_prefixes or ([subnet.address_prefix] if subnet.address_prefix else [])
    networks = [ip_network(prefix) for prefix in texts]
    return [network for network in networks if isinstance(network, IPv4Network)]


def attached_group(subnet: Subnet) -> str:
    """Return the id of a subnet's network security group, or ""."""
    group = subnet.network_security_group
    return str(group.id) if group is not None else ""


def _invalid(message: str, target: str) -> CloudError:
    return CloudError(400, ErrorCode.INVALID_LINKED_VNET, message, target)


ensure_service_endpoints = Executor(run=_ensure_service_endpoints)
attach_nsgs = Executor(run=_attach_nsgs)
detach_nsgs = Executor(run=_detach_nsgs)
