"""Storage accounts, their blob service and its containers, as resources."""

import base64
import re
import secrets
from ipaddress import IPv4Network

from emulator.arm.api_versions import versions
from emulator.arm.resources import Action, ActionCall, Change, ProviderAction, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, MapOf, Required, Rule, Since, between
from emulator.blobs.models import WEB, BlobsModel
from emulator.core.clock import rfc3339
from emulator.identities.resource_identity import BOTH_CLOSE, identifiable
from emulator.json_object import Json
from emulator.storage import exceptions
from emulator.storage.models import SERVICE, StorageModel
from emulator.storage.sas import account_sas, service_sas
from emulator.storage.service_endpoints import SUBNET, subnets_without

VERSIONS = versions("Microsoft.Storage")
SHORTEST_CONTAINER, LONGEST_CONTAINER, MOST_DAYS = 3, 63, 365
CONTAINER_VERSIONS = tuple(version for version in VERSIONS if version >= "2018-02-01")
ACCOUNTS_NAME = "Microsoft.Storage/storageAccounts"
NAME = re.compile(r"[a-z0-9]{3,24}")
SKUS = (
    *("Standard_LRS", "Standard_GRS", "Standard_RAGRS", "Standard_ZRS", "Premium_LRS", "Premium_ZRS"),
    *("Standard_GZRS", "Standard_RAGZRS", "StandardV2_LRS", "StandardV2_GRS", "StandardV2_ZRS", "StandardV2_GZRS"),
    *("PremiumV2_LRS", "PremiumV2_ZRS"),
)
KINDS = ("Storage", "StorageV2", "BlobStorage", "FileStorage", "BlockBlobStorage")
TLS_VERSIONS = ("TLS1_0", "TLS1_1", "TLS1_2", "TLS1_3")
BYPASSES = ("none", "logging", "metrics", "azureservices")
LONGEST_ADDRESS_PREFIX = 30
ENDPOINTS = {kind: kind for kind in ("dfs", "blob", "queue", "table", "file")} | {"web": "z1.web"}


def _prepare_account(change: Change) -> None:
    """Check the name, which must be globally unique; make the keys; fill in the defaults."""
    name, properties, existing = change.id.name, change.properties, change.existing
    other = change.arm.platform.model(StorageModel).find(name)
    if other is not None and other["id"].lower() != change.id.key:
        same_subscription = other["id"].split("/")[2].lower() == change.id.subscription_id.lower()
        raise exceptions.IN_ANOTHER_GROUP(name) if same_subscription else exceptions.ALREADY_TAKEN(name)
    if existing is not None and "pending" in existing:
        raise exceptions.OPERATION_IN_PROGRESS(name)
    sku = change.body["sku"]["name"]
    change.body["sku"]["tier"] = _tier(sku)
    change.body.setdefault("kind", "Storage" if existing is None else existing["kind"])
    _check_network(change)
    now = rfc3339(change.arm.clock.now())
    change.body["private"] = (
        existing["private"] if existing is not None else {"keys": [_key(number, now) for number in (1, 2)]}
    )
    if existing is not None:
        # As in Azure, what a PUT leaves out stays as it is.
        change.body["properties"] = properties = existing["properties"] | properties
    properties.setdefault("supportsHttpsTrafficOnly", change.api_version >= "2019-04-01")
    properties.setdefault(
        "networkAcls", {"bypass": "AzureServices", "virtualNetworkRules": [], "ipRules": [], "defaultAction": "Allow"}
    )
    properties.setdefault(
        "encryption",
        {
            "services": {
                kind: {"keyType": "Account", "enabled": True, "lastEnabledTime": now} for kind in ("file", "blob")
            },
            "keySource": "Microsoft.Storage",
        },
    )
    if change.body["kind"] not in ("Storage", "FileStorage"):
        properties.setdefault("accessTier", "Premium" if _tier(sku) == "Premium" else "Hot")


def _tier(sku: str) -> str:
    return sku.partition("_")[0].removesuffix("V2")


def _check_network(change: Change) -> None:
    """Check that the caller may join the subnets of network rules, which have storage's endpoint.

    The rules do not hold the subnets: as in Azure, those can be deleted.
    """
    rules = change.properties.get("networkAcls", {})
    wanted = [rule["id"] for rule in rules.get("virtualNetworkRules", ())]
    # Azure documents rules for the subnets of other tenants, in which nobody could hold a right.
    own = tuple(
        f"/subscriptions/{each['subscriptionId']}/"
        for each in change.arm.subscriptions.all()
        if each["tenantId"] == change.caller.tenant_id
    )
    joined = [(f"{SUBNET}/joinViaServiceEndpoint/action", id_) for id_ in wanted if id_.lower().startswith(own)]
    change.arm.authorization.authorize_linked(change.caller, f"{ACCOUNTS_NAME}/write", str(change.id), joined)
    if without := subnets_without(change.arm, wanted, SERVICE):
        raise exceptions.NO_SERVICE_ENDPOINT(
            subnets=without, network=without[0].rpartition("/subnets/")[0], service=SERVICE
        )


def _is_address(text: str) -> bool:
    """Tell whether a network rule is a public IPv4 address, or a range of them that is not too small."""
    try:
        network = IPv4Network(text)
    except ValueError:
        return False
    small = "/" in text and network.prefixlen > LONGEST_ADDRESS_PREFIX
    return not small and not network.is_private


def _key(number: int, now: str) -> Json:
    value = base64.b64encode(secrets.token_bytes(64)).decode()
    return {"creationTime": now, "keyName": f"key{number}", "value": value, "permissions": "FULL"}


def _render_account(_arm: Reads, stored: Json) -> Json:
    return {
        "primaryEndpoints": {
            name: f"https://{stored['name']}.{kind}.core.windows.net/" for name, kind in ENDPOINTS.items()
        },
        "primaryLocation": stored["location"],
        "statusOfPrimary": "available",
        "creationTime": stored["created"],
        "keyCreationTime": {key["keyName"]: key["creationTime"] for key in stored["private"]["keys"]},
        "privateEndpointConnections": [],
    }


async def _account_stored(arm: Writes, stored: Json) -> None:
    """Claim the name, and give the account the blob service that every account has."""
    arm.platform.model(StorageModel).claim(stored["name"], stored["id"])
    service = f"{stored['id']}/blobServices/default"
    if arm.load(service) is None:
        arm.documents.put({"id": service, "name": "default", "type": f"{ACCOUNTS_NAME}/blobServices", "properties": {}})


async def _account_removed(arm: Reads, stored: Json) -> None:
    await arm.platform.model(BlobsModel).delete_account(stored["name"])


async def _blob_service_stored(arm: Writes, stored: Json) -> None:
    """Make the container of the account's static website, if it has one. As in Azure, it outlives the website."""
    if stored["properties"].get("staticWebsite", {}).get("enabled"):
        await arm.platform.model(BlobsModel).create_container(stored["id"].split("/")[8], WEB)


def _list_keys(call: ActionCall) -> Json:
    if "pending" in call.stored:
        raise exceptions.NOT_PROVISIONED()
    return {"keys": call.stored["private"]["keys"]}


def _regenerate_key(call: ActionCall) -> Json:
    name = call.body.get("keyName")
    keys = _list_keys(call)["keys"]
    if name not in [key["keyName"] for key in keys]:
        raise exceptions.INVALID_VALUES("keyName")
    now = rfc3339(call.arm.clock.now())
    renewed = [_key(number, now) if key["keyName"] == name else key for number, key in enumerate(keys, 1)]
    call.arm.documents.put(call.stored | {"private": {"keys": renewed}})
    return {"keys": renewed}


def _list_account_sas(call: ActionCall) -> Json:
    return {"accountSasToken": account_sas(call.stored["name"], _list_keys(call)["keys"], call.body)}


def _list_service_sas(call: ActionCall) -> Json:
    return {"serviceSasToken": service_sas(call.stored["name"], _list_keys(call)["keys"], call.body)}


def _check_name(arm: Reads, body: Json) -> Json:
    name = str(body.get("name", ""))
    if body.get("type") != ACCOUNTS_NAME:
        raise exceptions.INVALID_VALUES("type")
    if not NAME.fullmatch(name):
        return {
            "nameAvailable": False,
            "reason": "AccountNameInvalid",
            "message": exceptions.INVALID_NAME(name).message,
        }
    if arm.platform.model(StorageModel).find(name) is not None:
        return {"nameAvailable": False, "reason": "AlreadyExists", "message": exceptions.ALREADY_TAKEN(name).message}
    return {"nameAvailable": True}


def _prepare_container(change: Change) -> None:
    account = change.arm.load(f"{change.id.scope}/providers/{ACCOUNTS_NAME}/{change.id.names[0]}")
    if account is None or "pending" in account:
        raise exceptions.NOT_PROVISIONED()
    change.properties.setdefault("publicAccess", "None")


def _render_container(_arm: Reads, stored: Json) -> Json:
    return {
        "lastModifiedTime": stored["changed"],
        "leaseStatus": "Unlocked",
        "leaseState": "Available",
        "hasImmutabilityPolicy": False,
        "hasLegalHold": False,
    }


async def _container_stored(arm: Reads, stored: Json) -> None:
    await arm.platform.model(BlobsModel).create_container(stored["id"].split("/")[8], stored["name"])


async def _container_removed(arm: Reads, stored: Json) -> None:
    await arm.platform.model(BlobsModel).delete_container(stored["id"].split("/")[8], stored["name"])


def _choice(name: str, values: tuple[str, ...]) -> Choice:
    return Choice(values, lambda found: exceptions.VALUE_NOT_ALLOWED(name=name, value=found.value))


def _days(name: str) -> Rule:
    return between(1, MOST_DAYS, lambda found: exceptions.VALUE_NOT_ALLOWED(name=name, value=found.value))


_DAYS = between(1, 2**31 - 2, lambda _: exceptions.INVALID_VALUES("keyPolicy.keyExpirationPeriodInDays"))
_ADDRESS = Rule(
    str,
    _is_address,
    ("300.1.1.1", "10.0.0.1", "8.8.8.8/31", "2001:db8::1"),
    lambda _: exceptions.INVALID_ADDRESS(),
)
ACCOUNTS = ResourceType(
    name=ACCOUNTS_NAME,
    api_versions=VERSIONS,
    placement="region",
    members={
        "sku": Required(
            {"name": Required(Choice(SKUS, lambda found: exceptions.INVALID_SKU(found.value))), "tier": READ_ONLY}
        ),
        "kind": _choice("kind", KINDS),
        "extendedLocation": object,
        "placement": object,
        "zones": [str],
    },
    properties={
        "accessTier": _choice("accessTier", ("Hot", "Cool", "Cold", "Premium", "Smart")),
        "accountMigrationInProgress": READ_ONLY,
        "allowBlobPublicAccess": Since("2019-06-01", bool),
        "allowCrossTenantDelegationSas": Since("2025-06-01", bool),
        "allowCrossTenantReplication": Since("2021-04-01", bool),
        "allowSharedKeyAccess": Since("2019-06-01", bool),
        "allowSharedKeyAccessForServices": Since("2026-04-01", object),
        "allowedCopyScope": Since("2021-09-01", _choice("allowedCopyScope", ("PrivateLink", "AAD", "All"))),
        "azureFilesIdentityBasedAuthentication": object,
        "blobRestoreStatus": READ_ONLY,
        "creationTime": READ_ONLY,
        "customDomain": object,
        "dataCollaborationPolicyProperties": Since("2026-04-01", object),
        "defaultToOAuthAuthentication": Since("2021-06-01", bool),
        "dnsEndpointType": Since("2021-09-01", _choice("dnsEndpointType", ("Standard", "AzureDnsZone"))),
        "dualStackEndpointPreference": Since("2025-01-01", object),
        "enableExtendedGroups": Since("2023-05-01", bool),
        "encryption": {
            "identity": object,
            "keySource": Choice(
                ("Microsoft.Storage", "Microsoft.Keyvault"), lambda found: exceptions.UNKNOWN_KEY_SOURCE(found.value)
            ),
            "keyvaultproperties": object,
            "requireInfrastructureEncryption": Since("2019-06-01", bool),
            "services": object,
        },
        "failoverInProgress": READ_ONLY,
        "geoPriorityReplicationStatus": Since("2025-06-01", object),
        "geoReplicationStats": READ_ONLY,
        "immutableStorageWithVersioning": Since("2021-06-01", object),
        "isHnsEnabled": bool,
        "isLocalUserEnabled": Since("2021-08-01", bool),
        "isNfsV3Enabled": Since("2021-01-01", bool),
        "isSftpEnabled": Since("2021-08-01", bool),
        "isSkuConversionBlocked": READ_ONLY,
        "keyCreationTime": READ_ONLY,
        "keyPolicy": Since("2021-02-01", {"keyExpirationPeriodInDays": Required(_DAYS)}),
        "largeFileSharesState": Since("2019-06-01", _choice("largeFileSharesState", ("Enabled", "Disabled"))),
        "lastGeoFailoverTime": READ_ONLY,
        "minimumTlsVersion": Since("2019-06-01", _choice("minimumTlsVersion", TLS_VERSIONS)),
        "networkAcls": {
            "bypass": Rule(
                str,
                lambda text: all(part.strip().lower() in BYPASSES for part in text.split(",")),
                ("Nonsense", "Logging, Nonsense"),
                lambda _: exceptions.INVALID_VALUES("networkAcls.bypass"),
            ),
            "defaultAction": Required(Choice(("Allow", "Deny"))),
            "ipRules": [{"action": Choice(("Allow",)), "value": Required(_ADDRESS)}],
            "ipv6Rules": [object],
            "resourceAccessRules": [object],
            "virtualNetworkRules": [
                {
                    "action": Choice(("Allow",)),
                    "id": Required(str),
                    "state": READ_ONLY,
                }
            ],
        },
        "primaryEndpoints": READ_ONLY,
        "primaryLocation": READ_ONLY,
        "privateEndpointConnections": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": Since(
            "2021-06-01", _choice("publicNetworkAccess", ("Enabled", "Disabled", "SecuredByPerimeter"))
        ),
        "routingPreference": Since("2019-06-01", object),
        "sasPolicy": Since("2021-02-01", object),
        "secondaryEndpoints": READ_ONLY,
        "secondaryLocation": READ_ONLY,
        "statusOfPrimary": READ_ONLY,
        "statusOfSecondary": READ_ONLY,
        "storageAccountSkuConversionStatus": object,
        "supportsHttpsTrafficOnly": bool,
        "turboTier": Since("2026-04-01", object),
    },
    name_pattern=NAME.pattern,
    name_refusal=lambda found: exceptions.INVALID_NAME(found.value),
    create_seconds=26,
    delete_seconds=0,
    reply="location",
    writing_state="Creating",
    prepare=_prepare_account,
    render=_render_account,
    stored=_account_stored,
    removed=_account_removed,
    actions={
        "listKeys": Action(_list_keys),
        "regenerateKey": Action(_regenerate_key),
        "listAccountSas": Action(_list_account_sas),
        "listServiceSas": Action(_list_service_sas),
    },
)
BLOB_SERVICES = ResourceType(
    name=f"{ACCOUNTS_NAME}/blobServices",
    api_versions=CONTAINER_VERSIONS,
    properties={
        "automaticSnapshotPolicyEnabled": bool,
        "changeFeed": object,
        "containerDeleteRetentionPolicy": {"days": _days("containerDeleteRetentionPolicy.days"), "enabled": bool},
        "cors": object,
        "defaultServiceVersion": str,
        "deleteRetentionPolicy": {
            "allowPermanentDelete": bool,
            "days": _days("deleteRetentionPolicy.days"),
            "enabled": bool,
        },
        "isVersioningEnabled": bool,
        "lastAccessTimeTrackingPolicy": object,
        "restorePolicy": object,
        "staticWebsite": Since(
            "2026-04-01",
            {
                "enabled": Required(bool),
                **dict.fromkeys(("defaultIndexDocumentPath", "errorDocument404Path", "indexDocument"), str),
            },
        ),
    },
    members={"sku": READ_ONLY},
    name_pattern="default",
    has_state=False,
    stored=_blob_service_stored,
)
CONTAINERS = ResourceType(
    name=f"{ACCOUNTS_NAME}/blobServices/containers",
    api_versions=CONTAINER_VERSIONS,
    properties={
        "blobAccessPointConfiguration": object,
        "defaultEncryptionScope": str,
        "deleted": READ_ONLY,
        "deletedTime": READ_ONLY,
        "denyEncryptionScopeOverride": bool,
        "enableNfsV3AllSquash": bool,
        "enableNfsV3RootSquash": bool,
        "hasImmutabilityPolicy": READ_ONLY,
        "hasLegalHold": READ_ONLY,
        "immutabilityPolicy": READ_ONLY,
        "immutableStorageWithVersioning": object,
        "lastModifiedTime": READ_ONLY,
        "leaseDuration": READ_ONLY,
        "leaseState": READ_ONLY,
        "leaseStatus": READ_ONLY,
        "legalHold": READ_ONLY,
        "metadata": MapOf(str),
        "publicAccess": Choice(("None", "Blob", "Container")),
        "remainingRetentionDays": READ_ONLY,
        "version": READ_ONLY,
    },
    name_pattern=r"\$root|\$web|\$logs|(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]",
    has_state=False,
    etag="quoted",
    prepare=_prepare_container,
    render=_render_container,
    stored=_container_stored,
    removed=_container_removed,
)

TYPES = (identifiable(ACCOUNTS, BOTH_CLOSE), BLOB_SERVICES, CONTAINERS)
PROVIDER_ACTIONS = (
    ProviderAction(
        "Microsoft.Storage/checkNameAvailability", VERSIONS, "Microsoft.Storage/checknameavailability/read", _check_name
    ),
)
