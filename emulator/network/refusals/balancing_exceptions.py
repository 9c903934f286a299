"""The errors of load balancers and network interfaces, in Azure's wording."""

from collections.abc import Sequence

from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, documentation, public_output, said

# Load balancers and their parts


@said(MEMORY)
def invalid_port(found: Found) -> ServiceError:
    """Return the error for a port that there is not."""
    member = found.path.rsplit(".", 1)[-1]
    return ServiceError(400, "InvalidPortNumber", f"{member} of {found.id} is {found.value}, which is out of range.")


@said(MEMORY)
def invalid_idle_timeout(found: Found) -> ServiceError:
    """Return the error for an idle timeout that a rule cannot have."""
    return ServiceError(
        400,
        "InvalidIdleTimeout",
        f"IdleTimeoutInMinutes of {found.id} is {found.value}; it must be between 4 and 100.",
    )


@said(MEMORY)
def invalid_probe_count(found: Found) -> ServiceError:
    """Return the error for a number of probes after which nothing could be decided."""
    return ServiceError(
        400,
        "LoadBalancerProbeCountOutOfRange",
        f"Probe {found.id} needs {found.value} answers to decide; it must be between 1 and 100.",
    )


@said(MEMORY)
def no_port(part_id: str, member: str) -> ServiceError:
    """Return the error for port 0, which means all ports, in a rule that is not for all protocols."""
    return ServiceError(400, "InvalidPortNumber", f"{member} of {part_id} is 0, which needs the protocol All.")


@said(MEMORY)
def no_backend_port(rule_id: str) -> ServiceError:
    """Return the error for an inbound NAT rule that does not say to which port it leads."""
    return ServiceError(400, "InboundNatRuleBackendPortRequired", f"Inbound NAT rule {rule_id} has no backend port.")


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
def mixed_frontends(balancer_id: str) -> ServiceError:
    """Return the error for a load balancer with public and internal frontends."""
    return ServiceError(
        400,
        "LoadBalancerFrontendIPConfigurationsMustBeAllPublicOrAllPrivate",
        f"Load balancer {balancer_id} has frontend IP configurations with public IP addresses and others in subnets.",
    )


@said(MEMORY)
def same_frontend_port(first: str, second: str, port: int, protocol: str) -> ServiceError:
    """Return the error for two rules, balancing or inbound NAT, on one port of a frontend.

    Args:
        first: a rule.
        second: the other rule.
        port: the port.
        protocol: the first rule's protocol.
    """
    return ServiceError(
        400,
        "RulesUseSameFrontendPortProtocolAndIPConfig",
        f"Rules {first} and {second} use the same frontend port {port} and protocol {protocol} with the "
        "same frontend IP configuration.",
    )


@said(public_output("https://github.com/MicrosoftDocs/azure-docs/issues/94673"))
def same_backend_port(first: str, second: str, port: int, protocol: str) -> ServiceError:
    """Return the error for two rules that lead to one port of a pool; the arguments are those of the error above."""
    return ServiceError(
        400,
        "RulesUseSameBackendPortProtocolAndPool",
        f"Load balancing rules {first} and {second} use the same backend port {port} and protocol {protocol} with the "
        "same backend address pool.",
    )


@said(MEMORY)
def outbound_on_basic(rule_id: str, balancer_id: str) -> ServiceError:
    """Return the error for an outbound rule of a load balancer of SKU Basic."""
    return ServiceError(
        400,
        "OutboundRulesNotSupportedForBasicSku",
        f"Outbound rule {rule_id} cannot be on load balancer {balancer_id} of sku Basic.",
    )


@said(MEMORY)
def outbound_inside(rule_id: str, frontend_id: str) -> ServiceError:
    """Return the error for an outbound rule on an internal frontend."""
    return ServiceError(
        400,
        "OutboundRuleFrontendMustBePublic",
        f"Outbound rule {rule_id} references frontend IP configuration {frontend_id}, which is in a subnet: only public "
        "frontends lead outside.",
    )


@said(MEMORY)
def snat_beside_outbound(rule_id: str, outbound_id: str) -> ServiceError:
    """Return the error for a rule with SNAT on a frontend that an outbound rule has too."""
    return ServiceError(
        400,
        "LoadBalancingRuleMustDisableSNATSinceSameFrontendIPConfigurationIsReferencedByOutboundRule",
        f"Load balancing rule {rule_id} must disable SNAT since the same frontend IP configuration is referenced by "
        f"outbound rule {outbound_id}.",
    )


@said(documentation("https://learn.microsoft.com/azure/load-balancer/load-balancer-common-deployment-errors"))
def ports_not_of_eight(found: Found) -> ServiceError:
    """Return the error for a number of SNAT ports that Azure does not allocate; the page has the code."""
    return ServiceError(
        400,
        "SpecifiedAllocatedOutboundPortsForOutboundRuleIsNotAMultipleOfEight",
        f"Outbound rule {found.id} has AllocatedOutboundPorts {found.value}, which is not a multiple of 8.",
    )


@said(documentation("https://learn.microsoft.com/azure/load-balancer/load-balancer-common-deployment-errors"))
def too_many_ports(found: Found) -> ServiceError:
    """Return the error for more SNAT ports than an outbound rule can give to a machine; the page has the code."""
    return ServiceError(
        400,
        "SpecifiedAllocatedOutboundPortsForOutboundRuleExceedsTotalNumberOfAllowedPortsPerRule",
        f"Outbound rule {found.id} has AllocatedOutboundPorts {found.value}. A rule can allocate 64000.",
    )


@said(MEMORY)
def all_ports_outside(rule_id: str) -> ServiceError:
    """Return the error for a rule for all protocols on a public frontend."""
    return ServiceError(
        400,
        "LoadBalancingRuleProtocolAllNotSupportedOnPublicFrontend",
        f"Load balancing rule {rule_id} with protocol All must reference a private frontend IP configuration of a "
        "load balancer of sku Standard.",
    )


@said(MEMORY)
def not_all_ports(rule_id: str) -> ServiceError:
    """Return the error for a rule for all protocols that is not for all ports."""
    return ServiceError(
        400,
        "LoadBalancingRuleProtocolAllMustUsePortZero",
        f"Load balancing rule {rule_id} with protocol All must have frontend port 0 and backend port 0.",
    )


@said(MEMORY)
def wrong_port_range(rule_id: str) -> ServiceError:
    """Return the error for the ports of an inbound NAT rule that are no range, or a range beside a single port."""
    return ServiceError(
        400,
        "InboundNatRuleInvalidFrontendPortRange",
        f"Inbound NAT rule {rule_id} must have a backend address pool, FrontendPortRangeStart and an equal or greater "
        "FrontendPortRangeEnd; or a FrontendPort and no range.",
    )


@said(MEMORY)
def address_of_other_sku(balancer_id: str, sku: str, address_id: str, address_sku: str) -> ServiceError:
    """Return the error for a public address whose SKU is not the load balancer's.

    Args:
        balancer_id: the load balancer.
        sku: its SKU.
        address_id: the public address.
        address_sku: the SKU of that.
    """
    return ServiceError(
        400,
        "PublicIPAndLBSkuDoNotMatch",
        f"{sku} sku load balancer {balancer_id} cannot reference {address_sku} sku publicIP {address_id}.",
    )


@said(MEMORY)
def path_needed(probe_id: str, protocol: str) -> ServiceError:
    """Return the error for a probe over HTTP without a path."""
    return ServiceError(
        400,
        "LoadBalancerProbeRequestPathRequired",
        f"RequestPath of probe {probe_id} is required for protocol {protocol}.",
    )


@said(MEMORY)
def path_not_allowed(probe_id: str, path: str) -> ServiceError:
    """Return the error for a probe over TCP with a path."""
    return ServiceError(
        400,
        "LoadBalancerProbeRequestPathNotAllowed",
        f"RequestPath of probe {probe_id} must not be set for protocol Tcp. Value: {path}.",
    )


@said(MEMORY)
def https_on_basic(probe_id: str) -> ServiceError:
    """Return the error for a probe over HTTPS of a load balancer of SKU Basic."""
    return ServiceError(
        400,
        "HttpsProbeNotSupportedForBasicSku",
        f"Probe {probe_id} with protocol Https cannot be on a load balancer of sku Basic.",
    )


@said(MEMORY)
def probes_too_often(found: Found) -> ServiceError:
    """Return the error for a probe that asks more often than every five seconds."""
    return ServiceError(
        400,
        "LoadBalancerProbeIntervalOutOfRange",
        f"IntervalInSeconds of probe {found.id} is {found.value}; the least is 5.",
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
def load_balancer_with_link_service(balancer_id: str, service_id: str) -> ServiceError:
    """Return the error for deleting a load balancer that a private link service uses."""
    return ServiceError(
        400,
        "CannotDeleteLoadBalancerWithPrivateLinkService",
        f"Cannot delete load balancer {balancer_id} since it is referenced by private link service {service_id}. Please "
        "delete private link service prior to deleting load balancer.",
    )


# Interfaces


@said(MEMORY)
def no_configuration(interface_id: str) -> ServiceError:
    """Return the error for an interface without an IP configuration."""
    return ServiceError(
        400,
        "NetworkInterfaceMustHaveIpConfiguration",
        f"Network interface {interface_id} must have at least one IP configuration.",
    )


@said(MEMORY)
def several_primary(interface_id: str) -> ServiceError:
    """Return the error for an interface with two primary IP configurations."""
    return ServiceError(
        400,
        "NetworkInterfaceMultiplePrimaryIpConfigurations",
        f"Network interface {interface_id} has more than one primary IP configuration.",
    )


@said(MEMORY)
def no_subnet(configuration_id: str) -> ServiceError:
    """Return the error for an IP configuration that is in no subnet."""
    return ServiceError(
        400, "SubnetMissingInIpConfiguration", f"IP configuration {configuration_id} does not reference a subnet."
    )


@said(MEMORY)
def several_skus(configuration_id: str, shown: str) -> ServiceError:
    """Return the error for an IP configuration with load balancers or addresses of both SKUs.

    Args:
        configuration_id: the IP configuration.
        shown: the resources, each with its SKU.
    """
    return ServiceError(
        400,
        "DifferentSkuLoadBalancersAndPublicIPAddressNotAllowed",
        "Different basic sku and standard sku load balancer or public Ip resources in IP configuration "
        f"{configuration_id} is not allowed: {shown}.",
    )


@said(MEMORY)
def several_networks(interface_id: str) -> ServiceError:
    """Return the error for an interface in two virtual networks."""
    return ServiceError(
        400,
        "SubnetsNotInSameVnet",
        f"Subnets of all the IP configurations of network interface {interface_id} must be in the same virtual network.",
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
