"""The roles and scopes that a registration offers, and the clients that it trusts: what may be written, and changed.

The messages are from memory, unless a source is named.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from emulator.core.store import Document
from emulator.graph.exceptions import BAD_REQUEST, DUPLICATE_VALUE, ENABLED_ENTITLEMENT

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MEMBER_TYPES = {"User", "Application"}


def check(before: Document, after: Document, exists: Callable[[str], bool]) -> None:
    """Check the roles, scopes and trusted clients of a registration.

    Raises:
        ServiceError: 400.
    """
    for role in after.get("appRoles") or []:
        if not role.get("allowedMemberTypes") or not {*role["allowedMemberTypes"]} <= _MEMBER_TYPES:
            raise BAD_REQUEST("Invalid value specified for property 'allowedMemberTypes' of resource 'AppRole'.")
    old, new = _scopes(before), _scopes(after)
    _check_entries("api.oauth2PermissionScopes", old, new, ("value",))
    _check_entries(
        "appRoles", before.get("appRoles") or [], after.get("appRoles") or [], ("description", "displayName")
    )
    _check_clients(before, after, exists)


def _check_entries(name: str, before: Sequence[Document], after: Sequence[Document], needed: Sequence[str]) -> None:
    """Check ids and values of roles or scopes; an enabled one is neither removed nor changed."""
    for entry in after:
        if not _GUID.fullmatch(entry.get("id") or ""):
            raise BAD_REQUEST(f"Invalid value specified for property 'id' of {name}.")
        missing = [member for member in needed if not entry.get(member)]
        if missing or " " in (entry.get("value") or ""):
            raise BAD_REQUEST(f"Invalid value specified for property '{(*missing, 'value')[0]}' of {name}.")
    for member in ("id", "value"):
        values = [entry[member].lower() for entry in after if entry.get(member)]
        if len(set(values)) < len(values):
            raise DUPLICATE_VALUE(member=member, name=name)
    kept = {entry["id"].lower(): entry for entry in after}
    for entry in before:
        # What stands for a permission may change only while it is disabled; its texts and its end may at any time.
        now = kept.get(entry["id"].lower())
        if entry.get("isEnabled") and (now is None or now.get("value") != entry.get("value")):
            raise ENABLED_ENTITLEMENT()


def _check_clients(before: Document, after: Document, exists: Callable[[str], bool]) -> None:
    """Check the applications that need no consent: they exist, and their scopes existed before this request.

    Source: https://github.com/microsoftgraph/microsoft-graph-docs/issues/20177 (a scope and its use in one request),
    https://github.com/microsoftgraph/msgraph-sdk-dotnet/issues/2044 (the message).
    """
    known = {scope["id"].lower() for scope in _scopes(before)} & {scope["id"].lower() for scope in _scopes(after)}
    for client in _api(after).get("preAuthorizedApplications") or []:
        if not exists(client.get("appId") or ""):
            raise BAD_REQUEST(
                f"Property PreAuthorizedApplication references applications {client.get('appId')} that cannot be found."
            )
        if not {scope_id.lower() for scope_id in client.get("delegatedPermissionIds") or []} <= known:
            raise BAD_REQUEST(
                "Property api.preAuthorizedApplications.delegatedPermissionIds has a Permission Id that cannot be found in "
                "the AppPermissions sets."
            )


def _scopes(members: Document) -> list[Document]:
    return list(_api(members).get("oauth2PermissionScopes") or [])


def _api(members: Document) -> dict[str, Any]:
    return members.get("api") or {}
