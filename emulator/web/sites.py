"""Function apps as resources: the rules of a PUT, and what GET shows."""

from emulator.arm.resources import Action, ActionCall, Change, ProviderAction, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Since
from emulator.identities import resource_identity
from emulator.json_object import Json
from emulator.managed_identity import ManagedIdentityModel
from emulator.web import exceptions, function_app_config, settings, site_config, subnet_integration
from emulator.web.models import SitesModel, new_credentials
from emulator.web.names import (
    FLEX,
    HOST,
    NAMESPACE,
    PLANS,
    POLICIES,
    SCM_SUFFIX,
    SITES,
    SUBNETS,
    SUFFIX,
    VERSIONS,
)

NAME = r"[A-Za-z0-9]([A-Za-z0-9-]{0,58}[A-Za-z0-9])"
SYSTEM_ASSIGNED = "SystemAssigned"
CLIENT_CERTIFICATE_MODES = ("Required", "Optional", "OptionalInteractiveUser")


def _prepare(change: Change) -> None:
    """Check the rules that span several members, and put aside what becomes the site's configuration."""
    properties, existing = change.properties, change.existing or {}
    model = change.arm.platform.model(SitesModel)
    other = model.find(change.id.name)
    if other is not None and other["id"].lower() != change.id.key:
        raise exceptions.NAME_TAKEN(change.id.name)
    _check_kind(change)
    plan = change.arm.load(properties["serverFarmId"]) or {}
    tier = str(plan["sku"]["tier"])
    _check_plan(change, plan, tier, model)
    resource_identity.check(change, SITES, (resource_identity.USER,))
    _check_functions(change, tier)
    given = properties.pop("siteConfig", {})
    app_settings = given.pop("appSettings", None)
    before = model.config(str(change.id), "web") if change.existing else dict(site_config.DEFAULTS)
    site_config.check(given, tier)
    change.body["private"] = {"web": before | given}
    if app_settings is not None:
        change.body["private"]["appsettings"] = settings.check(settings.pairs(app_settings), tier)
    subnet = properties.get("virtualNetworkSubnetId")
    if subnet:
        subnet_integration.check(change, subnet, tier)
    _check_reference_identity(change)
    old = existing.get("properties", {})
    properties["enabled"] = properties.get("enabled", old.get("enabled", True))
    properties.setdefault("httpsOnly", False)
    properties.setdefault("clientCertEnabled", False)
    properties.setdefault("clientCertMode", "Required")
    if properties.get("clientCertExclusionPaths"):
        raise exceptions.NOT_SUPPORTED("clientCertExclusionPaths")


def _name(identifier: str) -> str:
    return identifier.rpartition("/")[2]


def _check_kind(change: Change) -> None:
    parts = {part.strip().lower() for part in str(change.body.get("kind") or "").split(",")}
    if parts != {"functionapp", "linux"}:
        raise exceptions.NOT_SUPPORTED(
            f"sites of the kind '{change.body.get('kind') or ''}'; it has function apps on Linux, functionapp,linux"
        )
    change.body["kind"] = "functionapp,linux"


def _check_plan(change: Change, plan: Json, tier: str, model: SitesModel) -> None:
    """Check that the site may be in the plan, and stays in a plan of the same tier."""
    if tier == FLEX:
        for holder in change.arm.holders(plan["id"]):
            if holder.lower() != change.id.key:
                raise exceptions.PLAN_FULL(plan=plan["name"], site=holder.rsplit("/", 1)[-1])
    if change.existing is not None and model.tier(change.existing) != tier:
        raise exceptions.OTHER_TIER(site=change.id.name, tier=tier)


def _check_functions(change: Change, tier: str) -> None:
    """Check that `functionAppConfig` is there on Flex Consumption, and only there."""
    config = change.properties.get("functionAppConfig")
    if tier != FLEX:
        if config is not None:
            raise exceptions.FUNCTIONS_NOT_ON_FLEX(site=change.id.name, tier=tier)
        return
    if config is None:
        raise exceptions.FUNCTIONS_MISSING()
    function_app_config.check(config)


def _check_reference_identity(change: Change) -> None:
    wanted = change.properties.setdefault("keyVaultReferenceIdentity", SYSTEM_ASSIGNED)
    known = [name.lower() for name in resource_identity.assigned(change.body)]
    if wanted.lower() not in (SYSTEM_ASSIGNED.lower(), *known):
        raise exceptions.IDENTITY_NOT_ASSIGNED(identity=wanted, site=change.id.name)


async def _stored(arm: Writes, stored: Json) -> None:
    """Claim the name, write the configuration, and give a new site what every site has."""
    model = arm.platform.model(SitesModel)
    model.claim(stored["name"], stored["id"])
    private = stored["private"]
    model.set_config(stored["id"], "web", private["web"])
    if arm.load(f"{stored['id']}/config/publishingcredentials") is None:
        model.set_config(stored["id"], "publishingcredentials", {}, new_credentials(stored["name"]))
        model.set_config(stored["id"], "slotConfigNames", {})
        model.set_config(stored["id"], "authsettingsV2", {"platform": {"enabled": False}})
        model.set_config(stored["id"], "appsettings", {}, {})
        arm.documents.put({"id": f"{stored['id']}/host/default", "name": "default", "type": HOST, "properties": {}})
        for name in ("scm", "ftp"):
            policy = f"{stored['id']}/basicPublishingCredentialsPolicies/{name}"
            arm.documents.put({"id": policy, "name": name, "type": POLICIES, "properties": {"allow": True}})
    if "appsettings" in private:
        model.set_config(stored["id"], "appsettings", {}, private["appsettings"])
    model.changed()


async def _removed(arm: Reads, stored: Json) -> None:
    arm.platform.model(SitesModel).forget(stored)
    arm.platform.model(ManagedIdentityModel).forget(stored["id"])


def _render(arm: Reads, stored: Json) -> Json:
    model = arm.platform.model(SitesModel)
    name, web = stored["name"].lower(), model.config(stored["id"], "web")
    host, scm = f"{name}{SUFFIX}", f"{name}{SCM_SUFFIX}"
    enabled = stored["properties"].get("enabled", True)
    return {
        "name": stored["name"],
        "state": "Running" if enabled else "Stopped",
        "hostNames": [host],
        "enabledHostNames": [host, scm],
        "hostNameSslStates": [
            {"name": host, "sslState": "Disabled", "hostType": "Standard"},
            {"name": scm, "sslState": "Disabled", "hostType": "Repository"},
        ],
        "defaultHostName": host,
        "repositorySiteName": stored["name"],
        "sku": model.tier(stored),
        "siteConfig": {member: web.get(member) for member in site_config.SHOWN},
        "reserved": True,
        "usageState": "Normal",
        "availabilityState": "Normal",
        "lastModifiedTimeUtc": stored["changed"],
        "resourceGroup": stored["id"].split("/")[4],
        "adminEnabled": True,
        "isXenon": False,
        "hyperV": False,
    }


def _set_enabled(call: ActionCall, *, enabled: bool) -> Json:
    call.arm.documents.put(call.stored | {"properties": call.stored["properties"] | {"enabled": enabled}})
    call.arm.platform.model(SitesModel).changed()
    return {}


def _restart(call: ActionCall) -> Json:
    call.arm.platform.model(SitesModel).restart(call.stored["id"])
    return {}


def _check_name(arm: Reads, body: Json) -> Json:
    name, kind = str(body.get("name", "")), str(body.get("type", ""))
    if kind.lower() not in (SITES.lower(), "site"):
        raise exceptions.NOT_SUPPORTED(f"checknameavailability of the type '{kind}'; it has {SITES}")
    if arm.platform.model(SitesModel).find(name) is None:
        return {"nameAvailable": True, "reason": "", "message": ""}
    return {
        "nameAvailable": False,
        "reason": "AlreadyExists",
        "message": f"Hostname '{name}' already exists. Please select a different name.",
    }


FUNCTION_APPS = ResourceType(
    name=SITES,
    api_versions=VERSIONS,
    placement="region",
    members={"kind": str, "identity": resource_identity.table(resource_identity.BOTH)},
    properties={
        "adminEnabled": READ_ONLY,
        "availabilityState": READ_ONLY,
        "clientAffinityEnabled": bool,
        "clientCertEnabled": bool,
        "clientCertExclusionPaths": str,
        "clientCertMode": Choice(CLIENT_CERTIFICATE_MODES),
        "containerSize": READ_ONLY,
        "dailyMemoryTimeQuota": READ_ONLY,
        "defaultHostName": READ_ONLY,
        "enabled": bool,
        "enabledHostNames": READ_ONLY,
        "functionAppConfig": function_app_config.FUNCTION_APP_CONFIG,
        "hostNameSslStates": READ_ONLY,
        "hostNames": READ_ONLY,
        "httpsOnly": bool,
        "hyperV": READ_ONLY,
        "isXenon": READ_ONLY,
        "keyVaultReferenceIdentity": str,
        "lastModifiedTimeUtc": READ_ONLY,
        "name": READ_ONLY,
        "provisioningState": READ_ONLY,
        "publicNetworkAccess": Choice(("Enabled",)),
        "repositorySiteName": READ_ONLY,
        "reserved": bool,
        "resourceGroup": READ_ONLY,
        "serverFarmId": Required(
            Reference(
                PLANS, "join/action", bare=True, missing=lambda target, **_: exceptions.PLAN_NOT_FOUND(_name(target))
            )
        ),
        "siteConfig": site_config.SITE_CONFIG,
        "sku": READ_ONLY,
        "state": READ_ONLY,
        "storageAccountRequired": bool,
        "usageState": READ_ONLY,
        "virtualNetworkSubnetId": Since("2021-02-01", Reference(SUBNETS, "join/action", bare=True)),
    },
    name_pattern=NAME,
    name_refusal=lambda found: exceptions.INVALID_HOST_NAME(f"{found.value}{SUFFIX}"),
    has_state=False,
    created_status=200,
    prepare=_prepare,
    render=_render,
    shown=resource_identity.shown_in,
    stored=_stored,
    removed=_removed,
    actions={
        "start": Action(lambda call: _set_enabled(call, enabled=True)),
        "stop": Action(lambda call: _set_enabled(call, enabled=False)),
        "restart": Action(_restart),
    },
)
PROVIDER_ACTIONS = (
    ProviderAction(
        f"{NAMESPACE}/checknameavailability", VERSIONS, f"{NAMESPACE}/checknameavailability/Read", _check_name
    ),
)
