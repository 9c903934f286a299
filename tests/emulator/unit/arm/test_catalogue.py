"""What Azure has and the local Azure lacks is refused as such; what Azure lacks too gets Azure's own refusal."""

import asyncio
import re
from collections.abc import Iterator

import pytest
from starlette.routing import Match

from emulator.arm.call import ArmRoute
from emulator.arm.catalogue import NAMESPACES, TYPES
from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.arm.responses import resources
from emulator.core.errors import ServiceError
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD
from tests.emulator.unit.providers import Azure
from tests.models.packages import ARM

PROVIDERS = f"{GROUP}/providers"


@pytest.mark.parametrize(
    ("resource_id", "version", "status", "code", "message"),
    [
        pytest.param(
            f"{PROVIDERS}/microsoft.containerservice/managedClusters/x",
            "2024-01-01",
            400,
            "NotSupportedByLocalAzure",
            "The local Azure does not have the namespace 'Microsoft.ContainerService'.",
            id="a namespace of Azure",
        ),
        pytest.param(
            f"{PROVIDERS}/Microsoft.Network/applicationgateways/x",
            "2024-01-01",
            400,
            "NotSupportedByLocalAzure",
            "The local Azure does not have the resource type 'Microsoft.Network/applicationGateways'.",
            id="a type of Azure",
        ),
        pytest.param(
            f"{PROVIDERS}/Microsoft.Web/sites/x",
            "2015-08-01",
            400,
            "NotSupportedByLocalAzure",
            "The local Azure does not have the api-version '2015-08-01' of 'Microsoft.Web/sites'.",
            id="a version of Azure",
        ),
        pytest.param(
            f"{PROVIDERS}/Microsoft.Nothing/things/x",
            "2024-01-01",
            404,
            "InvalidResourceNamespace",
            "The resource namespace 'Microsoft.Nothing' is invalid.",
            id="a namespace of nobody",
        ),
        pytest.param(
            f"{PROVIDERS}/Microsoft.Network/things/x",
            "2024-01-01",
            404,
            "InvalidResourceType",
            "The resource type 'things' could not be found in the namespace 'Microsoft.Network' for api version "
            "'2024-01-01'.",
            id="a type of nobody",
        ),
    ],
)
def test_what_azure_has_is_not_called_invalid(  # noqa: PLR0917 - the columns of the table
    model: ArmModel, resource_id: str, version: str, status: int, code: str, message: str
) -> None:
    """Otherwise users look for a mistake of their own."""
    with pytest.raises(ServiceError) as read:
        model.row(parse_resource(resource_id), version)
    with pytest.raises(ServiceError) as written:
        asyncio.run(model.put_resource(CALLER, resource_id, version, {"location": "eastus"}))
    for refused in (read.value, written.value):
        assert (refused.status_code, refused.code, refused.message) == (status, code, message)


def test_a_provider_that_is_not_emulated_cannot_be_registered(model: ArmModel) -> None:
    """Nor is it missing from the subscription."""
    for call in (model.subscriptions.register, model.subscriptions.require_registered):
        with pytest.raises(ServiceError, match=r"does not have the namespace 'Microsoft\.EventHub'") as refused:
            call(WORLD.subscription_id, "microsoft.eventhub")
        assert (refused.value.status_code, refused.value.code) == (400, "NotSupportedByLocalAzure")


def test_an_action_that_a_type_lacks_is_not_called_invalid(model: ArmModel) -> None:
    """Which actions a type has in Azure is not known here."""
    network = f"{PROVIDERS}/Microsoft.Network/networkSecurityGroups/n"
    asyncio.run(model.put_resource(CALLER, network, "2024-05-01", {"location": "eastus"}))
    with pytest.raises(ServiceError) as refused:
        asyncio.run(model.begin_action(CALLER, network, "2024-05-01", "explode", {}))
    assert (refused.value.status_code, refused.value.code) == (400, "NotSupportedByLocalAzure")
    assert "the action 'explode' of type 'Microsoft.Network/networkSecurityGroups'" in refused.value.message


def test_the_tables_hold_every_emulated_namespace_and_no_emulated_version(model: ArmModel) -> None:
    """A version that a row gets must leave the table; children that Azure's list lacks are ours alone."""
    assert {row.namespace.lower() for row in model.types.values()} <= NAMESPACES.keys()
    both = {
        name: set(versions) & set(model.types[name].api_versions)
        for name, (_, versions) in TYPES.items()
        if name in model.types
    }
    assert {name: found for name, found in both.items() if found} == {}
    assert {name.partition("/")[0] for name in TYPES} <= NAMESPACES.keys()


def _asked() -> Iterator[tuple[str, str, str]]:
    """Yield (method, path, type) of what the newest SDKs read, list, write or delete in the emulated namespaces."""
    for package in (one for packages in ARM.values() for one in packages):
        for call in package.calls:
            _, provider, rest = f"/{call.template.strip('/')}".rpartition("/providers/")
            name = "/".join((rest.partition("/")[0], *rest.split("/")[1::2]))
            if provider and call.method != "POST" and "{" not in name:
                yield call.method, re.sub(r"\{[^}]*\}", "x", f"/{call.template.strip('/')}"), name


def test_what_the_newest_sdks_ask_for_is_not_called_invalid(azure: Azure) -> None:
    """A type that only an SDK knows, such as the lists of a region, is in the catalogue unless it is emulated."""
    types = {row.name.lower() for row in azure.arm.types.values()}
    types |= {f"{row.name}/{each}".lower() for row in azure.arm.types.values() for each in row.collections}
    rows = [route for route in azure.arm.routes if isinstance(route, ArmRoute)]
    rows = [route for route in rows if route.row.handler is not resources.serve]

    def answered(method: str, path: str) -> bool:
        scope = {"type": "http", "method": method, "path": path}
        return any(route.matches(scope)[0] is Match.FULL for route in rows)

    unknown = {name for method, path, name in _asked() if name.lower() not in types and not answered(method, path)}
    assert sorted(name for name in unknown if name.lower() not in TYPES) == []
