"""What Azure has and the local Azure lacks is refused as such; what Azure lacks too gets Azure's own refusal."""

import asyncio

import pytest

from emulator.arm.catalogue import NAMESPACES, TYPES
from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.core.errors import ServiceError
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD

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
