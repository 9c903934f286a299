"""App Service plans: Flex Consumption and Elastic Premium, both on Linux."""

import zlib

from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Required
from emulator.json_object import Json
from emulator.web import exceptions
from emulator.web.names import FLEX, FLEX_SINCE, PLANS, PREMIUM, VERSIONS

# The SKUs that function apps run on here: tier and kind by name.
SKUS = {
    "FC1": (FLEX, "functionapp"),
    "EP1": (PREMIUM, "elastic"),
    "EP2": (PREMIUM, "elastic"),
    "EP3": (PREMIUM, "elastic"),
}


def _prepare(change: Change) -> None:
    """Check the SKU, and fill in what follows from it."""
    properties, sku = change.properties, change.body["sku"]
    known = next((name for name in SKUS if name.lower() == sku["name"].lower()), None)
    if known is None:
        raise exceptions.NOT_SUPPORTED(f"plans with the SKU {sku['name']}; it has {', '.join(SKUS)}")
    tier, kind = SKUS[known]
    if not properties.get("reserved"):
        raise exceptions.NOT_SUPPORTED("Windows plans; set properties.reserved to true for Linux")
    if tier == FLEX and change.api_version < FLEX_SINCE:
        raise exceptions.FLEX_TOO_NEW(FLEX_SINCE)
    change.body["sku"] = {
        "name": known,
        "tier": tier,
        "size": known,
        "family": known[:2],
        "capacity": sku.get("capacity", 0 if tier == FLEX else 1),
    }
    change.body["kind"] = kind
    if tier == PREMIUM:
        properties.setdefault("maximumElasticWorkerCount", 1)
        properties["elasticScaleEnabled"] = True
    properties.setdefault("zoneRedundant", False)


def _render(arm: Reads, stored: Json) -> Json:
    sites = [holder for holder in arm.holders(stored["id"]) if "/sites/" in holder.lower()]
    return {
        "serverFarmId": _number(stored["id"]),
        "name": stored["name"],
        "status": "Ready",
        "numberOfSites": len(sites),
        "geoRegion": stored["location"],
        "resourceGroup": stored["id"].split("/")[4],
        "isSpot": False,
        "hyperV": False,
        "isXenon": False,
    }


def _number(plan_id: str) -> int:
    """Return the number of a plan in its scale unit, which Azure calls `serverFarmId` too."""
    return zlib.crc32(plan_id.lower().encode()) % 100_000


SERVER_FARMS = ResourceType(
    name=PLANS,
    api_versions=VERSIONS,
    placement="region",
    members={
        "kind": str,
        "sku": Required({"name": Required(str), "tier": str, "size": str, "family": str, "capacity": int}),
    },
    properties={
        "elasticScaleEnabled": bool,
        "geoRegion": READ_ONLY,
        "hyperV": READ_ONLY,
        "isSpot": READ_ONLY,
        "isXenon": READ_ONLY,
        "maximumElasticWorkerCount": int,
        "name": READ_ONLY,
        "numberOfSites": READ_ONLY,
        "perSiteScaling": bool,
        "provisioningState": READ_ONLY,
        "reserved": bool,
        "resourceGroup": READ_ONLY,
        "serverFarmId": READ_ONLY,
        "status": READ_ONLY,
        "zoneRedundant": bool,
    },
    name_pattern=r"[A-Za-z0-9-]{1,60}",
    created_status=200,
    delete_seconds=0,
    prepare=_prepare,
    render=_render,
    in_use=exceptions.PLAN_IN_USE,
)
