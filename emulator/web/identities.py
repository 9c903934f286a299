"""The user-assigned identities of a site: they must exist, and the caller must be allowed to assign them."""

from typing import Any

from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.arm.resources import Change
from emulator.entra.models import Principal
from emulator.managed_identity import ManagedIdentityModel
from emulator.web import exceptions
from emulator.web.names import IDENTITIES, SITES

Json = dict[str, Any]

IDENTITY: Json = {
    "type": str,
    "principalId": object,
    "tenantId": object,
    "userAssignedIdentities": object,
}
ASSIGN = f"{IDENTITIES}/assign/action"


def assigned(stored: Json) -> list[str]:
    """Return the ids of a site's user-assigned identities."""
    return sorted((stored.get("identity") or {}).get("userAssignedIdentities") or {})


def check(change: Change) -> None:
    """Check the identities that a PUT names, and keep only their ids.

    Raises:
        ServiceError: 400 for a kind of identity that is not emulated, or an identity that does not exist; 403
            `LinkedAuthorizationFailed` if the caller may not assign one.
    """
    identity = change.body.pop("identity", None)
    if identity is None:
        # A PUT without this member leaves the identities alone.
        kept = (change.existing or {}).get("identity")
        if kept is not None:
            change.body["identity"] = kept
        return
    kind = str(identity.get("type") or "").replace(" ", "").lower()
    if kind in ("", "none"):
        return
    if kind != "userassigned":
        raise exceptions.not_supported(f"identities of the type {identity['type']}; it has UserAssigned")
    given = identity.get("userAssignedIdentities")
    if not isinstance(given, dict) or not given:
        raise exceptions.no_identities()
    names = [name for name, value in given.items() if value is not None]
    for name in names:
        _require(change.arm, name)
    before = {known.lower() for known in assigned(change.existing or {})}
    linked = [(ASSIGN, name) for name in names if name.lower() not in before]
    change.arm.authorization.authorize_linked(change.caller, f"{SITES}/write", str(change.id), linked)
    change.body["identity"] = {"type": "UserAssigned", "userAssignedIdentities": {name: {} for name in names}}


def _require(arm: ArmModel, name: str) -> None:
    try:
        identifier = parse_resource(name)
    except ValueError:
        identifier = None
    if identifier is None or identifier.type.lower() != IDENTITIES.lower():
        raise exceptions.not_an_identity(name)
    if arm.load(identifier) is None:
        raise exceptions.identity_not_found(name)


def shown(arm: ArmModel, stored: Json) -> Json:
    """Return the member `identity` as GET shows it: each identity with its principal and client ids."""
    ids = assigned(stored)
    if not ids:
        return {}
    return {"identity": {"type": "UserAssigned", "userAssignedIdentities": {name: _ids(arm, name) for name in ids}}}


def _ids(arm: ArmModel, name: str) -> Json:
    found = arm.platform.model(ManagedIdentityModel).find(name)
    return {} if found is None else {"principalId": found.object_id, "clientId": found.client_id}


def principal(arm: ArmModel, name: str) -> Principal | None:
    """Return an identity's service principal, or None if the identity does not exist."""
    found = arm.platform.model(ManagedIdentityModel).find(name)
    if found is None:
        return None
    return Principal(found.object_id, found.client_id, found.tenant_id, found.resource_id, "", {})
