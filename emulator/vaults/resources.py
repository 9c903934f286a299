"""Key vaults as resources: their names, access, and what cannot be undone. Key Vault has their contents."""

from collections.abc import Callable, Iterable
from typing import Any

from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ProviderAction, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Required
from emulator.core.errors import ServiceError
from emulator.keyvault import KeyVaultModel
from emulator.keyvault.vaults import CERTIFICATE_PERMISSIONS, PERMISSIONS, VAULT_NAME
from emulator.vaults import exceptions
from emulator.vaults.deleted import DeletedVaults, is_protected
from emulator.vaults.versions import VERSIONS

Json = dict[str, Any]

VAULTS_NAME = "Microsoft.KeyVault/vaults"
RECOVER = "recover"
# From this version on, a new vault goes by roles unless its body says otherwise.
RBAC_BY_DEFAULT = "2026-02-01"
RETENTION_DAYS = range(7, 91)
_NOT_OFFERED = ("backup", "restore")
_SECRET_RIGHTS = (*PERMISSIONS, *_NOT_OFFERED, "all")
_CERTIFICATE_RIGHTS = (
    *CERTIFICATE_PERMISSIONS,
    *_NOT_OFFERED,
    *("import", "managecontacts", "manageissuers", "all"),
)
# Members that a PUT may leave out and a vault then keeps.
_KEPT = ("enableRbacAuthorization", "enablePurgeProtection", "softDeleteRetentionInDays", "accessPolicies")


def _prepare(change: Change) -> None:
    """Check the name and what cannot be undone; recover, or fill in the defaults."""
    recovering = change.properties.pop("createMode", "default") == RECOVER
    taken = None if change.existing is not None else _refusal(change, recovering=recovering)
    if taken is not None:
        raise taken
    if recovering and change.existing is None:
        _recover(change)
    properties, before = change.properties, (change.existing or {}).get("properties", {})
    _check_lasting(properties, before)
    properties |= {name: before[name] for name in _KEPT if name in before and name not in properties}
    properties.setdefault("enableRbacAuthorization", change.api_version >= RBAC_BY_DEFAULT)
    if "accessPolicies" not in properties and not properties["enableRbacAuthorization"]:
        raise exceptions.missing_policies()
    properties.setdefault("accessPolicies", [])
    properties.setdefault("enableSoftDelete", True)
    properties.setdefault("softDeleteRetentionInDays", RETENTION_DAYS[-1])
    properties.setdefault("enabledForDeployment", False)
    properties.setdefault("publicNetworkAccess", "Enabled")


def _refusal(change: Change, *, recovering: bool) -> ServiceError | None:
    """Return the error for the name of a new vault, or None."""
    name, platform = change.id.name, change.arm.platform
    if not VAULT_NAME.fullmatch(name.lower()):
        return exceptions.invalid_name(name)
    if platform.model(KeyVaultModel).vault(name) is not None:
        return exceptions.already_exists(name)
    deleted = platform.model(DeletedVaults).find(name)
    if deleted is None:
        return exceptions.deleted_not_found(name) if recovering else None
    if deleted["vault"]["id"].lower() == change.id.key and deleted["vault"]["location"] == change.location:
        return None if recovering else exceptions.in_deleted_state()
    own = deleted["vault"]["id"].lower().startswith(f"/subscriptions/{change.id.subscription_id}/".lower())
    return exceptions.in_deleted_state() if own else exceptions.already_exists(name)


def _recover(change: Change) -> None:
    """Give a recovered vault the properties and tags that it had when it was deleted."""
    deleted = change.arm.platform.model(DeletedVaults).find(change.id.name)
    if deleted is not None:
        change.body["properties"] = dict(deleted["vault"]["properties"])
        change.body.setdefault("tags", deleted["vault"].get("tags", {}))


def _check_lasting(properties: Json, before: Json) -> None:
    if properties.get("enableSoftDelete") is False:
        raise exceptions.irreversible("enableSoftDelete", "'soft delete' functionality")
    if properties.get("enablePurgeProtection") is False:
        raise exceptions.irreversible("enablePurgeProtection", "purge protection")
    days = properties.get("softDeleteRetentionInDays")
    if days is not None and days not in RETENTION_DAYS:
        raise exceptions.retention_out_of_range(days)
    if days is not None and before and days != before["softDeleteRetentionInDays"]:
        raise exceptions.retention_set()


def _render(_arm: ArmModel, stored: Json) -> Json:
    return {"vaultUri": f"https://{stored['name'].lower()}.vault.azure.net/"}


async def _stored(arm: ArmModel, stored: Json) -> None:
    """Let Key Vault serve the vault, with the contents that a deleted one had."""
    vaults, properties = arm.platform.model(KeyVaultModel), stored["properties"]
    arm.platform.model(DeletedVaults).forget(stored["name"])
    vaults.ensure_vault(stored["name"], properties["tenantId"], location=stored["location"])
    granted = [
        (policy["objectId"].lower(), policy["permissions"])
        for policy in properties["accessPolicies"]
        if policy["tenantId"].lower() == properties["tenantId"].lower()
    ]
    vaults.configure(
        stored["name"],
        {
            "resourceId": stored["id"],
            "rbac": properties["enableRbacAuthorization"],
            "purgeProtection": is_protected(stored),
            "retentionDays": properties["softDeleteRetentionInDays"],
            "policies": {who: _known(rights.get("secrets", ()), PERMISSIONS) for who, rights in granted},
            "certificatePolicies": {
                who: _known(rights.get("certificates", ()), CERTIFICATE_PERMISSIONS) for who, rights in granted
            },
        },
    )


def _known(rights: Iterable[str], known: tuple[str, ...]) -> list[str]:
    """Return the permissions that the local Key Vault can grant."""
    given = {right.lower() for right in rights}
    return list(known) if "all" in given else [right for right in known if right in given]


async def _removed(arm: ArmModel, stored: Json) -> None:
    arm.platform.model(DeletedVaults).add(stored)


def _check_name(arm: ArmModel, body: Json) -> Json:
    name = str(body.get("name", ""))
    if not VAULT_NAME.fullmatch(name.lower()):
        error, reason = exceptions.invalid_name(name), "AccountNameInvalid"
    elif any(find(name) is not None for find in _finders(arm)):
        error, reason = exceptions.already_exists(name), "AlreadyExists"
    else:
        return {"nameAvailable": True}
    return {"nameAvailable": False, "reason": reason, "message": error.message}


def _finders(arm: ArmModel) -> tuple[Callable[[str], Json | None], ...]:
    return arm.platform.model(KeyVaultModel).vault, arm.platform.model(DeletedVaults).find


_POLICY = {
    "tenantId": Required(str),
    "objectId": Required(str),
    "applicationId": str,
    "permissions": Required(
        {
            "keys": [str],
            "secrets": [Choice(_SECRET_RIGHTS)],
            "certificates": [Choice(_CERTIFICATE_RIGHTS)],
            "storage": [str],
        }
    ),
}
VAULTS = ResourceType(
    name=VAULTS_NAME,
    api_versions=VERSIONS,
    placement="region",
    properties={
        "accessPolicies": [_POLICY],
        "createMode": Choice(("default", RECOVER)),
        "enabledForDeployment": bool,
        "enabledForDiskEncryption": bool,
        "enabledForTemplateDeployment": bool,
        "enablePurgeProtection": bool,
        "enableRbacAuthorization": bool,
        "enableSoftDelete": bool,
        "hsmPoolResourceId": READ_ONLY,
        "networkAcls": {
            "bypass": Choice(("AzureServices", "None")),
            "defaultAction": Choice(("Allow", "Deny")),
            "ipRules": [{"value": Required(str)}],
            "virtualNetworkRules": [{"id": Required(str), "ignoreMissingVnetServiceEndpoint": bool}],
        },
        "privateEndpointConnections": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": Choice(("Enabled", "Disabled")),
        "sku": Required({"family": Required(Choice(("A",))), "name": Required(Choice(("standard", "premium")))}),
        "softDeleteRetentionInDays": int,
        "tenantId": Required(str),
        "vaultUri": READ_ONLY,
    },
    name_pattern=".+",
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
