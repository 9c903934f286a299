"""The `$filter` of lists of role and deny assignments, and the principals whose assignments it asks for."""

import re
from dataclasses import dataclass

from emulator.arm.access.authorization import EVERYONE
from emulator.authorization import exceptions
from emulator.entra.models import EntraModel

_TERMS = {
    "at_scope": re.compile(r"atScope\(\)", re.IGNORECASE),
    "principal_id": re.compile(r"principalId\s+eq\s+'([^']+)'", re.IGNORECASE),
    "assigned_to": re.compile(r"assignedTo\(\s*'([^']+)'\s*\)", re.IGNORECASE),
}
# The sets of terms that may be joined by `and`.
_ALLOWED: tuple[set[str], ...] = (
    set(),
    {"at_scope"},
    {"principal_id"},
    {"assigned_to"},
    {"at_scope", "assigned_to"},
)


@dataclass(frozen=True)
class Filter:
    """Which assignments a list shows.

    Args:
        at_scope: whether those at scopes below are left out. Those at scopes above are always shown.
        principal_id: the principal whose own assignments are shown; "" for any.
        assigned_to: the user or service principal whose assignments are shown, those of its groups too; "" for any.
    """

    at_scope: bool = False
    principal_id: str = ""
    assigned_to: str = ""


def read(text: str) -> Filter:
    """Read a filter.

    Raises:
        ServiceError: 400 `UnsupportedQuery` for any other text, and for `atScope()` beside `principalId eq`. The message
            is Azure's, the code is from memory.
    """
    found: dict[str, str] = {}
    for term in re.split(r"\s+and\s+", text.strip(), flags=re.IGNORECASE) if text.strip() else ():
        name, match = next(
            ((name, match) for name, pattern in _TERMS.items() if (match := pattern.fullmatch(term))), ("", None)
        )
        if match is None or name in found:
            raise exceptions.UNSUPPORTED_FILTER(text)
        found[name] = match[1] if match.re.groups else ""
    if set(found) not in _ALLOWED:
        raise exceptions.UNSUPPORTED_FILTER(text)
    return Filter("at_scope" in found, found.get("principal_id", ""), found.get("assigned_to", ""))


def holders(entra: EntraModel, wanted: Filter) -> set[str] | None:
    """Return the object ids that an assignment must name to be shown; None if all are shown.

    Raises:
        ServiceError: 400 for `assignedTo` of a group, which Azure documents as refused; the code is a guess.
    """
    if wanted.assigned_to:
        object_id = wanted.assigned_to.lower()
        if entra.people.group(object_id) is not None:
            raise exceptions.ASSIGNED_TO_GROUP(object_id)
        return {object_id, EVERYONE, *entra.people.all_groups_of(object_id)}
    return {wanted.principal_id.lower()} if wanted.principal_id else None
