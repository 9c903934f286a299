"""Application Insights components, each with a workspace. Their ingestion endpoint is a name that nothing serves."""

from uuid import uuid4

from emulator.arm.ids import subscription_of
from emulator.arm.resources import Change, Reads, ResourceType
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required
from emulator.json_object import Json
from emulator.monitoring import exceptions
from emulator.monitoring.workspaces import ACCESS, WORKSPACES_NAME

VERSIONS = ("2015-05-01", "2018-05-01-preview", "2020-02-02-preview", "2020-02-02")

RETENTION_DAYS = (30, 60, 90, 120, 180, 270, 365, 550, 730)
WHOLE = 100


def _prepare(change: Change) -> None:
    """Give a new component its keys, and fill in the defaults."""
    if "WorkspaceResourceId" not in change.properties:
        raise exceptions.NEEDS_WORKSPACE()
    keys = {"InstrumentationKey": str(uuid4()), "AppId": str(uuid4())}
    change.body["private"] = keys if change.existing is None else change.existing["private"]
    change.properties.setdefault("Flow_Type", "Bluefield")
    change.properties.setdefault("Request_Source", "rest")
    change.properties.setdefault("IngestionMode", "LogAnalytics")
    change.properties.setdefault("RetentionInDays", 90)
    change.properties.setdefault("DisableLocalAuth", False)
    change.properties.setdefault("publicNetworkAccessForIngestion", "Enabled")
    change.properties.setdefault("publicNetworkAccessForQuery", "Enabled")


def _render(_arm: Reads, stored: Json) -> Json:
    keys, location = stored["private"], stored["location"]
    return {
        "Name": stored["name"],
        "ApplicationId": stored["name"],
        "AppId": keys["AppId"],
        "InstrumentationKey": keys["InstrumentationKey"],
        "ConnectionString": (
            f"InstrumentationKey={keys['InstrumentationKey']};"
            f"IngestionEndpoint=https://{location}-8.in.applicationinsights.azure.com/;"
            f"LiveEndpoint=https://{location}.livediagnostics.monitor.azure.com/;ApplicationId={keys['AppId']}"
        ),
        "CreationDate": stored["created"],
        # In Azure too, this member has the id of the subscription.
        "TenantId": subscription_of(stored["id"])[0],
    }


COMPONENTS = ResourceType(
    name="Microsoft.Insights/components",
    api_versions=VERSIONS,
    placement="region",
    members={"kind": Required(str)},
    properties={
        "Application_Type": Required(Choice(("web", "other"))),
        "AppId": READ_ONLY,
        "ApplicationId": READ_ONLY,
        "ConnectionString": READ_ONLY,
        "CreationDate": READ_ONLY,
        "DisableIpMasking": bool,
        "DisableLocalAuth": bool,
        "Flow_Type": Choice(("Bluefield",)),
        "ImmediatePurgeDataOn30Days": bool,
        "IngestionMode": Choice(("ApplicationInsights", "ApplicationInsightsWithDiagnosticSettings", "LogAnalytics")),
        "InstrumentationKey": READ_ONLY,
        "Name": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccessForIngestion": ACCESS,
        "publicNetworkAccessForQuery": ACCESS,
        "Request_Source": Choice(("rest",)),
        "RetentionInDays": int,
        "SamplingPercentage": float,
        "TenantId": READ_ONLY,
        "WorkspaceResourceId": Reference(WORKSPACES_NAME, same_region=False, bare=True, same_subscription=False),
    },
    name_pattern=r"[^/\\#?%&]{0,259}[^/\\#?%&.]",
    created_status=200,
    prepare=_prepare,
    render=_render,
)
