"""App Service plans: Flex Consumption and Elastic Premium, both on Linux."""

from typing import Any

from emulator.arm.models import ArmModel
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import READ_ONLY, Required, Since
from emulator.web import exceptions
from emulator.web.names import FLEX, FLEX_SINCE, PLANS, PREMIUM, VERSIONS

Json = dict[str, Any]

# The SKUs that function apps run on here: tier and kind by name.
SKUS = {
    "FC1": (FLEX, "functionapp"),
    "EP1": (PREMIUM, "elastic"),
    "EP2": (PREMIUM, "elastic"),
    "EP3": (PREMIUM, "elastic"),
}
# The most workers that an Elastic Premium plan may have.
MOST_WORKERS = 100


def _prepare(change: Change) -> None:
    """Check the SKU, and fill in what follows from it."""
    properties, sku = change.properties, change.body["sku"]
    known = next((name for name in SKUS if name.lower() == sku["name"].lower()), None)
    if known is None:
        raise exceptions.not_supported(f"plans with the SKU {sku['name']}; it has {', '.join(SKUS)}")
    tier, kind = SKUS[known]
    if sku.get("tier", tier).lower() != tier.lower():
        raise exceptions.bad_request(f"The SKU {known} has the tier {tier}, not {sku['tier']}.")
    if change.existing is not None and change.existing["sku"]["tier"] != tier:
        raise exceptions.bad_request(
            f"Cannot change the App Service plan {change.id.name} from {change.existing['sku']['tier']} to {tier}."
        )
    if not properties.get("reserved"):
        raise exceptions.not_supported("Windows plans; set properties.reserved to true for Linux")
    if tier == FLEX and change.api_version < FLEX_SINCE:
        raise exceptions.bad_request(f"Flex Consumption plans need api-version {FLEX_SINCE} or later.")
    change.body["sku"] = {
        "name": known,
        "tier": tier,
        "size": known,
        "family": known[:2],
        "capacity": sku.get("capacity", 0 if tier == FLEX else 1),
    }
    change.body["kind"] = kind
    if tier == PREMIUM:
        workers = properties.setdefault("maximumElasticWorkerCount", 1)
        if not 1 <= workers <= MOST_WORKERS:
            raise exceptions.bad_request(
                f"The parameter maximumElasticWorkerCount has the value {workers}; it must be from 1 to {MOST_WORKERS}."
            )
        properties["elasticScaleEnabled"] = True
    properties.setdefault("zoneRedundant", False)


def _render(arm: ArmModel, stored: Json) -> Json:
    sites = [holder for holder in arm.documents.references.holders(arm, stored["id"]) if "/sites/" in holder.lower()]
    return {
        "serverFarmId": stored["id"],
        "name": stored["name"],
        "status": "Ready",
        "numberOfSites": len(sites),
        "geoRegion": stored["location"],
        "resourceGroup": stored["id"].split("/")[4],
        "isSpot": False,
        "hyperV": False,
        "isXenon": False,
    }


SERVER_FARMS = ResourceType(
    name=PLANS,
    api_versions=VERSIONS,
    placement="region",
    members={
        "kind": str,
        "sku": Required({"name": Required(str), "tier": str, "size": str, "family": str, "capacity": int}),
    },
    properties={
        "asyncScalingEnabled": Since("2024-11-01", bool),
        "elasticScaleEnabled": bool,
        "geoRegion": READ_ONLY,
        "hyperV": READ_ONLY,
        "isSpot": READ_ONLY,
        "isXenon": READ_ONLY,
        "maximumElasticWorkerCount": int,
        "maximumNumberOfWorkers": READ_ONLY,
        "name": READ_ONLY,
        "numberOfSites": READ_ONLY,
        "numberOfWorkers": READ_ONLY,
        "perSiteScaling": bool,
        "provisioningState": READ_ONLY,
        "reserved": bool,
        "resourceGroup": READ_ONLY,
        "serverFarmId": READ_ONLY,
        "status": READ_ONLY,
        "subscription": READ_ONLY,
        "targetWorkerCount": int,
        "targetWorkerSizeId": int,
        "workerTierName": str,
        "zoneRedundant": bool,
    },
    name_pattern=r"[A-Za-z0-9-]{1,60}",
    delete_seconds=0,
    prepare=_prepare,
    render=_render,
    in_use=exceptions.plan_in_use,
)
