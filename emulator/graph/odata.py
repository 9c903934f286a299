"""The parts of OData that Graph's clients use here: filters of clauses joined by `and`, and `$select`; the rest is refused."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from emulator.graph.exceptions import INVALID_FILTER, NOT_SUPPORTED, UNKNOWN_OPTION

Item = dict[str, Any]

SUPPORTED_OPTIONS = ("$filter", "$select", "$count")
# https://learn.microsoft.com/graph/query-parameters
OTHER_OPTIONS = ("$expand", "$format", "$orderby", "$search", "$skip", "$skiptoken", "$deltatoken", "$top", "$apply")
# Properties of users, groups, applications and service principals in Graph that one of them lacks here.
OTHER_PROPERTIES = frozenset(
    {
        "accountEnabled",
        "assignedLicenses",
        "city",
        "companyName",
        "country",
        "createdDateTime",
        "department",
        "description",
        "employeeId",
        "givenName",
        "groupTypes",
        "homepage",
        "identities",
        "jobTitle",
        "keyCredentials",
        "mail",
        "mailEnabled",
        "mailNickname",
        "notes",
        "onPremisesSyncEnabled",
        "otherMails",
        "passwordCredentials",
        "preferredLanguage",
        "proxyAddresses",
        "publisherDomain",
        "securityEnabled",
        "servicePrincipalType",
        "signInAudience",
        "state",
        "surname",
        "tags",
        "uniqueName",
        "usageLocation",
        "userPrincipalName",
        "userType",
        "visibility",
        "web",
    }
)
TEXT = r"'(?P<value>(?:[^']|'')*)'"
# What follows a clause: another one, or the end.
NEXT = r"(?:\s+and\s+(?=\S)|\s*$)"
EQUALS = re.compile(rf"(?P<member>\w+)\s+eq\s+{TEXT}{NEXT}")
STARTS_WITH = re.compile(rf"startswith\(\s*(?P<member>\w+)\s*,\s*{TEXT}\s*\){NEXT}", re.IGNORECASE)
ANY = re.compile(rf"(?P<member>\w+)/any\(\s*(?P<name>\w+)\s*:\s*(?P=name)\s+eq\s+{TEXT}\s*\){NEXT}")
# What OData's filters also have, outside of texts. https://learn.microsoft.com/graph/filter-query-parameter
OTHER_OPERATORS = re.compile(
    r"(?P<text>'(?:[^']|'')*')|\b(?P<operator>or|not|ne|gt|ge|lt|le|in|has|all|endswith|contains|tolower|toupper)\b"
    r"|\beq\s+(?P<literal>true|false|null|[0-9][\w:.-]*)",
    re.IGNORECASE,
)


def query(items: Iterable[Item], options: Mapping[str, str], kind: str) -> list[Item]:
    """Return the items that a request asks for.

    Raises:
        ServiceError: 400, for what the local Azure does not have, or for what Graph does not know.
    """
    for name in options:
        if name in OTHER_OPTIONS:
            raise NOT_SUPPORTED(f"the query option {name} of Microsoft Graph")
        if name.startswith("$") and name not in SUPPORTED_OPTIONS:
            raise UNKNOWN_OPTION(name)
    found = [item for item in items if _fits(item, options.get("$filter", ""), kind)]
    members = [member.strip() for member in options.get("$select", "").split(",") if member.strip()]
    return [select(item, members) for item in found]


def select(item: Item, members: list[str]) -> Item:
    """Return the chosen members of an item, or the whole item if none are chosen."""
    return {member: item[member] for member in members if member in item} if members else item


def _fits(item: Item, condition: str, kind: str) -> bool:
    text, position, fits = condition.strip(), 0, True
    _refuse_other_operators(text)
    while position < len(text):
        found = next(
            ((match, holds) for pattern, holds in CLAUSES if (match := pattern.match(text, position))),
            None,
        )
        if found is None:
            raise INVALID_FILTER(f"Syntax error at position {position} in '{text}'.")
        match, holds = found
        if match["member"] not in item:
            if match["member"] in OTHER_PROPERTIES:
                raise NOT_SUPPORTED(f"the property {match['member']} of {kind} in Microsoft Graph")
            raise INVALID_FILTER(
                f"Could not find a property named '{match['member']}' on type 'microsoft.graph.{_lower(kind)}'."
            )
        fits = holds(item[match["member"]], match["value"].replace("''", "'")) and fits
        position = match.end()
    return fits


def _refuse_other_operators(text: str) -> None:
    for match in OTHER_OPERATORS.finditer(text):
        if match["operator"]:
            raise NOT_SUPPORTED(f"the operator or function {match['operator']} in filters of Microsoft Graph")
        if match["literal"]:
            raise NOT_SUPPORTED(f"comparisons with {match['literal']} in filters of Microsoft Graph")


def _lower(kind: str) -> str:
    return kind[:1].lower() + kind[1:]


def _equals(found: Any, wanted: str) -> bool:
    return str(found).lower() == wanted.lower()


def _starts_with(found: Any, wanted: str) -> bool:
    return str(found).lower().startswith(wanted.lower())


def _contains(found: Any, wanted: str) -> bool:
    return isinstance(found, list) and any(_equals(entry, wanted) for entry in found)


CLAUSES = ((EQUALS, _equals), (STARTS_WITH, _starts_with), (ANY, _contains))
