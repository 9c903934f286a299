"""ARM and the directory without a network, for tests that run deployments; a minute of Azure takes milliseconds."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulator import entra
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.deployments.models import DeploymentsModel
from emulator.deployments.requests import Request
from emulator.entra.models import Principal
from emulator.run import arm
from tests.emulator.unit.deployments.factories import SUBSCRIPTION

NSG = "Microsoft.Network/networkSecurityGroups"
PUT_NSG = f"PUT {NSG}"
OWNER_ID = "99999999-0000-4000-8000-000000000001"


@dataclass
class Azure:
    """What a test needs: the platform, and the caller who owns the subscription."""

    platform: Platform
    caller: Principal

    @property
    def arm(self) -> ArmModel:
        """Azure Resource Manager."""
        return self.platform.model(ArmModel)

    @property
    def deployments(self) -> DeploymentsModel:
        """The model of deployments."""
        return self.platform.model(DeploymentsModel)

    def request(self, document: Mapping[str, Any], group: str = "rg", name: str = "d", **parameters: Any) -> Request:
        """Return the request to deploy a template.

        Args:
            document: the template.
            group: name of the resource group; "" for the subscription.
            name: name of the deployment.
            parameters: values by name.
        """
        given = {name: {"value": value} for name, value in parameters.items()}
        body: dict[str, Any] = {"properties": {"mode": "Incremental", "template": document, "parameters": given}}
        body |= {} if group else {"location": "eastus"}
        return Request(self.caller, SUBSCRIPTION, group, name, body, "correlation")

    async def put(self, document: Mapping[str, Any], group: str = "rg", **parameters: Any) -> dict[str, Any]:
        """Begin the deployment `d`; return it.

        Args:
            document: the template.
            group: name of the resource group; "" for the subscription.
            parameters: values by name.
        """
        record, _ = await self.deployments.put(self.request(document, group, **parameters))
        return record

    async def deploy(self, document: Mapping[str, Any], group: str = "rg", **parameters: Any) -> dict[str, Any]:
        """Run the deployment `d` to its end; return it.

        Args:
            document: the template.
            group: name of the resource group; "" for the subscription.
            parameters: values by name.
        """
        return await self.deployments.wait(await self.put(document, group, **parameters))

    def record(self, group: str = "rg", name: str = "d") -> dict[str, Any]:
        """Return a deployment."""
        return self.deployments.get(self.caller, SUBSCRIPTION, group, name)

    def states(self, group: str = "rg", name: str = "d") -> dict[str, str]:
        """Return the state of each resource that a deployment has begun to make."""
        return {
            operation["targetResource"]["resourceName"]: operation["provisioningState"]
            for operation in self.deployments.operations(self.record(group, name))
            if "targetResource" in operation
        }

    def allow(self, object_id: str, role: str, scope: str) -> Principal:
        """Give a principal a role; return it.

        Args:
            object_id: the principal's object id.
            role: name of the role definition.
            scope: id of the scope.
        """
        assignment = {
            "type": "Microsoft.Authorization/roleAssignments",
            "properties": {"principalId": object_id, "roleDefinitionId": role},
            "effectiveAt": "",
        }
        key = f"{scope}/providers/microsoft.authorization/roleassignments/{object_id}".lower()
        self.platform.store.table("arm_resources").put(key, assignment)
        return Principal(object_id, "c", self.platform.world.tenant_id, "test", "a", {})

    async def end(self) -> dict[str, Any]:
        """Wait until `d` has ended; return it."""
        await until(lambda: self.record()["provisioningState"] not in ("Accepted", "Running"))
        return self.record()


async def until(check: Callable[[], bool]) -> None:
    """Wait until a check holds."""
    while not check():  # noqa: ASYNC110 - the state is in the store, which sends no notifications
        await asyncio.sleep(0.002)


@asynccontextmanager
async def azure(folder: Path, time_scale: float = 2000) -> AsyncIterator[Azure]:
    """Run ARM and the directory, with a subscription, an owner and the group `rg`."""
    platform = Platform(folder, clock=Clock(time_scale), world=World())
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
    platform.services += [service.create(platform) for service in (entra, arm)]
    world, model = platform.world, platform.model(ArmModel)
    model.subscriptions.ensure(SUBSCRIPTION, world.tenant_id, "Customer")
    model.groups.put(SUBSCRIPTION, "rg", {"location": "eastus"})
    there = Azure(platform, Principal(OWNER_ID, "c", world.tenant_id, "owner", "a", {}))
    there.allow(OWNER_ID, OWNER, f"/subscriptions/{SUBSCRIPTION}")
    await platform.start()
    try:
        yield there
    finally:
        await platform.stop()
