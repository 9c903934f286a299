"""Federated identity credentials: tokens of which issuer, for which subject, Entra ID takes for a user-assigned identity.

Source: https://learn.microsoft.com/entra/workload-id/workload-identity-federation-considerations
"""

from collections.abc import Sequence

from emulator.arm.resources import Change, Checks, Reads, ResourceType, Writes
from emulator.identities import exceptions
from emulator.identities.resources import IDENTITIES, VERSIONS
from emulator.json_object import Json
from emulator.managed_identity import ManagedIdentityModel

MOST = 20
# How long Azure takes for a write, in which it refuses every other write on the same identity.
WRITE_SECONDS = 1
NAME = f"{IDENTITIES.name}/federatedIdentityCredentials"
MEMBERS = ("issuer", "subject", "audiences")


def _prepare(change: Change) -> None:
    properties = change.properties
    if not all(properties.get(member) for member in MEMBERS):
        raise exceptions.INCOMPLETE_CREDENTIAL()
    _require_idle(change.arm, str(change.id))
    if len(change.siblings) >= MOST:
        raise exceptions.TOO_MANY_CREDENTIALS(MOST)
    if any(all(known["properties"][one] == properties[one] for one in MEMBERS[:2]) for _, known in change.siblings):
        raise exceptions.CREDENTIAL_EXISTS()


def _require_idle(arm: Reads, resource_id: str) -> None:
    identity = _identity(resource_id)
    if identity.lower() in arm.platform.model(ManagedIdentityModel).writing:
        raise exceptions.CONCURRENT_CREDENTIALS(identity)


def _removable(arm: Checks, stored: Json) -> None:
    _require_idle(arm, stored["id"])


async def _stored(arm: Writes, stored: Json) -> None:
    await _trust(arm, stored, list(arm.scan(f"{_identity(stored['id'])}/", NAME)))


async def _removed(arm: Writes, stored: Json) -> None:
    kept = [known for known in arm.scan(f"{_identity(stored['id'])}/", NAME) if known["id"] != stored["id"]]
    await _trust(arm, stored, kept)


async def _trust(arm: Writes, written: Json, credentials: Sequence[Json]) -> None:
    """Take the time of a write, then tell the directory of the identity's credentials."""
    model, identity = arm.platform.model(ManagedIdentityModel), _identity(written["id"])
    model.writing.add(identity.lower())
    try:
        await arm.clock.sleep(WRITE_SECONDS)
    finally:
        model.writing.discard(identity.lower())
    model.trust(identity, [known["properties"] for known in credentials])


def _identity(resource_id: str) -> str:
    return resource_id.rsplit("/", 2)[0]


FEDERATED_CREDENTIALS = ResourceType(
    name=NAME,
    api_versions=tuple(version for version in VERSIONS if version >= "2022-01-31-preview"),
    properties={"issuer": str, "subject": str, "audiences": [str]},
    name_pattern=r"[A-Za-z0-9][A-Za-z0-9_-]{2,119}",
    name_refusal=lambda found: exceptions.CREDENTIAL_NAME(found.value),
    has_state=False,
    prepare=_prepare,
    removable=_removable,
    stored=_stored,
    removed=_removed,
)
