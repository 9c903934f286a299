"""Key vaults as resources: their names, access, and what cannot be undone. Key Vault has their contents."""

from collections.abc import Callable, Iterable

from emulator.arm.ids import GUID
from emulator.arm.resources import Change, ProviderAction, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required, Rule, matching
from emulator.json_object import Json
from emulator.keyvault import KeyVaultModel
from emulator.keyvault.vaults import VAULT_NAME
from emulator.vaults import exceptions
from emulator.vaults.deleted_vaults import DeletedVaults, is_protected
from emulator.vaults.versions import VERSIONS

VAULTS_NAME = "Microsoft.KeyVault/vaults"
# From this version on, a new vault goes by roles unless its body says otherwise.
RBAC_BY_DEFAULT = "2026-02-01"
RETENTION_DAYS = range(7, 91)
# Members that a PUT may leave out and a vault then keeps.
_KEPT = ("enableRbacAuthorization", "enablePurgeProtection", "softDeleteRetentionInDays", "accessPolicies")


def _prepare(change: Change) -> None:
    """Check the name and what cannot be undone; fill in the defaults."""
    change.properties.pop("createMode", None)
    if change.existing is None:
        _check_name_free(change)
    properties, before = change.properties, (change.existing or {}).get("properties", {})
    _check_lasting(properties, before)
    properties |= {name: before[name] for name in _KEPT if name in before and name not in properties}
    properties.setdefault("enableRbacAuthorization", change.api_version >= RBAC_BY_DEFAULT)
    properties.setdefault("accessPolicies", [])
    if properties["accessPolicies"] or not properties["enableRbacAuthorization"]:
        raise exceptions.NOT_EMULATED()
    properties.setdefault("enableSoftDelete", True)
    properties.setdefault("softDeleteRetentionInDays", RETENTION_DAYS[-1])
    properties.setdefault("enabledForDeployment", False)
    properties.setdefault("publicNetworkAccess", "Enabled")


def _check_name_free(change: Change) -> None:
    """Check that no other vault has the name of a new one, and that none of that name was deleted and not yet purged."""
    name, platform = change.id.name, change.arm.platform
    if platform.model(KeyVaultModel).vault(name) is not None:
        raise exceptions.ALREADY_EXISTS(name)
    deleted = platform.model(DeletedVaults).find(name)
    if deleted is not None:
        own = deleted["vault"]["id"].lower().startswith(f"/subscriptions/{change.id.subscription_id}/".lower())
        raise exceptions.IN_DELETED_STATE() if own else exceptions.ALREADY_EXISTS(name)


def _check_lasting(properties: Json, before: Json) -> None:
    days = properties.get("softDeleteRetentionInDays")
    if days is not None and before and days != before["softDeleteRetentionInDays"]:
        raise exceptions.RETENTION_SET()


def _render(_arm: Reads, stored: Json) -> Json:
    return {"vaultUri": f"https://{stored['name'].lower()}.vault.azure.net/"}


async def _stored(arm: Reads, stored: Json) -> None:
    """Let Key Vault serve the vault."""
    vaults, properties = arm.platform.model(KeyVaultModel), stored["properties"]
    vaults.ensure_vault(stored["name"], properties["tenantId"], location=stored["location"])
    vaults.configure(
        stored["name"],
        {
            "resourceId": stored["id"],
            "purgeProtection": is_protected(stored),
            "retentionDays": properties["softDeleteRetentionInDays"],
        },
    )


async def _removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(DeletedVaults).add(stored)


def _check_name(arm: Reads, body: Json) -> Json:
    name = str(body.get("name", ""))
    if not VAULT_NAME.fullmatch(name.lower()):
        error, reason = exceptions.INVALID_NAME(name), "AccountNameInvalid"
    elif any(find(name) is not None for find in _finders(arm)):
        error, reason = exceptions.ALREADY_EXISTS(name), "AlreadyExists"
    else:
        return {"nameAvailable": True}
    return {"nameAvailable": False, "reason": reason, "message": error.message}


def _finders(arm: Reads) -> tuple[Callable[[str], Json | None], ...]:
    return arm.platform.model(KeyVaultModel).vault, arm.platform.model(DeletedVaults).find


def _choice(name: str, values: Iterable[str]) -> Choice:
    return Choice(tuple(values), lambda _: exceptions.INVALID_VALUE(name))


def _irreversible(name: str, meaning: str) -> Rule:
    return Rule(bool, lambda value: value, (False,), lambda _: exceptions.IRREVERSIBLE(name=name, meaning=meaning))


def _guid(name: str) -> Rule:
    return matching(GUID, ("no-guid", ""), lambda _: exceptions.INVALID_VALUE(name))


VAULTS = ResourceType(
    name=VAULTS_NAME,
    api_versions=VERSIONS,
    placement="region",
    properties={
        "accessPolicies": [object],
        "createMode": Choice(("default",)),
        "enabledForDeployment": bool,
        "enabledForDiskEncryption": bool,
        "enabledForTemplateDeployment": bool,
        "enablePurgeProtection": _irreversible("enablePurgeProtection", "purge protection"),
        "enableRbacAuthorization": bool,
        "enableSoftDelete": _irreversible("enableSoftDelete", "'soft delete' functionality"),
        "hsmPoolResourceId": READ_ONLY,
        "networkAcls": {
            "bypass": str,
            "defaultAction": str,
            "ipRules": [{"value": Required(str)}],
            "virtualNetworkRules": [{"id": Required(str), "ignoreMissingVnetServiceEndpoint": bool}],
        },
        "privateEndpointConnections": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": str,
        "sku": Required(
            {
                "family": Required(_choice("sku.family", ("A",))),
                "name": Required(_choice("sku.name", ("standard", "premium"))),
            }
        ),
        "softDeleteRetentionInDays": int,
        "tenantId": Required(_guid("tenantId")),
        "vaultUri": READ_ONLY,
    },
    name_pattern=f"(?i:{VAULT_NAME.pattern})",
    name_refusal=lambda found: exceptions.INVALID_NAME(found.value),
    create_seconds=20,
    reply="resource",
    writing_state="RegisteringDns",
    prepare=_prepare,
    render=_render,
    stored=_stored,
    removed=_removed,
)

TYPES = (VAULTS,)
PROVIDER_ACTIONS = (
    ProviderAction(
        "Microsoft.KeyVault/checkNameAvailability",
        VERSIONS,
        "Microsoft.KeyVault/checkNameAvailability/read",
        _check_name,
    ),
)
