"""The parts of OData that Graph's clients use here: filters of clauses joined by `and`, and `$select`; the rest is refused."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from emulator.graph.exceptions import NOT_SUPPORTED

Item = dict[str, Any]

SUPPORTED_OPTIONS = ("$filter", "$select", "$count")
TEXT = r"'(?P<value>(?:[^']|'')*)'"
# What follows a clause: another one, or the end.
NEXT = r"(?:\s+and\s+(?=\S)|\s*$)"
EQUALS = re.compile(rf"(?P<member>\w+)\s+eq\s+{TEXT}{NEXT}")
STARTS_WITH = re.compile(rf"startswith\(\s*(?P<member>\w+)\s*,\s*{TEXT}\s*\){NEXT}", re.IGNORECASE)
ANY = re.compile(rf"(?P<member>\w+)/any\(\s*(?P<name>\w+)\s*:\s*(?P=name)\s+eq\s+{TEXT}\s*\){NEXT}")


def query(items: Iterable[Item], options: Mapping[str, str]) -> list[Item]:
    """Return the items that a request asks for.

    Raises:
        ServiceError: 400, for an option or a filter that the local Azure does not have.
    """
    for name in options:
        if name.startswith("$") and name not in SUPPORTED_OPTIONS:
            raise NOT_SUPPORTED(f"the query option {name} of Microsoft Graph")
    found = [item for item in items if _fits(item, options.get("$filter", ""))]
    members = [member.strip() for member in options.get("$select", "").split(",") if member.strip()]
    return [select(item, members) for item in found]


def select(item: Item, members: list[str]) -> Item:
    """Return the chosen members of an item, or the whole item if none are chosen."""
    return {member: item[member] for member in members if member in item} if members else item


def _fits(item: Item, condition: str) -> bool:
    text, position, fits = condition.strip(), 0, True
    while position < len(text):
        found = next(
            ((match, holds) for pattern, holds in CLAUSES if (match := pattern.match(text, position))),
            None,
        )
        if found is None or found[0]["member"] not in item:
            raise NOT_SUPPORTED(f"the filter {text[position:]} in Microsoft Graph")
        match, holds = found
        fits = holds(item[match["member"]], match["value"].replace("''", "'")) and fits
        position = match.end()
    return fits


def _equals(found: Any, wanted: str) -> bool:
    return str(found).lower() == wanted.lower()


def _starts_with(found: Any, wanted: str) -> bool:
    return str(found).lower().startswith(wanted.lower())


def _contains(found: Any, wanted: str) -> bool:
    return isinstance(found, list) and any(_equals(entry, wanted) for entry in found)


CLAUSES = ((EQUALS, _equals), (STARTS_WITH, _starts_with), (ANY, _contains))
