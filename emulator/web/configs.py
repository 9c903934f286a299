"""What hangs on a site: its configurations, publishing policies, and the keys of its host."""

from xml.etree import ElementTree as ET

from starlette.responses import Response

from emulator.arm import exceptions as arm_exceptions
from emulator.arm.call import Call, Row, answer, page
from emulator.arm.ids import parse_resource
from emulator.arm.resources import Action, ActionCall, Change, Reads, ResourceType
from emulator.arm.responses.resources import serve
from emulator.arm.schema import READ_ONLY, MapOf, Reading, Required
from emulator.json_object import Json
from emulator.web import exceptions, settings, site_config
from emulator.web.models import SitesModel, site_of
from emulator.web.names import CONFIG, HOST, POLICIES, SCM_SUFFIX, SITES, SUFFIX, VERSIONS

NAMES = ("appsettings", "web", "slotConfigNames", "publishingcredentials", "authsettingsV2")
SLOT_NAMES = ("appSettingNames", "connectionStringNames", "azureStorageConfigNames")
_SITE = "/subscriptions/{subscription_id}/resourceGroups/{group}/providers/Microsoft.Web/sites/{site}"
_PATH = f"{_SITE}/config/{{name}}"


def _prepare(change: Change) -> None:
    """Check a configuration by the rules of its name."""
    name = next((known for known in NAMES if known.lower() == change.id.name.lower()), "")
    if not name:
        raise exceptions.NOT_SUPPORTED(f"config/{change.id.name}; it has {', '.join(NAMES)}")
    model = change.arm.platform.model(SitesModel)
    site = change.arm.load(change.id.parent) if change.id.parent is not None else None
    tier = "" if site is None else model.tier(site)
    for member in ("kind", "location", "tags"):
        change.body.pop(member, None)
    match name:
        case "appsettings":
            change.body["private"] = settings.check(change.properties, tier)
            change.body["properties"] = {}
        case "web":
            _prepare_web(change, tier, model)
        case "slotConfigNames":
            _check_slot_names(change)
        case "authsettingsV2":
            if ((change.properties.get("platform") or {}).get("enabled")) is True:
                raise exceptions.NOT_SUPPORTED("App Service authentication (config/authsettingsV2)")
        case _:
            raise arm_exceptions.METHOD_NOT_SUPPORTED("PUT")


def _prepare_web(change: Change, tier: str, model: SitesModel) -> None:
    reading = Reading(change.api_version, "SiteConfig")
    given = reading.read(site_config.SITE_CONFIG, change.properties, "properties")
    if reading.problems:
        raise arm_exceptions.INVALID_REQUEST_CONTENT(reading.problems[0])
    given.pop("appSettings", None)
    site_config.check(given, tier)
    change.body["properties"] = model.config(str(change.id.parent), "web") | given


def _check_slot_names(change: Change) -> None:
    unknown = [name for name in change.properties if name not in SLOT_NAMES]
    if unknown:
        raise arm_exceptions.INVALID_REQUEST_CONTENT(f"Could not find member '{unknown[0]}' on SlotConfigNames.")


def _refuse_removal(_arm: Reads, _stored: Json) -> None:
    raise arm_exceptions.METHOD_NOT_SUPPORTED("DELETE")


async def _stored(arm: Reads, _stored: Json) -> None:
    arm.platform.model(SitesModel).changed()


def _list(call: ActionCall) -> Json:
    """Answer `config/{name}/list`, which shows secrets and therefore needs a right of its own."""
    shown: Json = {member: call.stored[member] for member in ("id", "name", "type")}
    match call.stored["name"]:
        case "appsettings":
            return shown | {"properties": call.stored["private"]}
        case "publishingcredentials":
            return shown | {"properties": call.stored["private"] | {"scmUri": _scm_uri(call)}}
        case _:
            raise arm_exceptions.UNKNOWN_ACTION(action="list", resource_type=call.stored["type"])


def _scm_uri(call: ActionCall) -> str:
    user, password = (call.stored["private"][name] for name in ("publishingUserName", "publishingPassword"))
    return f"https://{user}:{password}@{call.id.names[0].lower()}{SCM_SUFFIX}"


def _list_keys(call: ActionCall) -> Json:
    """Answer `host/default/listkeys`."""
    model = call.arm.platform.model(SitesModel)
    site = call.arm.load(site_of(call.stored["id"]))
    if site is None:
        raise arm_exceptions.resource_not_found(call.id)
    return model.keys(site)


async def _list_web(call: Call) -> Response:
    """GET the list of configurations: Azure lists only `web`."""
    web = parse_resource(f"{call.path}/web")
    call.arm.subscriptions.for_caller(web.subscription_id, call.caller)
    call.arm.authorize(call.caller, f"{CONFIG}/read", site_of(str(web)))
    found = call.arm.get_resource(str(web), call.api_version)
    if found is None:
        raise arm_exceptions.PARENT_RESOURCE_NOT_FOUND(identifier=web, verb="read")
    return page(call, [found])


async def _serve(call: Call) -> Response:
    """Answer GET and PATCH of a configuration; refuse them for those that only the action `list` shows."""
    if call.params["name"].lower() in ("appsettings", "publishingcredentials"):
        raise arm_exceptions.METHOD_NOT_SUPPORTED(call.request.method)
    return await serve(call)


async def _put_settings(call: Call) -> Response:
    """PUT `config/{name}`; the answer shows the app settings to the caller who wrote them."""
    operation = await call.arm.put_resource(call.caller, call.path, call.api_version, await call.object())
    stored = call.arm.load(operation.resource_id) or {}
    shown = operation.body | ({"properties": stored["private"]} if "private" in stored else {})
    return answer(shown, 200)


async def _publish_profile(call: Call) -> Response:
    """POST `publishxml`: the publishing profile, which has the credentials in clear."""
    path = call.path.rsplit("/", 1)[0]
    identifier = parse_resource(path)
    call.arm.subscriptions.for_caller(identifier.subscription_id, call.caller)
    call.arm.authorize(call.caller, f"{SITES}/publishxml/Action", str(identifier))
    site = call.arm.load(identifier)
    if site is None:
        raise arm_exceptions.resource_not_found(identifier)
    wanted = str((await call.object()).get("format") or "WebDeploy")
    if wanted.lower() != "webdeploy":
        raise exceptions.NOT_SUPPORTED(f"publishing profiles in the format {wanted}; it has WebDeploy")
    name, known = site["name"].lower(), call.arm.platform.model(SitesModel).credentials(site["id"])
    profile = ET.Element(
        "publishProfile",
        {
            "profileName": f"{site['name']} - Zip Deploy",
            "publishMethod": "ZipDeploy",
            "publishUrl": f"{name}{SCM_SUFFIX}:443",
            "userName": known["publishingUserName"],
            "userPWD": known["publishingPassword"],
            "destinationAppUrl": f"https://{name}{SUFFIX}",
        },
    )
    data = ET.Element("publishData")
    data.append(profile)
    return Response(ET.tostring(data), media_type="application/xml")


SITE_CONFIGS = ResourceType(
    name=CONFIG,
    api_versions=VERSIONS,
    members={"kind": str, "location": str, "tags": object},
    properties=MapOf(object),
    has_state=False,
    created_status=200,
    prepare=_prepare,
    removable=_refuse_removal,
    stored=_stored,
    actions={"list": Action(_list)},
)
PUBLISHING_POLICIES = ResourceType(
    name=POLICIES,
    api_versions=VERSIONS,
    members={"kind": str, "location": str},
    properties={"allow": Required(bool)},
    name_pattern="scm|ftp",
    has_state=False,
    created_status=200,
    removable=_refuse_removal,
)
HOSTS = ResourceType(
    name=HOST,
    api_versions=VERSIONS,
    properties={"provisioningState": READ_ONLY},
    name_pattern="default",
    has_state=False,
    inline_only=True,
    actions={"listkeys": Action(_list_keys)},
)
ROWS = (
    Row("GET", f"{_SITE}/config", _list_web, CONFIG, VERSIONS),
    Row("GET PATCH", _PATH, _serve, CONFIG, VERSIONS),
    Row("PUT", _PATH, _put_settings, CONFIG, VERSIONS),
    Row("POST", f"{_SITE}/publishxml", _publish_profile, f"{SITES}/publishxml", VERSIONS),
)
