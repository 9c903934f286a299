"""Static rules of the network profile and of addresses. They never look at Azure.

Each check takes the value of a member, the facts of the request and the JSON path of the member, and yields an error
for each violation. Its docstring states the rule.

Source: ARO-RP `pkg/api/v20250725/openshiftcluster_validatestatic.go`.
"""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network
from urllib.parse import urlsplit

from shared.arm.errors import CloudError, ErrorCode, invalid_parameter
from shared.clusters.checks.facts import Facts, refuse
from shared.release import release_rules

_NETWORK_PROFILE = "properties.networkProfile"
# `ip_network` also accepts a bare address, or a netmask after the slash. Neither is a CIDR.
_CIDR = re.compile(r"[0-9A-Fa-f.:]+/(?:0|[1-9][0-9]{0,2})")
_RESERVED = tuple(release_rules.OVN_RANGES.values())
# No machine of a virtual network has such addresses: "this network", loopback, link-local, multicast, reserved. Azure
# answers at the last one, with DNS among others, and would not be reached there.
_NOBODYS = tuple(
    IPv4Network(text)
    for text in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32")
)
_POD_PREFIX, _SERVICE_PREFIX = 18, 22
_MAX_OUTBOUND_IPS = 20


def pod_cidr(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The pod range is IPv4, /18 or larger, begins with its network address, and has room for every node.

    On a create it also avoids the ranges that no machine has, and those that OVN-Kubernetes reserves, unless the
    request asks for OpenShiftSDN.
    """
    yield from _cidr(value, facts, target, _POD_PREFIX)
    network, workers = parse_cidr(value), facts.get("properties.workerProfiles") or []
    if isinstance(network, IPv4Network) and network.prefixlen <= _POD_PREFIX and len(workers) == 1:
        nodes = release_rules.MASTERS + (workers[0].get("count") or 0)
        room = 2 ** (release_rules.HOST_PREFIX - network.prefixlen)
        if nodes > room:
            yield refuse(
                target,
                value,
                f"a range with room for the cluster's {nodes} nodes, of which each gets a "
                f"/{release_rules.HOST_PREFIX}: it has room for {room}",
            )


def service_cidr(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The service range is IPv4, /22 or larger, and begins with its network address.

    On a create it also avoids the pod range, the ranges that no machine has, and those that OVN-Kubernetes reserves,
    unless the request asks for OpenShiftSDN.
    """
    yield from _cidr(value, facts, target, _SERVICE_PREFIX)
    if facts.creating:
        given = facts.get(f"{_NETWORK_PROFILE}.podCidr")
        services, pods = parse_cidr(value), parse_cidr(str(given))
        if isinstance(services, IPv4Network) and isinstance(pods, IPv4Network) and services.overlaps(pods):
            yield refuse(target, value, f"a range that does not overlap that of the pods, '{given}'")


def parse_cidr(text: str) -> IPv4Network | IPv6Network | None:
    """Return the network that contains an address and prefix, or None if the text is not a CIDR."""
    if not _CIDR.fullmatch(text):
        return None
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _cidr(value: str, facts: Facts, target: str, longest: int) -> Iterator[CloudError]:
    network = parse_cidr(value)
    if not isinstance(network, IPv4Network):
        yield refuse(target, value, "an IPv4 range such as 10.128.0.0/14")
        return
    reserved = [each for each in _RESERVED if each.overlaps(network)]
    # Only the API version with this member knows it; the others do not ask which network the release has.
    if facts.creating and reserved and facts.get(f"{_NETWORK_PROFILE}.softwareDefinedNetwork") != "OpenShiftSDN":
        yield CloudError(
            400,
            ErrorCode.INVALID_CIDR_RANGE,
            f"The range '{value}' of '{target}' overlaps {', '.join(map(str, reserved))}, "
            "which the cluster's network uses itself. Choose another range.",
            _NETWORK_PROFILE,
        )
    nobodys = [each for each in _NOBODYS if each.overlaps(network)]
    if facts.creating and nobodys:
        yield CloudError(
            400,
            ErrorCode.INVALID_CIDR_RANGE,
            f"The range '{value}' of '{target}' overlaps {', '.join(map(str, nobodys))}, where no machine of a virtual "
            "network has addresses. Choose another range.",
            _NETWORK_PROFILE,
        )
    if network.prefixlen > longest:
        yield refuse(target, value, f"a range of /{longest} or larger (a prefix length of at most {longest})")
    if value.partition("/")[0] != str(network.network_address):
        yield CloudError(
            400,
            ErrorCode.INVALID_NETWORK_ADDRESS,
            f"The range '{value}' of '{target}' does not begin with its network address. Use '{network}'.",
            target,
        )


def software_defined_network(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The cluster network is the one that the cluster's version installs."""
    version = facts.get("properties.clusterProfile.version")
    if version in facts.versions and value != release_rules.network_type(version):
        yield refuse(target, value, f"'{release_rules.network_type(version)}', which OpenShift {version} installs")


def outbound_type(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """User-defined routing needs a private API server and ingress, because there are no public addresses."""
    if value != "UserDefinedRouting":
        return
    ingress = facts.get("properties.ingressProfiles") or [{}]
    visible = {
        "properties.apiserverProfile.visibility": facts.get("properties.apiserverProfile.visibility"),
        "properties.ingressProfiles[0].visibility": ingress[0].get("visibility"),
    }
    public = [path for path, visibility in visible.items() if visibility != "Private"]
    if public:
        yield invalid_parameter(
            target,
            f"The value '{value}' of '{target}' needs a private cluster: set {' and '.join(public)} to 'Private', "
            "or use 'Loadbalancer'.",
        )


def load_balancer_profile(_value: object, facts: Facts, target: str) -> Iterator[CloudError]:
    """A load balancer profile is refused with user-defined routing."""
    if facts.get(f"{_NETWORK_PROFILE}.outboundType") == "UserDefinedRouting":
        yield invalid_parameter(
            target, f"'{target}' cannot be given with the outboundType 'UserDefinedRouting'. Leave it out."
        )


def managed_outbound_ips(value: int, _facts: Facts, target: str) -> Iterator[CloudError]:
    """A load balancer has 1 to 20 managed outbound addresses."""
    if not 1 <= value <= _MAX_OUTBOUND_IPS:
        yield refuse(target, value, f"a number of addresses from 1 to {_MAX_OUTBOUND_IPS}")


def url(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is a URL with scheme and host."""
    try:
        parts = urlsplit(value)
    except ValueError:
        parts = None
    if parts is None or not parts.scheme or not parts.netloc:
        yield refuse(target, value, "a URL such as https://host/")


def ip_address(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is an IPv4 address."""
    try:
        IPv4Address(value)
    except ValueError:
        yield refuse(target, value, "an IPv4 address")
