"""Deployments: who may publish, and what a kill leaves of one."""

import asyncio
import base64

import pytest
from starlette.requests import Request
from starlette.responses import Response

from emulator.arm.access.roles import OWNER
from emulator.arm.seeding import ensure_role
from emulator.core.service_error import ServiceError
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.web import scm
from emulator.web.scm import deployments as steps
from emulator.web.scm.deployments import Deployments
from emulator.web.scm.responses import Responses
from tests.emulator.integration.web.packages import package
from tests.emulator.unit.providers import WORLD, Azure
from tests.emulator.unit.web import stage
from tests.emulator.unit.web.stage import SITE, VERSION, flex, premium, sites

pytestmark = pytest.mark.usefixtures("blobs")
AUDIENCE = "https://appservice.azure.com"


def _responses(azure: Azure) -> Responses:
    scm.create(azure.platform)
    return Responses(azure.platform, azure.platform.model(Deployments))


def _request(path: str, authorization: str = "", query: str = "", body: bytes = b"") -> Request:
    headers = [(b"host", b"site.scm.azurewebsites.net"), (b"authorization", authorization.encode())]

    async def receive() -> Json:
        return {"type": "http.request", "body": body}

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": query.encode(),
        "headers": headers if authorization else headers[:1],
    }
    return Request(scope, receive)


def _token(azure: Azure, audience: str = AUDIENCE, *, role: bool = True) -> str:
    principal = azure.principal()
    directory = azure.platform.model(EntraModel)
    found = directory.find_principal(principal.object_id)
    if found is None:
        raise LookupError(principal.object_id)
    if role:
        ensure_role(azure.arm, azure.id(SITE), principal.object_id, OWNER)
    return f"Bearer {directory.issue_token(WORLD.tenant_id, found['clientId'], audience)}"


def _basic(azure: Azure) -> str:
    known = sites(azure).credentials(azure.id(SITE))
    pair = f"{known['publishingUserName']}:{known['publishingPassword']}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _latest(azure: Azure, authorization: str) -> Response:
    return asyncio.run(_responses(azure).latest(_request("/api/deployments/latest", authorization)))


def test_only_a_token_for_app_service_with_the_right_to_publish_is_admitted(azure: Azure) -> None:
    """Nothing was published yet, so an admitted caller gets a 404."""
    azure.make(SITE, VERSION, flex(azure))
    for authorization, status in (
        ("", 401),
        (_token(azure, "https://graph.microsoft.com"), 401),
        (_token(azure, role=False), 403),
        (_basic(azure), 401),
        (_token(azure), 404),
    ):
        with pytest.raises(ServiceError) as caught:
            _latest(azure, authorization)
        assert caught.value.status_code == status


def test_publishing_credentials_open_premium_sites_as_long_as_their_policy_allows_it(azure: Azure) -> None:
    """A wrong password never does."""
    azure.make(SITE, VERSION, premium(azure))
    policy = f"{SITE}/basicPublishingCredentialsPolicies/scm"
    for authorization, status in ((_basic(azure), 404), (_basic(azure)[:-4] + "AAAA", 401)):
        with pytest.raises(ServiceError) as caught:
            _latest(azure, authorization)
        assert caught.value.status_code == status
    azure.put(policy, VERSION, {"properties": {"allow": False}})
    with pytest.raises(ServiceError, match="not allowed"):
        _latest(azure, _basic(azure))


def test_a_killed_deployment_is_carried_on(azure: Azure, blobs: stage.Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next process deploys the same package once; meanwhile a second publish is refused."""
    monkeypatch.setattr(steps, "DEPLOY_SECONDS", 0)
    stage.allow(azure, "*")
    azure.make(SITE, VERSION, flex(azure))
    azure.arm.documents.put(
        {
            "id": f"{azure.id(stage.ACCOUNT)}/blobServices/default/containers/packages",
            "name": "packages",
            "type": "Microsoft.Storage/storageAccounts/blobServices/containers",
            "properties": {},
        }
    )
    responses, authorization, content = _responses(azure), _token(azure), package()

    async def publish() -> Response:
        request = _request("/api/publish", authorization, "RemoteBuild=false", content)
        return await responses.publish(request)

    async def killed() -> str:
        answer = await publish()
        with pytest.raises(ServiceError, match="currently in progress"):
            await publish()
        for task in list(azure.platform._tasks):
            task.cancel()
        return bytes(answer.body).decode()

    identifier = asyncio.run(killed())
    assert blobs.written == {}
    deployments = azure.platform.model(Deployments)

    async def resumed() -> None:
        await deployments.resume()
        await asyncio.gather(*azure.platform._tasks)

    asyncio.run(resumed())
    site = sites(azure).find("site")
    assert site is not None
    [record] = deployments.all(site)
    assert (record["id"], record["status"]) == (identifier, 4)
    assert list(blobs.written.values()) == [content]
    [run] = sites(azure).runs()
    assert (run.power, (run.app / "host.json").exists()) == ("running", True)


def test_an_address_of_another_plan_is_not_there(azure: Azure) -> None:
    """Flex Consumption has no zipdeploy, and Premium no publish."""
    azure.make(SITE, VERSION, flex(azure))
    responses, authorization = _responses(azure), _token(azure)
    with pytest.raises(ServiceError, match="does not exist on sites in FlexConsumption plans"):
        asyncio.run(responses.zip_deploy(_request("/api/zipdeploy", authorization, "isAsync=true")))
