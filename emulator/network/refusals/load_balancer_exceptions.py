"""The errors of load balancers and network interfaces, in Azure's wording."""

from collections.abc import Sequence

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY

# Load balancers and their parts

# fmt: off
IN_USE_PART = Refusal(400, "InUse{kind}CannotBeDeleted", MEMORY,
    "{kind} {identifier} is in use by {holders:, } and cannot be deleted.")
LOAD_BALANCER_WITH_LINK_SERVICE = Refusal(400, "CannotDeleteLoadBalancerWithPrivateLinkService", MEMORY,
    "Cannot delete load balancer {balancer_id} since it is referenced by private link service {service_id}. Please "
    "delete private link service prior to deleting load balancer.")

# Interfaces
NO_CONFIGURATION = Refusal(400, "NetworkInterfaceMustHaveIpConfiguration", MEMORY,
    "Network interface {interface_id} must have at least one IP configuration.")
NO_SUBNET = Refusal(400, "SubnetMissingInIpConfiguration", MEMORY,
    "IP configuration {configuration_id} does not reference a subnet.")
IN_USE_INTERFACE = Refusal(400, "NicInUse", MEMORY,
    "Network Interface {identifier} is used by existing resource {holders[0]}. In order to delete the network interface, "
    "it must be dissociated from the resource. To learn more, see aka.ms/deletenic.")
OWNED_INTERFACE = Refusal(400, "NicInUseWith{kind}", MEMORY,
    "Network interface {interface_id} is currently in use with {owner} and can be neither changed nor deleted on its own.")
# fmt: on


def in_use_part(identifier: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for removing a part of a load balancer that interfaces or private link services refer to."""
    kind = identifier.rsplit("/", 2)[-2]
    return IN_USE_PART(kind=kind[0].upper() + kind[1:].removesuffix("s"), identifier=identifier, holders=holders)


def owned_interface(interface_id: str, owner: str) -> ServiceError:
    """Return the error for changing or deleting the interface of a private endpoint or private link service."""
    kind = "PrivateEndpoint" if "/privateendpoints/" in owner.lower() else "PrivateLinkService"
    return OWNED_INTERFACE(kind=kind, interface_id=interface_id, owner=owner)
