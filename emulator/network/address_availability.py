"""Whether an address of a virtual network is free."""

from ipaddress import ip_address
from itertools import islice
from typing import Any

from starlette.responses import Response

from emulator.arm.call import Call, Row, answer
from emulator.arm.exceptions import resource_not_found
from emulator.arm.ids import parse_resource
from emulator.arm.resources import Reads
from emulator.json_object import Json
from emulator.network.addresses import held_addresses, ranges_of, usable
from emulator.network.refusals import address_exceptions as exceptions
from emulator.network.types import NETWORK, SUBNET
from emulator.network.versions import NETWORK_VERSIONS

# The most free addresses that an answer names.
_NAMED = 5
_PATH = (
    "/subscriptions/{subscription_id}/resourcegroups/{group}/providers/Microsoft.Network/virtualNetworks/{network}"
    "/CheckIPAddressAvailability"
)
_OPERATION = f"{NETWORK}/checkIpAddressAvailability"


async def check_address(call: Call) -> Response:
    """Answer a GET that asks whether an address is free."""
    network = parse_resource(call.path.rpartition("/")[0])
    call.arm.subscriptions.for_caller(call.params["subscription_id"], call.caller)
    call.arm.authorize(call.caller, f"{_OPERATION}/read", str(network))
    if call.arm.load(network) is None:
        raise resource_not_found(network)
    return answer(availability(call.arm, str(network), call.request.query_params.get("ipAddress", "")))


def availability(arm: Reads, network_id: str, address: str) -> Json:
    """Return whether an address is free, and if not, free addresses of the same subnet.

    Raises:
        ServiceError: 400 `PrivateIPAddressNotInAnySubnet`.
    """
    for subnet in arm.scan(f"{network_id}/subnets/", SUBNET):
        ranges = ranges_of(subnet["properties"])
        if any(_is_in(address, prefix) for prefix in ranges):
            break
    else:
        raise exceptions.PRIVATE_ADDRESS_IN_NO_SUBNET(address=address, network_id=network_id)
    taken = dict(held_addresses(arm, subnet["id"]))
    is_reserved = address not in usable(ranges)
    if not is_reserved and address not in taken:
        return {"available": True, "isPlatformReserved": False}
    free = islice((found for found in usable(ranges) if found not in taken), _NAMED)
    return {"available": False, "availableIPAddresses": list(free), "isPlatformReserved": is_reserved}


def _is_in(address: str, prefix: Any) -> bool:
    try:
        return ip_address(address) in prefix
    except ValueError:
        return False


ROWS = (Row("GET", _PATH, check_address, _OPERATION, NETWORK_VERSIONS),)
