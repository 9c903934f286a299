"""Private addresses: an IP configuration draws one from its subnet, or takes the one it names if that is free."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network, ip_address, ip_network

from emulator.arm.resources import Change, Reads
from emulator.json_object import Json
from emulator.network.refusals import address_exceptions as exceptions
from emulator.network.subnets import prefixes

# The first addresses are the network's own, the gateway's and two for DNS. The last is the broadcast address.
RESERVED_FIRST = 4


def assign_private_address(change: Change) -> None:
    """Give an IP configuration in a subnet its private address, or keep the one that it already has."""
    properties, arm = change.properties, change.arm
    subnet_id: str = properties["subnet"]["id"]
    subnet = arm.load(subnet_id)
    ranges = ranges_of(subnet["properties"]) if subnet is not None else []
    taken = dict(_taken(change, subnet_id))
    properties.setdefault("privateIPAddressVersion", "IPv4")
    if properties.setdefault("privateIPAllocationMethod", "Dynamic") == "Static":
        _check_static(change, ranges, taken)
        return
    before = (change.existing or {}).get("properties", {})
    kept = before.get("privateIPAddress")
    stays = before.get("subnet", {}).get("id", "").lower() == subnet_id.lower() and kept not in taken
    properties["privateIPAddress"] = kept if kept and stays else first_free(subnet_id, ranges, taken)


def draw_private_address(arm: Reads, subnet_id: str) -> str:
    """Return the first free address of a subnet."""
    subnet = arm.load(subnet_id)
    ranges = ranges_of(subnet["properties"]) if subnet is not None else []
    return first_free(subnet_id, ranges, dict(held_addresses(arm, subnet_id)))


def first_free(subnet_id: str, ranges: list[IPv4Network], taken: Mapping[str, str]) -> str:
    """Return the lowest address that nobody has.

    Raises:
        ServiceError: 400 `SubnetIsFull`.
    """
    found = next((address for address in usable(ranges) if address not in taken), None)
    if found is None:
        raise exceptions.SUBNET_IS_FULL(subnet_id=subnet_id, ranges=ranges)
    return found


def usable(ranges: list[IPv4Network]) -> Iterator[str]:
    """Yield the addresses of a subnet that Azure does not keep for itself, in order."""
    for network in ranges:
        for number in range(int(network.network_address) + RESERVED_FIRST, int(network.broadcast_address)):
            yield str(IPv4Address(number))


def held_addresses(arm: Reads, subnet_id: str) -> Iterator[tuple[str, str]]:
    """Yield (address, id of the IP configuration that has it) of a subnet."""
    for holder in arm.holders(subnet_id):
        found = arm.load(holder)
        address = found["properties"].get("privateIPAddress") if found is not None else None
        if address:
            yield address, holder


def _taken(change: Change, subnet_id: str) -> Iterator[tuple[str, str]]:
    own = {change.id.key, *(f"{change.id.parent}/{change.id.types[-1]}/{name}".lower() for name, _ in change.siblings)}
    for address, holder in held_addresses(change.arm, subnet_id):
        if holder.lower() not in own:
            yield address, holder
    # Configurations of the same body count with the address in that body, or with the stored one if they keep it.
    for name, sibling in change.siblings:
        address = sibling["properties"].get("privateIPAddress")
        if address:
            yield address, f"{change.id.parent}/{change.id.types[-1]}/{name}"


def ranges_of(properties: Json) -> list[IPv4Network]:
    """Return the ranges of a subnet of IPv4."""
    networks = [ip_network(prefix) for prefix in prefixes(properties)]
    return [network for network in networks if isinstance(network, IPv4Network)]


def _check_static(change: Change, ranges: list[IPv4Network], taken: Mapping[str, str]) -> None:
    text = change.properties.get("privateIPAddress")
    if not text:
        raise exceptions.PRIVATE_ADDRESS_MISSING(str(change.id))
    address = ip_address(text)
    inside = next((network for network in ranges if address in network), None)
    if inside is None:
        raise exceptions.PRIVATE_ADDRESS_NOT_IN_SUBNET(
            address=text, prefix=", ".join(str(network) for network in ranges)
        )
    if text in taken:
        raise exceptions.PRIVATE_ADDRESS_TAKEN(configuration_id=str(change.id), address=text, holder=taken[text])
