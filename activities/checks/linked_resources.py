"""The customer's resources that a cluster refers to: network, subnets and what they use, disk encryption sets."""

from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import assert_never

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import Subnet, VirtualNetwork

from activities.azure.cluster_principal import Connect, read_as_either
from activities.azure.subnets import attached_group, brings_groups
from activities.runtime.executor import TryAgain
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, Owner, summarize
from shared.arm.resource_id import ResourceId
from shared.clusters.identities.cluster_credential import Credential, ServicePrincipal, WorkloadIdentity
from shared.steps import RetryClass


@dataclass(frozen=True)
class Kind:
    """A kind of linked resource.

    Attributes:
        label: its name for people.
        missing: the error code if it does not exist.
    """

    label: str
    missing: ErrorCode


NETWORK = Kind("virtual network", ErrorCode.INVALID_LINKED_VNET)
ROUTE_TABLE = Kind("route table", ErrorCode.INVALID_LINKED_ROUTE_TABLE)
NAT_GATEWAY = Kind("NAT gateway", ErrorCode.INVALID_LINKED_NAT_GATEWAY)
# As ARO-RP, which has no code of its own for them.
SECURITY_GROUP = Kind("network security group", ErrorCode.INVALID_LINKED_VNET)
ENCRYPTION_SET = Kind("disk encryption set", ErrorCode.INVALID_LINKED_DISK_ENCRYPTION_SET)


@dataclass(frozen=True)
class Linked:
    """One linked resource: its kind, its id, and the path of the request that refers to it."""

    kind: Kind
    id: ResourceId
    target: str = ""

    def not_found(self) -> CloudError:
        """Build the error for a resource that does not exist. All checks build the same one, so it is reported once."""
        return CloudError(
            400,
            self.kind.missing,
            f"The {self.kind.label} '{self.id}' was not found. Create it, or correct the id.",
            self.target,
        )

    def unreadable(self, credential: Credential) -> CloudError:
        """Build the error for a resource that neither the service nor the cluster may read.

        Args:
            credential: the cluster's credential, with which the service may have tried.
        """
        match credential:
            case ServicePrincipal():
                who = "Neither the resource provider nor the service principal may"
            case WorkloadIdentity():
                who = "The resource provider may not"
            case _:
                assert_never(credential)
        return CloudError(
            400,
            ErrorCode.INVALID_RESOURCE_PROVIDER_PERMISSIONS,
            f"{who} read the {self.kind.label} '{self.id}', so it was not checked.",
            self.target,
            owner=Owner.CUSTOMER,
        )


def network(step: Step) -> Linked:
    """Return the one virtual network of all subnets."""
    return Linked(NETWORK, resource_id.parse(step.properties["masterProfile"]["subnetId"]).parent)


def subnet_ids(step: Step) -> dict[str, ResourceId]:
    """Return the subnets by their path in the request, the masters' first."""
    ids = {"properties.masterProfile.subnetId": step.properties["masterProfile"]["subnetId"]}
    ids |= {
        f'properties.workerProfiles["{profile["name"]}"].subnetId': profile["subnetId"]
        for profile in step.properties["workerProfiles"]
    }
    return {target: resource_id.parse(text) for target, text in ids.items()}


def encryption_sets(step: Step) -> list[Linked]:
    """Return the disk encryption sets, each once."""
    ids = {"properties.masterProfile.diskEncryptionSetId": step.properties["masterProfile"].get("diskEncryptionSetId")}
    ids |= {
        f'properties.workerProfiles["{profile["name"]}"].diskEncryptionSetId': profile.get("diskEncryptionSetId")
        for profile in step.properties["workerProfiles"]
    }
    return _unique([Linked(ENCRYPTION_SET, resource_id.parse(text), target) for target, text in ids.items() if text])


def get_network(step: Step, connect: Connect) -> VirtualNetwork | None:
    """Return the virtual network with its subnets, or None."""
    wanted = network(step)
    networks = connect(NetworkManagementClient).virtual_networks
    try:
        found: VirtualNetwork = networks.get(wanted.id.resource_group, wanted.id.name)
    except ResourceNotFoundError:
        return None
    return found


def read_network(step: Step) -> VirtualNetwork:
    """Return the virtual network with its subnets, read as the service or as the cluster.

    Raises:
        CloudError: `InvalidLinkedVNet`, for the customer: there is no such network.
        TryAgain: neither the service nor the cluster's principal may read it yet.
    """
    try:
        found = read_as_either(step, partial(get_network, step))
    except HttpResponseError as error:
        if error.status_code != HTTPStatus.FORBIDDEN:
            raise
        raise TryAgain(summarize([network(step).unreadable(step.credential)]), RetryClass.AUTHORIZATION) from error
    if found is None:
        raise summarize([network(step).not_found()])
    return found


def no_subnet(step: Step, target: str) -> CloudError:
    """Build the error for a subnet that the network does not have.

    Args:
        step: the step, for its cluster.
        target: its path in the request.
    """
    message = f"The subnet '{subnet_ids(step)[target]}' was not found. Create it, or correct the id."
    return CloudError(400, ErrorCode.INVALID_LINKED_VNET, message, target)


def subnets(step: Step, found: VirtualNetwork) -> dict[str, Subnet | None]:
    """Return the cluster's subnets as their network has them, by their path in the request."""
    known = {str(subnet.name).lower(): subnet for subnet in found.subnets or []}
    return {target: known.get(identifier.name.lower()) for target, identifier in subnet_ids(step).items()}


def attached_resources(step: Step, found: VirtualNetwork) -> list[Linked]:
    """Return the route tables, NAT gateways and the customer's security groups of the cluster's subnets, each once."""
    linked = []
    for target, subnet in subnets(step, found).items():
        if subnet is not None and brings_groups(step) and (group := attached_group(subnet)):
            linked.append(Linked(SECURITY_GROUP, resource_id.parse(group), target))
        if subnet is not None and subnet.route_table is not None:
            linked.append(Linked(ROUTE_TABLE, resource_id.parse(str(subnet.route_table.id)), target))
        if subnet is not None and subnet.nat_gateway is not None:
            linked.append(Linked(NAT_GATEWAY, resource_id.parse(str(subnet.nat_gateway.id)), target))
    return _unique(linked)


def _unique(linked: list[Linked]) -> list[Linked]:
    return list({each.id.key: each for each in reversed(linked)}.values())[::-1]
