"""The member `identity` of resources: an identity of their own, and user-assigned ones.

Azure makes the principal of a system-assigned identity with the resource and removes it with the resource. A
user-assigned identity must exist, and whoever assigns it must be allowed to.
"""

from collections.abc import Sequence
from dataclasses import replace

from emulator.arm.forwarding.attached_identities import ASSIGN
from emulator.arm.ids import parse_resource
from emulator.arm.provider.exceptions import IDENTITY_NOT_FOUND
from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, MapOf
from emulator.entra.models import Principal
from emulator.identities import exceptions
from emulator.identities.resources import IDENTITIES
from emulator.json_object import Json
from emulator.managed_identity import ManagedIdentityModel

NONE, SYSTEM, USER = "None", "SystemAssigned", "UserAssigned"
# How types write the two together; some never have both.
BOTH, BOTH_CLOSE = f"{SYSTEM}, {USER}", f"{SYSTEM},{USER}"


def table(both: str = "") -> Json:
    """Return the property table of `identity`.

    Args:
        both: how the type writes both kinds together; "" if its resources have one at most.
    """
    return {
        "type": Choice((NONE, SYSTEM, USER, *([both] if both else []))),
        "principalId": READ_ONLY,
        "tenantId": READ_ONLY,
        "userAssignedIdentities": MapOf(object),
    }


def identifiable(row: ResourceType, both: str = "") -> ResourceType:
    """Return the row of a type whose resources may have identities of both kinds."""

    def prepare(change: Change) -> None:
        row.prepare(change)
        check(change, row.name)
        if _has_own(change.existing or {}) and not _has_own(change.body):
            change.arm.platform.model(ManagedIdentityModel).remove(str(change.id))

    def shown(arm: Reads, stored: Json) -> Json:
        return row.shown(arm, stored) | shown_in(arm, stored)

    async def written(arm: Writes, stored: Json) -> None:
        if _has_own(stored):
            tenant_id = arm.subscriptions.get(stored["id"].split("/")[2])["tenantId"]
            arm.platform.model(ManagedIdentityModel).ensure(stored["id"], tenant_id)
        await row.stored(arm, stored)

    async def removed(arm: Writes, stored: Json) -> None:
        if _has_own(stored):
            arm.platform.model(ManagedIdentityModel).remove(stored["id"])
        await row.removed(arm, stored)

    members = row.members | {"identity": table(both)}
    return replace(row, members=members, prepare=prepare, shown=shown, stored=written, removed=removed)


def assigned(stored: Json) -> list[str]:
    """Return the ids of a resource's user-assigned identities."""
    return sorted((stored.get("identity") or {}).get("userAssignedIdentities") or {})


def check(change: Change, type_name: str, kinds: Sequence[str] = (SYSTEM, USER)) -> None:
    """Check the identities that a PUT names, and keep only their ids. A PUT without the member leaves them alone.

    Raises:
        ServiceError: 400 for a kind that is not emulated, or an identity that does not exist; 403
            `LinkedAuthorizationFailed` if the caller may not assign one.
    """
    identity = change.body.pop("identity", None)
    before = (change.existing or {}).get("identity")
    if identity is None:
        if before is not None:
            change.body["identity"] = before
        return
    wanted = [kind for kind in (SYSTEM, USER) if kind in identity.get("type", NONE)]
    if left_out := [kind for kind in wanted if kind not in kinds]:
        raise exceptions.KIND_NOT_SUPPORTED(kind=left_out[0], type_name=type_name)
    given = identity.get("userAssignedIdentities")
    names = [name for name, value in (given or {}).items() if value is not None]
    if USER in wanted and not names:
        raise exceptions.NO_IDENTITIES(identity["type"])
    if USER not in wanted and given is not None:
        raise exceptions.IDENTITIES_NOT_EXPECTED(str(change.id))
    for name in names:
        _require(change.arm, str(change.id), name)
    known = {name.lower() for name in assigned(change.existing or {})}
    linked = [(ASSIGN, name) for name in names if name.lower() not in known]
    change.arm.authorization.authorize_linked(change.caller, f"{type_name}/write", str(change.id), linked)
    if wanted:
        own: Json = {"userAssignedIdentities": {name: {} for name in names}} if names else {}
        change.body["identity"] = {"type": identity["type"], **own}


def shown_in(arm: Reads, stored: Json) -> Json:
    """Return the member `identity` as GET shows it, with the ids of the principals."""
    if "identity" not in stored:
        return {}
    shown: Json = {"type": stored["identity"]["type"]}
    own = arm.platform.model(ManagedIdentityModel).find(stored["id"])
    if own is not None:
        shown |= {"principalId": own.object_id, "tenantId": own.tenant_id}
    if names := assigned(stored):
        shown["userAssignedIdentities"] = {name: _ids(arm, name) for name in names}
    return {"identity": shown}


def _has_own(resource: Json) -> bool:
    """Tell whether a body or a document has a system-assigned identity."""
    return SYSTEM in (resource.get("identity") or {"type": NONE})["type"]


def _require(arm: Reads, resource_id: str, name: str) -> None:
    try:
        identifier = parse_resource(name)
    except ValueError:
        identifier = None
    if identifier is None or identifier.type.lower() != IDENTITIES.name.lower():
        raise exceptions.NOT_AN_IDENTITY(name)
    if arm.load(identifier) is None:
        raise IDENTITY_NOT_FOUND(resource=resource_id, identity=name)


def _ids(arm: Reads, name: str) -> Json:
    found = arm.platform.model(ManagedIdentityModel).find(name)
    return {} if found is None else {"principalId": found.object_id, "clientId": found.client_id}


def principal(arm: Reads, name: str) -> Principal | None:
    """Return an identity's service principal, or None if the identity does not exist."""
    found = arm.platform.model(ManagedIdentityModel).find(name)
    if found is None:
        return None
    return Principal(found.object_id, found.client_id, found.tenant_id, found.resource_id, "", {})
