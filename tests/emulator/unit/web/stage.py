"""A group with everything that sites need: plans, a network, an identity, a storage account."""

from typing import Any

from emulator.arm.ids import parse_resource
from emulator.blobs.models import BlobsModel
from emulator.blobs.operations import Target
from emulator.json_object import Json
from emulator.managed_identity import ManagedIdentityModel
from emulator.web.models import SitesModel
from tests.emulator.unit.providers import WORLD, Azure, caller

VERSION = "2024-04-01"
FLEX, PREMIUM = "Microsoft.Web/serverfarms/flex", "Microsoft.Web/serverfarms/premium"
SITE = "Microsoft.Web/sites/site"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities/app"
ACCOUNT = "Microsoft.Storage/storageAccounts/account"
NETWORK = "Microsoft.Network/virtualNetworks/net"
SUBNETS = {
    "flex": ("10.0.0.0/24", "Microsoft.App/environments"),
    "premium": ("10.0.1.0/24", "Microsoft.Web/serverFarms"),
    "plain": ("10.0.2.0/24", ""),
    "with_underscore": ("10.0.3.0/24", "Microsoft.App/environments"),
    "small": ("10.0.4.0/28", "Microsoft.App/environments"),
}


class Blobs(BlobsModel):
    """A stand-in for the blob service: it keeps what is written."""

    def __init__(self) -> None:
        self.written: dict[Target, bytes] = {}

    async def create_container(self, account: str, name: str) -> None:
        """Create nothing."""

    async def delete_container(self, account: str, name: str) -> None:
        """Delete nothing."""

    async def delete_account(self, account: str) -> None:
        """Delete nothing."""

    async def put_blob(self, target: Target, content: bytes) -> None:
        """Keep a blob."""
        self.written[target] = content


def prepare(azure: Azure) -> Blobs:
    """Create the group's resources; return the blobs."""
    blobs = Blobs()
    azure.platform._models[BlobsModel] = blobs
    namespaces = (
        "Microsoft.App",
        "Microsoft.Network",
        "Microsoft.Storage",
        "Microsoft.ManagedIdentity",
        "Microsoft.Web",
    )
    azure.arm.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer", namespaces)
    azure.make(IDENTITY, "2024-11-30", {"location": "eastus"})
    azure.make(
        ACCOUNT,
        "2024-01-01",
        {"location": "eastus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "properties": {}},
    )
    azure.make(NETWORK, "2024-05-01", network(SUBNETS))
    azure.make(FLEX, VERSION, plan("FC1", "FlexConsumption"))
    azure.make(PREMIUM, VERSION, plan("EP1", "ElasticPremium"))
    return blobs


def network(subnets: dict[str, tuple[str, str]]) -> Json:
    """Return the body of a network with subnets, each with its range and the service to which it is delegated."""
    return {
        "location": "eastus",
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
            "subnets": [
                {"name": name, "properties": {"addressPrefix": prefix, "delegations": delegations(service)}}
                for name, (prefix, service) in subnets.items()
            ],
        },
    }


def delegations(service: str) -> list[Json]:
    """Return the delegations of a subnet to a service; none for an empty name."""
    return [{"name": "one", "properties": {"serviceName": service}}] if service else []


def plan(name: str, tier: str) -> Json:
    """Return the body of a plan."""
    return {"location": "eastus", "sku": {"name": name, "tier": tier}, "properties": {"reserved": True}}


def functions(azure: Azure, **changes: Any) -> Json:
    """Return a `functionAppConfig` with changes in its top-level members."""
    return {
        "runtime": {"name": "python", "version": "3.12"},
        "deployment": {
            "storage": {
                "type": "blobContainer",
                "value": "https://account.blob.core.windows.net/packages",
                "authentication": {
                    "type": "UserAssignedIdentity",
                    "userAssignedIdentityResourceId": azure.id(IDENTITY),
                },
            }
        },
        "scaleAndConcurrency": {"maximumInstanceCount": 40},
    } | changes


def flex(azure: Azure, **properties: Any) -> Json:
    """Return the body of a Flex Consumption site."""
    return _site(azure, FLEX, {"functionAppConfig": functions(azure)} | properties)


def premium(azure: Azure, **properties: Any) -> Json:
    """Return the body of an Elastic Premium site."""
    return _site(azure, PREMIUM, {"siteConfig": {"linuxFxVersion": "Python|3.11"}} | properties)


def _site(azure: Azure, farm: str, properties: Json) -> Json:
    return {
        "location": "eastus",
        "kind": "functionapp,linux",
        "identity": {"type": "UserAssigned", "userAssignedIdentities": {azure.id(IDENTITY): {}}},
        "properties": {"serverFarmId": azure.id(farm)} | properties,
    }


def subnet(azure: Azure, name: str) -> str:
    """Return the id of a subnet."""
    return f"{azure.id(NETWORK)}/subnets/{name}"


def sites(azure: Azure) -> SitesModel:
    """Return the model of the sites."""
    return azure.platform.model(SitesModel)


def allow(azure: Azure, *data_actions: str) -> None:
    """Let the group's identity do this with the storage account."""
    found = azure.platform.model(ManagedIdentityModel).find(azure.id(IDENTITY))
    if found is None:
        raise LookupError(IDENTITY)
    actions = [f"Microsoft.Storage/storageAccounts/{action}" for action in data_actions]
    azure.allow_data(caller(found.object_id), str(parse_resource(azure.id(ACCOUNT))), *actions)
