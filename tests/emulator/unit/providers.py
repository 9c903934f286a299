"""ARM with the directory and the data planes in this process, on a clock that a test moves."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from emulator import cosmos, entra, keyvault, managed_identity
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.operations import ResourceOperation
from emulator.arm.seeding import ensure_role
from emulator.core.clock import Clock, rfc3339
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json
from emulator.run import arm
from tests.emulator.groups import ensure_group

WORLD = World()
SUBSCRIPTION = f"/subscriptions/{WORLD.subscription_id}"
GROUP = f"{SUBSCRIPTION}/resourceGroups/group"
NAMESPACES = (
    *("Microsoft.DocumentDB", "Microsoft.Insights", "Microsoft.KeyVault", "Microsoft.ManagedIdentity"),
    *("Microsoft.OperationalInsights", "Microsoft.Storage"),
)


def caller(object_id: str) -> Principal:
    """Return a principal of the customer's tenant."""
    return Principal(object_id, f"client-{object_id}", WORLD.tenant_id, "somebody", "", {})


class Moved(Clock):
    """A clock that a test moves: nothing waits for it."""

    async def sleep(self, _seconds: float) -> None:
        """Let others go on."""
        await asyncio.sleep(0)


OWNING = caller("11111111-1111-4111-8111-111111111111")


class Azure:
    """A state folder, opened as a new process does after a kill of the former one."""

    def __init__(self, folder: Path, moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.folder, self.moment = folder, moment
        self.platform = Platform(folder, clock=Moved(1, lambda: self.moment), world=WORLD)
        self.platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
        self.platform.services += [
            entra.create(self.platform),
            managed_identity.create(self.platform),
            cosmos.create(self.platform),
            arm.create(self.platform),
        ]
        self.arm = self.platform.model(ArmModel)
        self.platform.services.append(keyvault.create(self.platform, self.arm.authorization.data_allowed))
        self.platform.model(EntraModel).ensure_tenant(WORLD.tenant_id, "Customer", "customer.onmicrosoft.com")
        self.arm.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer", NAMESPACES)
        ensure_role(self.arm, SUBSCRIPTION, OWNING.object_id, OWNER)
        ensure_group(self.arm, WORLD.subscription_id, "group", "eastus")

    def reopen(self) -> "Azure":
        """Close the folder, and open it as a new process does."""
        self.close()
        return Azure(self.folder, self.moment)

    def close(self) -> None:
        """Close the files."""
        self.platform.journal.close()
        self.platform.store.close()

    def pass_(self, seconds: float) -> None:
        """Let time pass."""
        self.moment += timedelta(seconds=seconds)

    def put(self, path: str, version: str, body: Json) -> ResourceOperation:
        """Begin a PUT below the group."""
        return asyncio.run(self.arm.put_resource(OWNING, self.id(path), version, body))

    def make(self, path: str, version: str, body: Json) -> Json:
        """PUT below the group, let Azure's time for it pass, and return the resource."""
        self.put(path, version, body)
        self.pass_(600)
        return self.get(path)

    def get(self, path: str) -> Json:
        """Return a resource below the group as GET answers it.

        Raises:
            LookupError: it does not exist.
        """
        found = self.arm.get_resource(self.id(path), "")
        if found is None:
            raise LookupError(path)
        return found

    def delete(self, path: str, version: str) -> ResourceOperation:
        """DELETE below the group, and let Azure's time for it pass."""
        operation = asyncio.run(self.arm.delete_resource(OWNING, self.id(path), version))
        self.pass_(600)
        return operation

    def id(self, path: str) -> str:
        """Return the id of a resource of the group."""
        return f"{GROUP}/providers/{path}"

    def principal(self) -> Principal:
        """Create a service principal in the customer's tenant."""
        client_id, directory = str(uuid4()), self.platform.model(EntraModel)
        directory.ensure_application(client_id, "app", tenant_id=WORLD.tenant_id)
        return caller(directory.ensure_service_principal(WORLD.tenant_id, client_id))

    def allow_data(self, who: Principal, scope: str, *data_actions: str) -> None:
        """Give a principal a custom role with these data actions, at once."""
        allow_data(self.arm, who.object_id, scope, data_actions)


def allow_data(arm_model: ArmModel, object_id: str, scope: str, data_actions: Sequence[str]) -> None:
    """Give a principal a custom role with data actions, at once.

    Args:
        arm_model: the model.
        object_id: the principal.
        scope: scope of the assignment, in the customer's subscription.
        data_actions: what the role allows.
    """
    name, authorization = str(uuid4()), f"{SUBSCRIPTION}/providers/Microsoft.Authorization"
    permission = {"actions": [], "notActions": [], "dataActions": list(data_actions), "notDataActions": []}
    role: Json = {"roleName": name, "permissions": [permission], "assignableScopes": [SUBSCRIPTION]}
    assignment = {
        "roleDefinitionId": f"{authorization}/roleDefinitions/{name}",
        "principalId": object_id,
        "scope": scope,
    }
    for kind, prefix, properties in (
        ("roleDefinitions", SUBSCRIPTION, role),
        ("roleAssignments", scope, assignment),
    ):
        type_name = f"Microsoft.Authorization/{kind}"
        arm_model.documents.put(
            {
                "id": f"{prefix}/providers/{type_name}/{name}",
                "name": name,
                "type": type_name,
                "properties": properties,
                "effectiveAt": rfc3339(arm_model.clock.now()),
            }
        )
