"""Log Analytics workspaces: a deleted one can be created again as it was for 14 days, unless it was deleted by force.

Source: https://learn.microsoft.com/rest/api/loganalytics/workspaces/delete.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

from starlette.responses import Response

from emulator.arm.call import Call, Row, answer, page
from emulator.arm.ids import subscription_of
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Rule, Since, between
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.monitoring import exceptions

Json = dict[str, Any]

WORKSPACES_NAME = "Microsoft.OperationalInsights/workspaces"
VERSIONS = (
    "2015-11-01-preview",
    "2020-03-01-preview",
    "2020-08-01",
    "2020-10-01",
    "2021-06-01",
    "2021-12-01-preview",
    "2022-10-01",
    "2023-09-01",
    "2025-02-01",
    "2025-07-01",
)
SKUS = ("PerGB2018", "CapacityReservation", "LACluster", "Free", "Standalone", "PerNode", "Standard", "Premium")
ACCESS = Choice(("Enabled", "Disabled", "SecuredByPerimeter"))
RETENTION_DAYS = range(30, 731)
LEVELS = (100, 200, 300, 400, 500, 1000, 2000, 5000, 10_000, 25_000, 50_000)
# GB a day; -1 means no limit.
LEAST_QUOTA, UNLIMITED = 0.023, -1
KEPT = timedelta(days=14)


class DeletedWorkspaces:
    """The deleted workspaces, by id."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("workspaces_deleted")

    def add(self, stored: Json) -> None:
        """Keep a workspace that is deleted."""
        self._table.put(stored["id"].lower(), {"until": rfc3339(self._clock.now() + KEPT), "workspace": stored})

    def find(self, identifier: str) -> Json | None:
        """Return the document of a deleted workspace, or None."""
        found = self._table.get(identifier.lower())
        if found is None:
            return None
        if found["until"] <= rfc3339(self._clock.now()):
            self.forget(identifier)
            return None
        return dict(found["workspace"])

    def forget(self, identifier: str) -> None:
        """Remove a deleted workspace for good, or because it was recovered."""
        self._table.delete(identifier.lower())

    def below(self, scope: str) -> Iterator[Json]:
        """Yield the deleted workspaces of a subscription or group."""
        for key, _ in self._table.scan(f"{scope}/".lower()):
            found = self.find(key)
            if found is not None:
                yield found


def _prepare(change: Change) -> None:
    """Recover a deleted workspace with its id and settings; fill in the defaults of a new one."""
    before, properties = change.existing, change.properties
    deleted = None
    if before is None:
        deleted = change.arm.platform.model(DeletedWorkspaces).find(str(change.id))
    known = before or deleted or {"properties": {}, "private": {"customerId": str(uuid4())}}
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


async def _stored(arm: Reads, stored: Json) -> None:
    arm.platform.model(DeletedWorkspaces).forget(stored["id"])


async def _removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(DeletedWorkspaces).add(stored)


async def delete_workspace(call: Call) -> Response:
    """DELETE a workspace; with `force=true` it cannot be recovered."""
    operation = await call.arm.delete_resource(call.caller, call.path, call.api_version)
    if call.request.query_params.get("force", "").lower() == "true":
        call.arm.platform.model(DeletedWorkspaces).forget(call.path)
    return answer(None, operation.status_code)


async def list_deleted(call: Call) -> Response:
    """GET …/deletedWorkspaces of a subscription or group."""
    scope = call.path.rsplit("/providers/", 1)[0]
    subscription_id, group = subscription_of(scope)
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, "Microsoft.OperationalInsights/deletedWorkspaces/read", scope)
    if group:
        call.arm.groups.get(subscription_id, group)
    return page(call, [call.arm.render(found) for found in call.arm.platform.model(DeletedWorkspaces).below(scope)])


WORKSPACES = ResourceType(
    name=WORKSPACES_NAME,
    api_versions=VERSIONS,
    placement="region",
    properties={
        "createdDate": READ_ONLY,
        "customerId": READ_ONLY,
        "defaultDataCollectionRuleResourceId": Since("2021-12-01-preview", str),
        "features": {
            "clusterResourceId": str,
            "disableLocalAuth": bool,
            "enableDataExport": bool,
            "enableLogAccessUsingOnlyResourcePermissions": bool,
            "immediatePurgeDataOn30Days": bool,
            "searchVersion": int,
            "legacy": int,
        },
        "forceCmkForQuery": bool,
        "modifiedDate": READ_ONLY,
        "privateLinkScopedResources": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccessForIngestion": ACCESS,
        "publicNetworkAccessForQuery": ACCESS,
        "retentionInDays": between(RETENTION_DAYS[0], RETENTION_DAYS[-1], lambda _: exceptions.WRONG_RETENTION()),
        "sku": {
            "name": Choice(SKUS, lambda found: exceptions.INVALID_PARAMETER(name="sku.name", value=found.value)),
            "capacityReservationLevel": int,
            "lastSkuUpdate": READ_ONLY,
        },
        "workspaceCapping": {
            "dailyQuotaGb": Rule(
                float,
                lambda quota: quota == UNLIMITED or quota >= LEAST_QUOTA,
                (0, -2, 0.01),
                lambda found: exceptions.INVALID_PARAMETER(name="workspaceCapping.dailyQuotaGb", value=found.value),
            ),
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
    stored=_stored,
    removed=_removed,
)
_S = "/subscriptions/{subscription_id}"
_G = f"{_S}/resourcegroups/{{group}}"
_DELETED = "/providers/Microsoft.OperationalInsights/deletedWorkspaces"
_DELETED_TYPE = "Microsoft.OperationalInsights/deletedWorkspaces"
ROWS = (
    Row("DELETE", f"{_G}/providers/{WORKSPACES_NAME}/{{name}}", delete_workspace, WORKSPACES_NAME),
    Row("GET", _S + _DELETED, list_deleted, _DELETED_TYPE, VERSIONS),
    Row("GET", _G + _DELETED, list_deleted, _DELETED_TYPE, VERSIONS),
)
