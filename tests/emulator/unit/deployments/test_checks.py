"""What is checked before a deployment begins: access and registered providers, nested templates included."""

from pathlib import Path

import pytest

from emulator.arm.access.roles import CONTRIBUTOR, NETWORK_CONTRIBUTOR, READER
from emulator.core.service_error import ServiceError
from tests.emulator.unit.deployments.factories import GROUP_ID, SUBSCRIPTION, nested, resource, template
from tests.emulator.unit.deployments.world import NSG, azure

SUBSCRIPTION_ID = f"/subscriptions/{SUBSCRIPTION}"
OTHER = "99999999-0000-4000-8000-000000000002"
ROLE = "Microsoft.Authorization/roleAssignments"
NETWORK = "Microsoft.Network"

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run coroutines on asyncio, as the services do."""
    return "asyncio"


async def test_all_resources_that_the_caller_may_not_write_are_named_at_once(tmp_path: Path) -> None:
    """Those of nested templates too; the status is that of the refusal."""
    role = resource("[guid('a')]", ROLE, apiVersion="2022-04-01", properties={})
    async with azure(tmp_path) as world:
        world.caller = world.allow(OTHER, NETWORK_CONTRIBUTOR, SUBSCRIPTION_ID)
        with pytest.raises(ServiceError) as refused:
            await world.put(template(role, nested("child", template(resource("n"), role | {"name": "[guid('b')]"}))))
        assert (refused.value.status_code, refused.value.code) == (403, "InvalidTemplateDeployment")
        assert [detail["code"] for detail in refused.value.details] == ["AuthorizationFailed"] * 2


async def test_a_deployment_to_a_subscription_needs_rights_there(tmp_path: Path) -> None:
    """Rights on a group do not suffice, and who may read may not deploy."""
    async with azure(tmp_path) as world:
        world.caller = world.allow(OTHER, CONTRIBUTOR, GROUP_ID)
        for action in (world.deployments.put, world.deployments.validate):
            with pytest.raises(ServiceError) as refused:
                await action(world.request(template(), ""))
            assert refused.value.code == "AuthorizationFailed"
            assert "Microsoft.Resources/deployments/" in refused.value.message
        world.caller = world.allow(OTHER, READER, SUBSCRIPTION_ID)
        assert list(world.deployments.list(world.caller, SUBSCRIPTION, "")) == []
        with pytest.raises(ServiceError):
            await world.put(template(), "")


async def test_providers_of_a_template_are_registered_if_the_caller_may_do_so(tmp_path: Path) -> None:
    """Validate registers nothing."""
    document = template(nested("child", template(resource("n"))))
    async with azure(tmp_path) as world:
        world.arm.subscriptions.unregister(SUBSCRIPTION, NETWORK)
        await world.deployments.validate(world.request(document))
        assert world.arm.subscriptions.registration_state(SUBSCRIPTION, NETWORK) == "Unregistered"
        record = await world.deploy(document)
        assert record["provisioningState"] == "Succeeded", record["error"]
        assert world.arm.subscriptions.registration_state(SUBSCRIPTION, NETWORK) in ("Registering", "Registered")


async def test_an_unregistered_provider_is_refused_if_the_caller_may_not_register_it(tmp_path: Path) -> None:
    """Rights on the group alone do not register a provider in the subscription."""
    async with azure(tmp_path) as world:
        world.arm.subscriptions.unregister(SUBSCRIPTION, NETWORK)
        world.caller = world.allow(OTHER, CONTRIBUTOR, GROUP_ID)
        for ask in (world.deployments.put, world.deployments.validate):
            with pytest.raises(ServiceError) as refused:
                await ask(world.request(template(resource("n", NSG))))
            assert (refused.value.status_code, refused.value.code) == (409, "MissingSubscriptionRegistration")
            assert "'Microsoft.Network'" in refused.value.message
