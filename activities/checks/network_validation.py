"""Checks the customer's virtual network, so that no later deployment fails because of it.

The subnets' `privateLinkServiceNetworkPolicies` is not checked, because `attach_nsgs` sets it before the cluster's
network resources are deployed.
"""

from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from itertools import combinations

from azure.mgmt.network.models import Subnet, VirtualNetwork

from activities.azure import subnets
from activities.checks import linked_resources, route_tables, subnet_states
from activities.runtime.executor import Executor, Outcome, TryAgain
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, summarize
from shared.arm.names import same_location
from shared.azure.sdk_values import text
from shared.release import release_rules
from shared.steps import RetryClass

_LONGEST_PREFIX = 27
# The network's own address, the gateway's, two for DNS, and the broadcast address.
_AZURES_OWN = 5
# One each for internal load balancer, private link service and bootstrap machine, and three for the masters.
_MASTER_ADDRESSES = 6
_AZURE_DNS = IPv4Address("168.63.129.16")
# "This network", loopback, link-local, multicast, reserved and broadcast: no other machine has such an address.
_UNREACHABLE = tuple(
    IPv4Network(prefix) for prefix in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4")
)


@dataclass(frozen=True)
class _Range:
    label: str
    network: IPv4Network


def _validate_network(step: Step) -> Outcome | None:
    """Check region, subnets, address ranges and DNS servers of the virtual network.

    Raises:
        CloudError: `InvalidLinkedVNet`, for the customer, with an entry for each problem.
        TryAgain: if somebody is changing a subnet right now, or if neither the service nor the cluster's principal may
            read the network yet.

    Source: ARO-RP `pkg/validate/dynamic`, `ValidateVnet` and `ValidateSubnets`.
    """
    network = linked_resources.read_network(step)
    found = linked_resources.subnets(step, network)
    ranges = _ranges(step, found)
    problems = [*_location(step, network), *_overlaps(ranges), *_dns_servers(network, ranges)]
    busy = []
    groups = {target: group_id for target, _, group_id in subnets.wanted_subnets(step)}
    problems += route_tables.problems(step, found)
    for target, subnet in found.items():
        if subnet is None:
            problems.append(linked_resources.no_subnet(step, target))
            continue
        problems += [*_attached_group(subnet, target, groups[target]), *_size(step, subnet, target)]
        reasons = [*subnet_states.problems(subnet), *subnet_states.lock_problems(step, subnet)]
        problems += [_invalid(reason, target) for reason in reasons]
        if text(subnet.provisioning_state) == "Updating":
            busy.append(_invalid(f"The subnet '{subnet.id}' is being changed by somebody else.", target))
    if problems:
        raise summarize([*problems, *busy])
    if busy:
        raise TryAgain(summarize(busy), RetryClass.BUSY)
    return _note(network)


def _location(step: Step, network: VirtualNetwork) -> list[CloudError]:
    wanted, actual = step.cluster["location"], str(network.location)
    if network.extended_location is not None:
        return [
            _invalid(
                f"The virtual network '{network.id}' is in the edge zone '{network.extended_location.name}', where "
                "this service makes no machines. Use a virtual network of the region itself."
            )
        ]
    if same_location(actual, wanted):
        return []
    return [
        _invalid(
            f"The virtual network '{network.id}' is in '{actual}', and the cluster would be in '{wanted}'. "
            "Use a virtual network of the cluster's region."
        )
    ]


def _attached_group(subnet: Subnet, target: str, group_id: str) -> list[CloudError]:
    problem = subnets.group_problem(subnet, group_id)
    return [_invalid(problem, target)] if problem else []


def _size(step: Step, subnet: Subnet, target: str) -> list[CloudError]:
    """Check that a subnet is large enough and has enough free addresses for the cluster."""
    prefixes = subnets.ranges(subnet)
    if not any(prefix.prefixlen <= _LONGEST_PREFIX for prefix in prefixes):
        shown = ", ".join(map(str, prefixes)) or "no IPv4 range"
        message = f"The subnet '{subnet.id}' has {shown}. It must be /{_LONGEST_PREFIX} or larger: {_larger(subnet)}"
        return [_invalid(message, target)]
    ours = f"{resource_id.parse(step.properties['clusterProfile']['resourceGroupId'])}/".lower()
    foreign = [each for each in subnet.ip_configurations or [] if not str(each.id).lower().startswith(ours)]
    free = sum(max(0, prefix.num_addresses - _AZURES_OWN) for prefix in prefixes) - len(foreign)
    needed = _addresses(step, target)
    if free >= needed:
        return []
    return [
        _invalid(
            f"The subnet '{subnet.id}' has {max(0, free)} free addresses for the cluster, which needs {needed} there: "
            f"{len(foreign)} are in use by others. Use an empty subnet, or {_larger(subnet)}",
            target,
        )
    ]


def _larger(subnet: Subnet) -> str:
    return f"give it a larger range with: az network vnet subnet update --ids '{subnet.id}' --address-prefixes <range>"


def _addresses(step: Step, target: str) -> int:
    """Return how many addresses the cluster needs in a subnet, for machines, load balancers and private link."""
    if target == "properties.masterProfile.subnetId":
        return _MASTER_ADDRESSES
    ingress = [each for each in step.properties.get("ingressProfiles") or [] if each.get("visibility") == "Private"]
    return sum(profile.get("count") or 0 for profile in step.properties["workerProfiles"]) + len(ingress)


def _ranges(step: Step, found: dict[str, Subnet | None]) -> list[_Range]:
    """Return all ranges of the cluster. The installer refuses overlaps with OVN-Kubernetes' own only from 4.19 on."""
    profile = step.properties.get("networkProfile") or {}
    ranges = [
        _Range(f"subnet '{subnet.name}'", prefix)
        for subnet in found.values()
        if subnet is not None
        for prefix in subnets.ranges(subnet)
    ]
    named = {"pod range": profile.get("podCidr"), "service range": profile.get("serviceCidr")}
    ranges += [_Range(label, IPv4Network(cidr, strict=False)) for label, cidr in named.items() if cidr]
    own = release_rules.cluster_network_ranges(step.properties["clusterProfile"]["version"])
    return ranges + [_Range(f"OVN-Kubernetes {use}", network) for use, network in own.items()]


def _overlaps(ranges: list[_Range]) -> list[CloudError]:
    return [
        _invalid(
            f"The {first.label} ({first.network}) overlaps the {second.label} ({second.network}). "
            "Subnets, pods and services of a cluster need ranges of their own."
        )
        for first, second in combinations(ranges, 2)
        if first.network.overlaps(second.network)
    ]


def _servers(network: VirtualNetwork) -> list[str]:
    options = network.dhcp_options
    return list(options.dns_servers or []) if options is not None else []


def _dns_servers(network: VirtualNetwork, ranges: list[_Range]) -> list[CloudError]:
    """Return a problem for each custom DNS server that cannot answer. If there are none, Azure's own servers answer."""
    return [
        _invalid(
            f"The virtual network '{network.id}' has the DNS server '{server}', {reason}. Give it a server that the "
            f"machines reach, or none, with: az network vnet update --ids '{network.id}' --dns-servers ''"
        )
        for server in _servers(network)
        if (reason := _unusable(server, ranges))
    ]


def _unusable(server: str, ranges: list[_Range]) -> str:
    """Return why the cluster's machines can never get an answer from a DNS server, or "" if they might."""
    try:
        address = IPv4Address(server)
    except AddressValueError:
        return "which is not an IPv4 address"
    if any(address in network for network in _UNREACHABLE):
        return "which no machine can reach at that address"
    inside = next((each for each in ranges if address in each.network), None)
    return f"which lies in the {inside.label} ({inside.network}) of the cluster itself" if inside else ""


def _note(network: VirtualNetwork) -> Outcome | None:
    """Return a note that custom DNS servers must forward: only Azure's servers know the names of the private zone."""
    custom = [server for server in _servers(network) if IPv4Address(server) != _AZURE_DNS]
    if not custom:
        return None
    return {
        "outcome": "done",
        "message": f"The virtual network has its own DNS servers ({', '.join(custom)}): they must forward unknown "
        f"names to Azure DNS ({_AZURE_DNS}), or the machines cannot find each other.",
    }


def _invalid(message: str, target: str = "") -> CloudError:
    return CloudError(400, ErrorCode.INVALID_LINKED_VNET, message, target)


validate_network = Executor(run=_validate_network)
