"""User-assigned identities as resources. The directory has their service principals."""

from emulator.arm.api_versions import versions
from emulator.arm.resources import Checks, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Since
from emulator.identities import exceptions
from emulator.json_object import Json
from emulator.managed_identity import ManagedIdentityModel

VERSIONS = versions("Microsoft.ManagedIdentity")


async def _make_principal(arm: Checks, stored: Json) -> None:
    tenant_id = arm.subscriptions.get(stored["id"].split("/")[2])["tenantId"]
    arm.platform.model(ManagedIdentityModel).ensure(stored["id"], tenant_id)


async def _remove_principal(arm: Reads, stored: Json) -> None:
    arm.platform.model(ManagedIdentityModel).remove(stored["id"])


def _render(arm: Reads, stored: Json) -> Json:
    found = arm.platform.model(ManagedIdentityModel).find(stored["id"])
    if found is None:
        return {}
    return {"tenantId": found.tenant_id, "principalId": found.object_id, "clientId": found.client_id}


IDENTITIES = ResourceType(
    name="Microsoft.ManagedIdentity/userAssignedIdentities",
    api_versions=VERSIONS,
    placement="region",
    properties={
        "clientId": READ_ONLY,
        "isolationScope": Since("2024-11-30", Choice(("None", "Regional"))),
        "principalId": READ_ONLY,
        "tenantId": READ_ONLY,
    },
    name_pattern=r"[A-Za-z0-9][A-Za-z0-9_-]{2,127}",
    name_refusal=lambda found: exceptions.INVALID_NAME(found.value),
    has_state=False,
    render=_render,
    # As in Azure, whose clients send this id back.
    shown=lambda _arm, stored: {"id": stored["id"].replace("/resourceGroups/", "/resourcegroups/")},
    stored=_make_principal,
    removed=_remove_principal,
)

TYPES = (IDENTITIES,)
