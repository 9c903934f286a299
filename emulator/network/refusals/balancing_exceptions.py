"""The errors of load balancers and network interfaces, in Azure's wording."""

from collections.abc import Sequence

from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, documentation, public_output, said

# Load balancers and their parts


@said(MEMORY)
def invalid_port(found: Found) -> ServiceError:
    """Return the error for a port that does not exist."""
    member = found.path.rsplit(".", 1)[-1]
    return ServiceError(400, "InvalidPortNumber", f"{member} of {found.id} is {found.value}, which is out of range.")


# fmt: off
INVALID_IDLE_TIMEOUT = Refusal(400, "InvalidIdleTimeout", MEMORY,
    "IdleTimeoutInMinutes of {found.id} is {found.value}; it must be between 4 and 100.")
INVALID_PROBE_COUNT = Refusal(400, "LoadBalancerProbeCountOutOfRange", MEMORY,
    "Probe {found.id} needs {found.value} answers to decide; it must be between 1 and 100.")
NO_PORT = Refusal(400, "InvalidPortNumber", MEMORY, "{member} of {part_id} is 0, which needs the protocol All.")
NO_BACKEND_PORT = Refusal(400, "InboundNatRuleBackendPortRequired", MEMORY,
    "Inbound NAT rule {rule_id} has no backend port.")
MIXED_FRONTENDS = Refusal(400, "LoadBalancerFrontendIPConfigurationsMustBeAllPublicOrAllPrivate", MEMORY,
    "Load balancer {balancer_id} has frontend IP configurations with public IP addresses and others in subnets.")
SAME_FRONTEND_PORT = Refusal(400, "RulesUseSameFrontendPortProtocolAndIPConfig", MEMORY,
    "Rules {first} and {second} use the same frontend port {port} and protocol {protocol} with the same frontend IP "
    "configuration.")
SAME_BACKEND_PORT = Refusal(400, "RulesUseSameBackendPortProtocolAndPool",
    public_output("https://github.com/MicrosoftDocs/azure-docs/issues/94673"),
    "Load balancing rules {first} and {second} use the same backend port {port} and protocol {protocol} with the same "
    "backend address pool.")
OUTBOUND_ON_BASIC = Refusal(400, "OutboundRulesNotSupportedForBasicSku", MEMORY,
    "Outbound rule {rule_id} cannot be on load balancer {balancer_id} of sku Basic.")
OUTBOUND_INSIDE = Refusal(400, "OutboundRuleFrontendMustBePublic", MEMORY,
    "Outbound rule {rule_id} references frontend IP configuration {frontend_id}, which is in a subnet: only public "
    "frontends lead outside.")
SNAT_BESIDE_OUTBOUND = Refusal(400,
    "LoadBalancingRuleMustDisableSNATSinceSameFrontendIPConfigurationIsReferencedByOutboundRule",
    MEMORY,
    "Load balancing rule {rule_id} must disable SNAT since the same frontend IP configuration is referenced by "
    "outbound rule {outbound_id}.")
PORTS_NOT_OF_EIGHT = Refusal(400, "SpecifiedAllocatedOutboundPortsForOutboundRuleIsNotAMultipleOfEight",
    documentation("https://learn.microsoft.com/azure/load-balancer/load-balancer-common-deployment-errors"),
    "Outbound rule {found.id} has AllocatedOutboundPorts {found.value}, which is not a multiple of 8.")
TOO_MANY_PORTS = Refusal(400, "SpecifiedAllocatedOutboundPortsForOutboundRuleExceedsTotalNumberOfAllowedPortsPerRule",
    documentation("https://learn.microsoft.com/azure/load-balancer/load-balancer-common-deployment-errors"),
    "Outbound rule {found.id} has AllocatedOutboundPorts {found.value}. A rule can allocate 64000.")
ALL_PORTS_OUTSIDE = Refusal(400, "LoadBalancingRuleProtocolAllNotSupportedOnPublicFrontend", MEMORY,
    "Load balancing rule {rule_id} with protocol All must reference a private frontend IP configuration of a load "
    "balancer of sku Standard.")
NOT_ALL_PORTS = Refusal(400, "LoadBalancingRuleProtocolAllMustUsePortZero", MEMORY,
    "Load balancing rule {rule_id} with protocol All must have frontend port 0 and backend port 0.")
WRONG_PORT_RANGE = Refusal(400, "InboundNatRuleInvalidFrontendPortRange", MEMORY,
    "Inbound NAT rule {rule_id} must have a backend address pool, FrontendPortRangeStart and an equal or greater "
    "FrontendPortRangeEnd; or a FrontendPort and no range.")
ADDRESS_OF_OTHER_SKU = Refusal(400, "PublicIPAndLBSkuDoNotMatch", MEMORY,
    "{sku} sku load balancer {balancer_id} cannot reference {address_sku} sku publicIP {address_id}.")
PATH_NEEDED = Refusal(400, "LoadBalancerProbeRequestPathRequired", MEMORY,
    "RequestPath of probe {probe_id} is required for protocol {protocol}.")
PATH_NOT_ALLOWED = Refusal(400, "LoadBalancerProbeRequestPathNotAllowed", MEMORY,
    "RequestPath of probe {probe_id} must not be set for protocol Tcp. Value: {path}.")
HTTPS_ON_BASIC = Refusal(400, "HttpsProbeNotSupportedForBasicSku", MEMORY,
    "Probe {probe_id} with protocol Https cannot be on a load balancer of sku Basic.")
PROBES_TOO_OFTEN = Refusal(400, "LoadBalancerProbeIntervalOutOfRange", MEMORY,
    "IntervalInSeconds of probe {found.id} is {found.value}; the least is 5.")
LOAD_BALANCER_WITH_LINK_SERVICE = Refusal(400, "CannotDeleteLoadBalancerWithPrivateLinkService", MEMORY,
    "Cannot delete load balancer {balancer_id} since it is referenced by private link service {service_id}. Please "
    "delete private link service prior to deleting load balancer.")

# Interfaces
NO_CONFIGURATION = Refusal(400, "NetworkInterfaceMustHaveIpConfiguration", MEMORY,
    "Network interface {interface_id} must have at least one IP configuration.")
SEVERAL_PRIMARY = Refusal(400, "NetworkInterfaceMultiplePrimaryIpConfigurations", MEMORY,
    "Network interface {interface_id} has more than one primary IP configuration.")
NO_SUBNET = Refusal(400, "SubnetMissingInIpConfiguration", MEMORY,
    "IP configuration {configuration_id} does not reference a subnet.")
SEVERAL_SKUS = Refusal(400, "DifferentSkuLoadBalancersAndPublicIPAddressNotAllowed", MEMORY,
    "Different basic sku and standard sku load balancer or public Ip resources in IP configuration {configuration_id} "
    "is not allowed: {shown}.")
SEVERAL_NETWORKS = Refusal(400, "SubnetsNotInSameVnet", MEMORY,
    "Subnets of all the IP configurations of network interface {interface_id} must be in the same virtual network.")
# fmt: on


@said(MEMORY)
def wrong_ends(frontend_id: str, ends: Sequence[str]) -> ServiceError:
    """Return the error for a frontend without an address, or with two.

    Args:
        frontend_id: the frontend.
        ends: the members that give it an address.
    """
    return ServiceError(
        400,
        "FrontendIPConfigurationMustHaveEitherSubnetOrPublicIPAddress",
        f"Frontend IP configuration {frontend_id} must reference either a subnet or a public IP address, and not both. "
        f"It references: {', '.join(ends) or 'none'}.",
    )


@said(MEMORY)
def in_use_part(part_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for removing a part of a load balancer that interfaces or private link services refer to."""
    kind = part_id.rsplit("/", 2)[-2]
    kind = kind[0].upper() + kind[1:].removesuffix("s")
    return ServiceError(
        400,
        f"InUse{kind}CannotBeDeleted",
        f"{kind} {part_id} is in use by {', '.join(holders)} and cannot be deleted.",
    )


@said(MEMORY)
def in_use_interface(interface_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting an interface that a machine has."""
    return ServiceError(
        400,
        "NicInUse",
        f"Network Interface {interface_id} is used by existing resource {holders[0]}. In order to delete the network "
        "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.",
    )


@said(MEMORY)
def owned_interface(interface_id: str, owner: str) -> ServiceError:
    """Return the error for changing or deleting the interface of a private endpoint or private link service."""
    kind = "PrivateEndpoint" if "/privateendpoints/" in owner.lower() else "PrivateLinkService"
    return ServiceError(
        400,
        f"NicInUseWith{kind}",
        f"Network interface {interface_id} is currently in use with {owner} and can be neither changed nor deleted on "
        "its own.",
    )
