"""The clients that a registration trusts. The messages are from memory, unless a source is named."""

from collections.abc import Callable
from typing import Any

from emulator.core.store import Document
from emulator.graph.exceptions import BAD_REQUEST


def check(before: Document, after: Document, exists: Callable[[str], bool]) -> None:
    """Check the applications that need no consent: they exist, and their scopes existed before this request.

    Source: https://github.com/microsoftgraph/microsoft-graph-docs/issues/20177 (a scope and its use in one request),
    https://github.com/microsoftgraph/msgraph-sdk-dotnet/issues/2044 (the message).

    Args:
        before: the members of the registration before the request.
        after: those after it.
        exists: tells whether there is an application with this id.

    Raises:
        ServiceError: 400.
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
