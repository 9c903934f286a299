"""Finds the machines at which a connection to an address ends, from the resources that are deployed.

A connection goes the way that it would go in Azure: public address or private endpoint, private link service, load
balancer rule with its probe, pool, interface, security groups, machine. This module does not tell whether the machine
answers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network

from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.dns.resources import ZONE as PUBLIC_ZONE
from emulator.json_object import Json
from emulator.network.addresses import held_addresses
from emulator.network.egress import no_way_out
from emulator.network.interfaces import MACHINE, configurations_of, owned_interface
from emulator.network.packet_filter import BALANCER, INTERNET, NETWORK, Packet, denial
from emulator.network.peerings import reachable
from emulator.network.private_endpoints import connection_state, linked_service
from emulator.network.types import (
    ENDPOINT,
    FRONTEND,
    INTERFACE,
    INTERFACE_CONFIGURATION,
    PUBLIC_ADDRESS,
    RULE,
    SUBNET,
)
from emulator.privatedns.resources import LINK, is_complete
from emulator.privatedns.resources import ZONE as PRIVATE_ZONE

# All public addresses, and those of private endpoints of the provider that runs the working tree, are in this range.
LOCAL = IPv4Network("127.0.0.0/8")
# The delegations of subnets that function apps join, in lower case.
OF_APPS = ("microsoft.app/environments", "microsoft.web/serverfarms")


@dataclass(frozen=True)
class Backend:
    """A machine behind an address."""

    vm_id: str
    nic_id: str
    port: int
    probe: str


class _UnreachableError(Exception):
    """A connection reaches no machine; the message says where it ends."""


class Reach:
    """Follows connections and names through the deployed networks."""

    def __init__(self, arm: ArmModel) -> None:
        self._arm = arm

    def from_outside(self, address: str, port: int) -> list[Backend]:
        """Return the machines that a connection to a public IP address, or to a private endpoint's, can reach."""
        try:
            return self._outside(address, port)
        except _UnreachableError:
            return []

    def from_vnet(self, subnet_or_nic_id: str, address: str, port: int) -> list[Backend]:
        """Return the machines that a machine in a network can reach at an address."""
        try:
            return self._inside(subnet_or_nic_id, address, port)
        except _UnreachableError:
            return []

    def why_not(self, address: str, port: int) -> str:
        """Return why a connection from outside reaches no machine, in whole sentences, or "" if it reaches one."""
        try:
            self._outside(address, port)
        except _UnreachableError as error:
            return str(error)
        return ""

    def why_not_from_vnet(self, subnet_or_nic_id: str, address: str, port: int) -> str:
        """Return why a machine's connection reaches no machine, in whole sentences, or "" if it reaches one."""
        try:
            self._inside(subnet_or_nic_id, address, port)
        except _UnreachableError as error:
            return str(error)
        return ""

    def why_not_out(self, nic_id: str) -> str:
        """Return why a machine's connections do not leave its network, as a clause, or "" if they do."""
        interface = self._arm.load(nic_id)
        return "it has no network interface" if interface is None else no_way_out(self._arm, interface)

    # Names

    def resolve_public(self, name: str) -> str | None:
        """Return the address of a name in a public zone, or None."""
        zones = {zone["name"].lower(): zone["id"] for zone in self._arm.scan("/subscriptions/", PUBLIC_ZONE)}
        addresses = self._resolve(zones, name, PUBLIC_ZONE)
        return addresses[0] if addresses else None

    def resolve_private(self, vnet_id: str, name: str) -> list[str]:
        """Return the addresses of a name in the private zones that are linked to a network."""
        zones = {}
        for holder in self._arm.holders(vnet_id):
            link = self._arm.load(holder)
            if link is not None and link["type"] == LINK and is_complete(link):
                zone = link["id"].rsplit("/", 2)[0]
                zones[zone.rsplit("/", 1)[-1].lower()] = zone
        return self._resolve(zones, name, PRIVATE_ZONE)

    def _resolve(self, zones: dict[str, str], name: str, kind: str) -> list[str]:
        wanted = name.lower().rstrip(".")
        zone = next((zone for zone in _suffixes(wanted) if zone in zones), None)
        if zone is None:
            return []
        return self._look_up(zones[zone], wanted[: -len(zone)].rstrip(".") or "@", kind)

    def _look_up(self, zone_id: str, relative: str, kind: str) -> list[str]:
        """Return the addresses of a name in a zone."""
        names = [relative, *(f"*.{suffix}" for suffix in list(_suffixes(relative))[1:]), "*"]
        for candidate in names:
            found = self._arm.load(f"{zone_id}/A/{candidate}")
            if found is not None:
                records = found["properties"].get("ARecords" if kind == PUBLIC_ZONE else "aRecords", ())
                return [record["ipv4Address"] for record in records]
        return []

    # Connections

    def _outside(self, address: str, port: int) -> list[Backend]:
        public = next(
            (
                found
                for found in self._arm.scan("/subscriptions/", PUBLIC_ADDRESS)
                if found["properties"].get("ipAddress") == address
            ),
            None,
        )
        if public is not None:
            return self._at_public_address(public, port)
        for endpoint in self._arm.scan("/subscriptions/", ENDPOINT):
            interface = owned_interface(self._arm, endpoint)
            held = [] if interface is None else configurations_of(self._arm, interface)
            if any(item["properties"]["privateIPAddress"] == address for item in held) and (
                _is_local(address) or self._is_joined_by_apps(endpoint)
            ):
                return self._at_endpoint(endpoint, port)
        raise _UnreachableError(f"{address} is the address of no public IP address and of no private endpoint.")

    def _is_joined_by_apps(self, endpoint: Json) -> bool:
        """Tell whether apps connect from the network of a private endpoint: a subnet of it is delegated to them."""
        network = parse_resource(endpoint["properties"]["subnet"]["id"]).root
        return any(
            delegation["properties"]["serviceName"].lower() in OF_APPS
            for subnet in self._arm.scan(f"{network}/subnets/", SUBNET)
            for delegation in subnet["properties"].get("delegations", ())
        )

    def _at_public_address(self, public: Json, port: int) -> list[Backend]:
        for holder in self._holders(public["id"], FRONTEND):
            return self._at_frontend(holder, port, INTERNET)
        for holder in self._holders(public["id"], INTERFACE_CONFIGURATION):
            return [self._at_configuration(holder, Packet(INTERNET, _address(holder), port))]
        raise _UnreachableError(f"Public IP address {public['id']} belongs to no load balancer and to no machine.")

    def _at_endpoint(self, endpoint: Json, port: int) -> list[Backend]:
        service = linked_service(self._arm, endpoint)
        if service is None:
            status = connection_state(self._arm, endpoint)["status"]
            raise _UnreachableError(f"The connection of private endpoint {endpoint['id']} is {status}, not Approved.")
        frontends = service["properties"].get("loadBalancerFrontendIpConfigurations", ())
        for reference in frontends:
            frontend = self._arm.load(reference["id"])
            if frontend is not None:
                return self._at_frontend(frontend, port, NETWORK)
        raise _UnreachableError(f"Private link service {service['id']} stands on no load balancer frontend.")

    def _at_frontend(self, frontend: Json, port: int, source: str) -> list[Backend]:
        rule = next((rule for rule in self._holders(frontend["id"], RULE) if _takes(rule["properties"], port)), None)
        if rule is None:
            raise _UnreachableError(f"No load balancing rule of {frontend['id']} takes TCP port {port}.")
        probe = self._arm.load(rule["properties"].get("probe", {}).get("id", ""))
        if probe is None:
            raise _UnreachableError(f"Load balancing rule {rule['id']} has no probe.")
        asked = probe["properties"]
        target = rule["properties"].get("backendPort") or port
        backends, reasons = [], []
        for configuration in self._members(rule["properties"]):
            try:
                # A machine that the load balancer's probe does not reach counts as unhealthy.
                self._at_configuration(configuration, Packet(BALANCER, _address(configuration), asked["port"]))
                backend = self._at_configuration(configuration, Packet(source, _address(configuration), target))
            except _UnreachableError as error:
                reasons.append(str(error))
                continue
            words = f"{asked['protocol'].lower()}:{asked['port']}{asked.get('requestPath', '')}"
            backends.append(Backend(backend.vm_id, backend.nic_id, target, words))
        if not backends:
            why = " ".join(reasons) or "No network interface is in its backend pool."
            raise _UnreachableError(f"Load balancing rule {rule['id']} leads to no machine. {why}")
        return backends

    def _members(self, rule: Json) -> Iterator[Json]:
        pools = rule.get("backendAddressPools") or [rule.get("backendAddressPool", {})]
        for pool in pools:
            yield from self._holders(pool.get("id", ""), INTERFACE_CONFIGURATION)

    def _at_configuration(self, configuration: Json, packet: Packet) -> Backend:
        interface = self._arm.load(configuration["id"].rsplit("/", 2)[0])
        if interface is None:
            raise _UnreachableError(f"The network interface of {configuration['id']} is not there.")
        machine = next(self._holders(interface["id"], MACHINE), None)
        if machine is None:
            raise _UnreachableError(f"No virtual machine has network interface {interface['id']}.")
        reason = denial(self._arm, interface, configuration["properties"]["subnet"]["id"], packet)
        if reason:
            raise _UnreachableError(f"{reason[0].upper()}{reason[1:]}.")
        return Backend(machine["id"], interface["id"], packet.port, "")

    def _inside(self, subnet_or_nic_id: str, address: str, port: int) -> list[Backend]:
        if _is_local(address):
            return self._outside(address, port)
        network = str(parse_resource(self._subnet_of(subnet_or_nic_id)).root)
        for joined in (network, *reachable(self._arm, network)):
            for found in self._at_address(joined, address):
                if found["type"] == FRONTEND:
                    return self._at_frontend(found, port, NETWORK)
                return [self._at_configuration(found, Packet(NETWORK, address, port))]
        raise _UnreachableError(f"{address} is the address of nothing in {network} and the networks peered with it.")

    def _at_address(self, network: str, address: str) -> Iterator[Json]:
        """Yield the IP configurations or frontends that have an address in a network."""
        for subnet in self._arm.scan(f"{network}/subnets/", SUBNET):
            for held, holder in held_addresses(self._arm, subnet["id"]):
                found = self._arm.load(holder)
                if held == address and found is not None:
                    yield found

    def _subnet_of(self, subnet_or_nic_id: str) -> str:
        interface = self._arm.load(subnet_or_nic_id)
        if interface is None or interface["type"] != INTERFACE:
            return subnet_or_nic_id
        return str(configurations_of(self._arm, interface)[0]["properties"]["subnet"]["id"])

    def _holders(self, target: str, kind: str) -> Iterator[Json]:
        for holder in self._arm.holders(target):
            found = self._arm.load(holder)
            if found is not None and found["type"] == kind:
                yield found


def _suffixes(name: str) -> Iterator[str]:
    """Yield a name, then the name without its first label, and so on."""
    while name:
        yield name
        name = name.partition(".")[2]


def _address(configuration: Json) -> str:
    return str(configuration["properties"]["privateIPAddress"])


def _takes(rule: Json, port: int) -> bool:
    if rule["protocol"] == "All":
        return rule["frontendPort"] in (0, port)
    return bool(rule["protocol"] == "Tcp" and rule["frontendPort"] == port)


def _is_local(address: str) -> bool:
    try:
        return IPv4Address(address) in LOCAL
    except AddressValueError:
        return False
