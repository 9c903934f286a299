"""Requests to the publishing site: who may publish, and what each address answers.

Source: the requests that azure-cli 2.91.0 sends, and what it reads of the answers
(`azure/cli/command_modules/appservice/custom.py`).
"""

import base64
import binascii
import hmac

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from emulator.core.platform import Platform
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.web.models import SitesModel
from emulator.web.names import FLEX, PREMIUM, SCM_SUFFIX, SITES
from emulator.web.scm import exceptions
from emulator.web.scm.deployments import ENDED, Deployments, shown

AUDIENCES = ("https://appservice.azure.com",)
PUBLISH = f"{SITES}/publish/Action"


class Responses:
    """The publishing sites of all function apps."""

    def __init__(self, platform: Platform, deployments: Deployments) -> None:
        self._platform = platform
        self._sites = platform.model(SitesModel)
        self._deployments = deployments

    async def publish(self, request: Request) -> Response:
        """Answer `POST /api/publish` of a Flex Consumption site: 202 with the id of the deployment."""
        site = self._admit(request, FLEX)
        query = {name.lower(): value for name, value in request.query_params.items()}
        if query.get("type", "zip").lower() != "zip":
            raise exceptions.BAD_REQUEST(f"Publishing of the type '{query['type']}' is not supported; it must be zip.")
        record = await self._begin(
            request, site, remote_build=_flag(query, "remotebuild"), deployer=query.get("deployer", "")
        )
        return PlainTextResponse(record["id"], 202)

    async def zip_deploy(self, request: Request) -> Response:
        """Answer `POST /api/zipdeploy?isAsync=true` of an Elastic Premium site."""
        site = self._admit(request, PREMIUM)
        query = {name.lower(): value for name, value in request.query_params.items()}
        if not _flag(query, "isasync"):
            raise exceptions.BAD_REQUEST("The local Azure deploys only with isAsync=true.")
        settings = {name.upper(): value for name, value in self._sites.settings(site["id"]).items()}
        build = settings.get("SCM_DO_BUILD_DURING_DEPLOYMENT", "false").lower() in ("true", "1")
        record = await self._begin(request, site, remote_build=build, deployer=query.get("deployer", ""))
        base_url = _base_url(request)
        headers = {"Location": f"{base_url}/api/deployments/latest?deployer=Push-Deployer", "Retry-After": "1"}
        return JSONResponse(shown(record, site, base_url), 202, headers)

    async def latest(self, request: Request) -> Response:
        """Answer `GET /api/deployments/latest`."""
        site = self._admit(request)
        records = self._deployments.all(site)
        if not records:
            raise exceptions.NO_DEPLOYMENT("latest")
        done = records[0]["status"] in ENDED or self._sites.tier(site) == FLEX
        return JSONResponse(shown(records[0], site, _base_url(request)), 200 if done else 202)

    async def log(self, request: Request) -> Response:
        """Answer `GET /api/deployments/{id}/log`."""
        wanted = request.path_params["id"]
        for record in self._deployments.all(self._admit(request)):
            if record["id"] == wanted:
                return JSONResponse([line | {"details_url": None} for line in record["log"]])
        raise exceptions.NO_DEPLOYMENT(wanted)

    async def _begin(self, request: Request, site: Json, *, remote_build: bool, deployer: str) -> Json:
        content = await request.body()
        if any(record["status"] not in ENDED for record in self._deployments.all(site)):
            raise exceptions.IN_PROGRESS()
        return self._deployments.begin(site, content, remote_build=remote_build, deployer=deployer)

    def _admit(self, request: Request, tier: str = "") -> Json:
        """Check that the caller may publish; return the site.

        Raises:
            ServiceError: 401, 403, or 404 for an address that the site does not have.
        """
        name = request.headers.get("host", "").partition(":")[0].lower().removesuffix(SCM_SUFFIX)
        site = self._sites.find(name)
        if site is None:
            raise exceptions.NO_SITE(name)
        own = self._sites.tier(site)
        authorization = request.headers.get("authorization", "")
        if authorization.lower().startswith("basic "):
            self._check_password(request, site, own, authorization[len("basic ") :])
        else:
            self._check_token(request, site, authorization)
        if tier and own != tier:
            raise exceptions.NOT_HERE(path=request.url.path, tier=own)
        return site

    def _check_token(self, request: Request, site: Json, authorization: str) -> None:
        caller = self._platform.model(EntraModel).authenticate(authorization, AUDIENCES)
        request.state.caller = caller.object_id
        arm = self._sites.arm
        arm.subscriptions.for_caller(site["id"].split("/")[2], caller)
        if not arm.authorization.allowed(caller, PUBLISH, site["id"]):
            raise exceptions.FORBIDDEN(
                f"The client '{caller.shown}' with object id '{caller.object_id}' does not have authorization to "
                f"perform action '{PUBLISH}' over scope '{site['id']}'."
            )

    def _check_password(self, request: Request, site: Json, tier: str, encoded: str) -> None:
        policy = self._sites.arm.load(f"{site['id']}/basicPublishingCredentialsPolicies/scm")
        if tier == FLEX or policy is None or not policy["properties"]["allow"]:
            raise exceptions.KEYS_OFF()
        try:
            given = base64.b64decode(encoded, validate=True)
        except binascii.Error as error:
            raise exceptions.UNAUTHORIZED("The credential is malformed.") from error
        known = self._sites.credentials(site["id"])
        wanted = f"{known['publishingUserName']}:{known['publishingPassword']}".encode()
        if not hmac.compare_digest(given, wanted):
            raise exceptions.UNAUTHORIZED("The user name or the password is wrong.")
        request.state.caller = known["publishingUserName"]


def _flag(query: dict[str, str], name: str) -> bool:
    """Return a parameter that is true or false.

    Raises:
        ServiceError: 400 for another value.
    """
    value = query.get(name, "false").lower()
    if value not in ("true", "false"):
        raise exceptions.BAD_REQUEST(f"The parameter {name} has the value '{value}'; it must be true or false.")
    return value == "true"


def _base_url(request: Request) -> str:
    return f"https://{request.headers['host']}"
