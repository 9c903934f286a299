"""The roles and scopes that a registration offers, and the clients that it trusts: what may be written, and changed.

The messages are from memory, unless a source is named.
"""

from collections.abc import Callable, Sequence
from typing import Any

from emulator.core.store import Document
from emulator.graph.exceptions import BAD_REQUEST, ENABLED_ENTITLEMENT


def check(before: Document, after: Document, exists: Callable[[str], bool]) -> None:
    """Check the roles, scopes and trusted clients of a registration.

    Raises:
        ServiceError: 400.
    """
    _check_enabled(_scopes(before), _scopes(after))
    _check_enabled(before.get("appRoles") or [], after.get("appRoles") or [])
    _check_clients(before, after, exists)


def _check_enabled(before: Sequence[Document], after: Sequence[Document]) -> None:
    """Check that no enabled role or scope is removed or changed; its texts and its end may change at any time."""
    kept = {str(entry.get("id")).lower(): entry for entry in after}
    for entry in before:
        now = kept.get(str(entry.get("id")).lower())
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
