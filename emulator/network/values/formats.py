"""Rules for texts that several tables of Microsoft.Network share: ranges, addresses, what has IPv4 only."""

import re
from ipaddress import ip_address, ip_network
from typing import Any

from emulator.arm.schema import Choice, Found, Rule
from emulator.core.service_error import ServiceError
from emulator.network import exceptions
from emulator.network.refusals import address_exceptions


def is_range(text: str) -> bool:
    """Tell whether a text is a range in CIDR notation, perhaps with host bits set."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text and text.rpartition("/")[2].isdecimal()


def is_own_range(text: str) -> bool:
    """Tell whether a range has no host bits set; any other text counts as if it had none."""
    return not is_range(text) or _is_network(text)


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


def is_address(text: str) -> bool:
    """Tell whether a text is an address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def is_tag(text: str) -> bool:
    """Tell whether a text may be a service tag, such as `Storage.EastUS`; which ones Azure has is not judged."""
    return re.fullmatch("[A-Za-z][A-Za-z0-9.]*", text) is not None


_FORMATTED = Rule(str, is_range, ("10.0.0.0", "300.0.0.0/8", "10.0.0.0/33", "ten"), exceptions.INVALID_PREFIX)
PREFIX = Rule(_FORMATTED, is_own_range, ("10.0.0.1/24", "2001:db8::1/64"), exceptions.invalid_cidr)
ADDRESS = Rule(str, is_address, ("10.0.0", "300.1.1.1", "10.0.0.4/32", "server"), exceptions.INVALID_ADDRESS)
DNS_SERVERS = [ADDRESS]
# Only what clients need: the emulated networks carry IPv4.
VERSION = Rule(
    Choice(("IPv4", "IPv6")), lambda value: value == "IPv4", ("IPv6",), address_exceptions.VERSION_NOT_EMULATED
)


def _not_emulated(what: str) -> Any:
    def refuse(_found: Found) -> ServiceError:
        return exceptions.NOT_EMULATED(what)

    return refuse


def nothing(kind: Any, what: str, wrong: Any) -> Rule:
    """Return the rule for a member that must be empty, because the local Azure gives it no meaning.

    Args:
        kind: the kind of the member.
        what: what it is, for the error.
        wrong: a value that Azure accepts.
    """
    return Rule(kind, lambda value: not value, (wrong,), _not_emulated(what))
