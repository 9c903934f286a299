"""ARM and the directory, behind the real server and proxy, for this process; and templates for the tests to deploy."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from azure.identity import ClientSecretCredential
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.deployments.models import Deployment, DeploymentParameter, DeploymentProperties

from emulator import entra
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.run import arm
from tests.platform_server import free_port, listening, variables

SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
NSG = "Microsoft.Network/networkSecurityGroups"
# A deployment that takes a minute in Azure takes under a second here.
TIME_SCALE = 200


@dataclass(frozen=True)
class Stage:
    """The services, and what a test needs to reach them."""

    platform: Platform

    @property
    def arm(self) -> ArmModel:
        """Azure Resource Manager."""
        return self.platform.model(ArmModel)

    @property
    def subscription_id(self) -> str:
        """The id of the customer's subscription."""
        return self.platform.world.subscription_id

    def principal(self, *roles: str, scope: str = "") -> tuple[Principal, ClientSecretCredential]:
        """Create a principal with roles on a scope, by default the subscription; return it with its credential."""
        world, client_id, secret = self.platform.world, str(uuid4()), f"secret-{uuid4()}"
        directory = self.platform.model(EntraModel)
        directory.ensure_application(client_id, "test", secrets=[secret])
        object_id = directory.ensure_service_principal(world.tenant_id, client_id)
        for role in roles:
            self.grant(object_id, role, scope or f"/subscriptions/{world.subscription_id}")
        principal = Principal(object_id, client_id, world.tenant_id, "test", "https://management.azure.com", {})
        return principal, ClientSecretCredential(world.tenant_id, client_id, secret)

    def grant(self, object_id: str, role: str, scope: str) -> None:
        """Store a role assignment that is in force at once.

        A request could not do this: before there is an owner, nobody may assign roles.

        Args:
            object_id: the principal's object id.
            role: name of the role definition, a GUID.
            scope: id of the scope that the role applies to.
        """
        name = str(uuid4())
        identifier = f"{scope}/providers/Microsoft.Authorization/roleAssignments/{name}"
        document = {
            "id": identifier,
            "name": name,
            "type": "Microsoft.Authorization/roleAssignments",
            "properties": {"principalId": object_id, "roleDefinitionId": role, "scope": scope},
            "effectiveAt": "",
        }
        self.platform.store.table("arm_resources").put(identifier.lower(), document)

    def client(self, credential: ClientSecretCredential | None = None) -> DeploymentsMgmtClient:
        """Return a client with a credential, by default with that of a new owner."""
        return DeploymentsMgmtClient(
            credential or self.principal(OWNER)[1], self.subscription_id, polling_interval=1, retry_total=0
        )

    def group(self) -> str:
        """Create a new resource group; return its name."""
        name = f"rg-{uuid4().hex[:8]}"
        self.arm.groups.put(self.subscription_id, name, {"location": "eastus"})
        return name


@contextmanager
def running(folder: Path, time_scale: float = TIME_SCALE) -> Iterator[Stage]:
    """Run the services on free ports and let this process reach them."""
    platform = Platform(folder, clock=Clock(time_scale), world=World())
    platform.ports |= {name: free_port() for name in ("arm", "token", "front_end")}
    platform.services += [service.create(platform) for service in (entra, arm)]
    world = platform.world
    platform.model(EntraModel).ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    platform.model(ArmModel).subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    with listening(platform) as local, variables(local.environment):
        yield Stage(platform)


def template(*resources: dict[str, Any], **sections: Any) -> dict[str, Any]:
    """Return a template of these resources."""
    return {"$schema": SCHEMA, "contentVersion": "1.0.0.0", **sections, "resources": list(resources)}


def group_of_rules(name: str, **members: Any) -> dict[str, Any]:
    """Return a network security group as a resource of a template."""
    properties: dict[str, Any] = {"securityRules": []}
    return {
        "type": NSG,
        "apiVersion": "2019-07-01",
        "name": name,
        "location": "eastus",
        "properties": properties,
    } | members


def deployment(document: dict[str, Any], mode: str = "Incremental", **parameters: Any) -> Deployment:
    """Return the body of a request that deploys a template.

    Args:
        document: the template.
        mode: `Incremental` or `Complete`.
        parameters: values by name.
    """
    given = {name: DeploymentParameter(value=value) for name, value in parameters.items()}
    return Deployment(properties=DeploymentProperties(mode=mode, template=document, parameters=given))
