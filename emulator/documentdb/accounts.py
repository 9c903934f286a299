"""Database accounts. Cosmos DB serves their data under their names."""

import re
from uuid import NAMESPACE_URL, uuid5

from emulator.arm.exceptions import LOCATION_NOT_AVAILABLE
from emulator.arm.groups import LOCATIONS, normal_location
from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Required, Since
from emulator.core.clock import rfc3339
from emulator.cosmos import CosmosModel
from emulator.documentdb import exceptions
from emulator.documentdb.roles import make_definitions
from emulator.documentdb.versions import VERSIONS
from emulator.json_object import Json

ACCOUNTS_NAME = "Microsoft.DocumentDB/databaseAccounts"
NAME = re.compile(r"(?=.{3,44}$)[a-z0-9]+(-[a-z0-9]+)*")
SERVERLESS = "EnableServerless"
KIND = "GlobalDocumentDB"
LEVELS = ("Eventual", "Session", "BoundedStaleness", "Strong", "ConsistentPrefix")
_DEFAULTS: Json = {
    "capabilities": [],
    "consistencyPolicy": {"defaultConsistencyLevel": "Session"},
    "cors": [],
    "disableKeyBasedMetadataWriteAccess": False,
    "disableLocalAuth": False,
    "enableAutomaticFailover": False,
    "enableFreeTier": False,
    "enableMultipleWriteLocations": False,
    "ipRules": [],
    "isVirtualNetworkFilterEnabled": False,
    "minimalTlsVersion": "Tls12",
    "networkAclBypass": "None",
    "networkAclBypassResourceIds": [],
    "publicNetworkAccess": "Enabled",
    "virtualNetworkRules": [],
}


def is_serverless(account: Json) -> bool:
    """Tell whether an account's document says that nothing in it has throughput."""
    return SERVERLESS in [capability["name"] for capability in account["properties"]["capabilities"]]


def _prepare(change: Change) -> None:
    """Check the name, which must be globally unique, and what the local Azure does not have; fill in the defaults."""
    name, existing = change.id.name, change.existing
    if existing is None and change.arm.platform.model(CosmosModel).account(name) is not None:
        raise exceptions.NAME_TAKEN(name)
    if change.body.setdefault("kind", KIND) != KIND:
        raise exceptions.NOT_SUPPORTED(f"accounts of the kind {change.body['kind']}")
    change.properties.pop("createMode", None)
    # The CLI always sends it; it says something of accounts for MongoDB only.
    change.properties.pop("apiProperties", None)
    before = {} if existing is None else existing["properties"]
    for member, value in (_DEFAULTS | {member: before[member] for member in _DEFAULTS if member in before}).items():
        change.properties.setdefault(member, value)
    _check_locations(change.properties["locations"])
    for capability in change.properties["capabilities"]:
        if capability["name"] != SERVERLESS:
            raise exceptions.NOT_SUPPORTED(f"the capability {capability['name']}")


def _check_locations(locations: list[Json]) -> None:
    for place in locations:
        if normal_location(place["locationName"]) not in LOCATIONS:
            raise LOCATION_NOT_AVAILABLE(
                location=place["locationName"], resource_type=ACCOUNTS_NAME, available=",".join(LOCATIONS)
            )
    if len(locations) > 1:
        raise exceptions.NOT_SUPPORTED("accounts in several regions")


def _render(_arm: Reads, stored: Json) -> Json:
    name, place = stored["name"], stored["properties"]["locations"][0]
    region = {"failoverPriority": 0, "isZoneRedundant": False} | place
    region |= {"id": f"{name}-{normal_location(place['locationName'])}", "provisioningState": "Succeeded"}
    endpoint = f"https://{name}.documents.azure.com:443/"
    regions = [region | {"documentEndpoint": endpoint}]
    failover = {"id": region["id"], "locationName": region["locationName"], "failoverPriority": 0}
    return {
        "documentEndpoint": endpoint,
        "sqlEndpoint": endpoint,
        "instanceId": str(uuid5(NAMESPACE_URL, f"{stored['id'].lower()}|{stored['created']}")),
        "EnabledApiTypes": "Sql",
        "writeLocations": regions,
        "readLocations": regions,
        "locations": regions,
        "failoverPolicies": [failover],
        "privateEndpointConnections": [],
    }


async def _stored(arm: Writes, stored: Json) -> None:
    tenant_id = arm.subscriptions.get(stored["id"].split("/")[2])["tenantId"]
    location = normal_location(stored["properties"]["locations"][0]["locationName"])
    ready_at = rfc3339(arm.clock.after(ACCOUNTS.create_seconds))
    accounts = arm.platform.model(CosmosModel)
    accounts.ensure_account(stored["name"], tenant_id, location, ready_at)
    accounts.set_consistency(stored["name"], stored["properties"]["consistencyPolicy"]["defaultConsistencyLevel"])
    make_definitions(arm, stored["id"])


async def _removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(CosmosModel).delete_account(stored["name"])


_REGION = {
    "documentEndpoint": READ_ONLY,
    "failoverPriority": int,
    "id": READ_ONLY,
    "isZoneRedundant": bool,
    "locationName": Required(str),
    "provisioningState": READ_ONLY,
}
ACCOUNTS = ResourceType(
    name=ACCOUNTS_NAME,
    api_versions=VERSIONS,
    placement="region",
    members={"kind": Choice((KIND, "MongoDB", "Parse"))},
    properties={
        "apiProperties": {"serverVersion": Choice(("3.2", "3.6", "4.0", "4.2", "5.0", "6.0", "7.0"))},
        "backupPolicy": object,
        "capabilities": [{"name": Required(str)}],
        "consistencyPolicy": {
            "defaultConsistencyLevel": Required(Choice(LEVELS)),
            "maxIntervalInSeconds": int,
            "maxStalenessPrefix": int,
        },
        "cors": [object],
        "createMode": Choice(("Default",)),
        "databaseAccountOfferType": Required(Choice(("Standard",))),
        "disableKeyBasedMetadataWriteAccess": bool,
        "disableLocalAuth": Since("2021-06-15", bool),
        "documentEndpoint": READ_ONLY,
        "enableAutomaticFailover": bool,
        "EnabledApiTypes": READ_ONLY,
        "enableFreeTier": bool,
        "enableMultipleWriteLocations": bool,
        "failoverPolicies": READ_ONLY,
        "instanceId": READ_ONLY,
        "ipRules": [{"ipAddressOrRange": str}],
        "isVirtualNetworkFilterEnabled": bool,
        "locations": Required([_REGION]),
        "minimalTlsVersion": Since("2022-08-15", Choice(("Tls", "Tls11", "Tls12"))),
        "networkAclBypass": Choice(("None", "AzureServices")),
        "networkAclBypassResourceIds": [str],
        "privateEndpointConnections": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": Choice(("Enabled", "Disabled", "SecuredByPerimeter")),
        "readLocations": READ_ONLY,
        "sqlEndpoint": READ_ONLY,
        "virtualNetworkRules": [object],
        "writeLocations": READ_ONLY,
    },
    name_pattern=NAME.pattern,
    name_refusal=lambda found: exceptions.INVALID_NAME(found.value),
    create_seconds=120,
    update_seconds=60,
    delete_seconds=180,
    reply="ok",
    writing_state="Creating",
    prepare=_prepare,
    render=_render,
    stored=_stored,
    removed=_removed,
)
