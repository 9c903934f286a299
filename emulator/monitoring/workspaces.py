"""Log Analytics workspaces. A deleted one is gone."""

from uuid import uuid4

from emulator.arm.api_versions import versions
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, between
from emulator.json_object import Json
from emulator.monitoring import exceptions

WORKSPACES_NAME = "Microsoft.OperationalInsights/workspaces"
VERSIONS = versions("Microsoft.OperationalInsights/workspaces")
ACCESS = Choice(("Enabled", "Disabled", "SecuredByPerimeter"))
RETENTION_DAYS = range(30, 731)


def _prepare(change: Change) -> None:
    """Fill in the defaults of a new workspace."""
    properties = change.properties
    known = change.existing or {"properties": {}, "private": {"customerId": str(uuid4())}}
    change.body["private"] = known["private"]
    for member, value in known["properties"].items():
        properties.setdefault(member, value)
    properties.setdefault("sku", {"name": "PerGB2018"})
    properties.setdefault("retentionInDays", RETENTION_DAYS[0])
    properties.setdefault("features", {"enableLogAccessUsingOnlyResourcePermissions": True})
    properties.setdefault("workspaceCapping", {"dailyQuotaGb": -1.0})
    properties.setdefault("publicNetworkAccessForIngestion", "Enabled")
    properties.setdefault("publicNetworkAccessForQuery", "Enabled")
    properties["sku"].setdefault("name", "PerGB2018")


def _render(_arm: Reads, stored: Json) -> Json:
    return {
        "customerId": stored["private"]["customerId"],
        "createdDate": stored["created"],
        "modifiedDate": stored["changed"],
    }


WORKSPACES = ResourceType(
    name=WORKSPACES_NAME,
    api_versions=VERSIONS,
    placement="region",
    properties={
        "createdDate": READ_ONLY,
        "customerId": READ_ONLY,
        "features": {
            "clusterResourceId": str,
            "disableLocalAuth": bool,
            "enableDataExport": bool,
            "enableLogAccessUsingOnlyResourcePermissions": bool,
            "immediatePurgeDataOn30Days": bool,
            "searchVersion": int,
            "legacy": int,
        },
        "modifiedDate": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccessForIngestion": ACCESS,
        "publicNetworkAccessForQuery": ACCESS,
        "retentionInDays": between(RETENTION_DAYS[0], RETENTION_DAYS[-1], lambda _: exceptions.WRONG_RETENTION()),
        "sku": {
            "name": str,
            "capacityReservationLevel": int,
            "lastSkuUpdate": READ_ONLY,
        },
        "workspaceCapping": {
            "dailyQuotaGb": float,
            "dataIngestionStatus": READ_ONLY,
            "quotaNextResetTime": READ_ONLY,
        },
    },
    name_pattern=r"[A-Za-z0-9][A-Za-z0-9-]{2,61}[A-Za-z0-9]",
    name_refusal=lambda found: exceptions.INVALID_WORKSPACE_NAME(found.value),
    create_seconds=15,
    update_seconds=5,
    reply="operation",
    writing_state="Creating",
    prepare=_prepare,
    render=_render,
)
