"""ARM, the directory, the identity endpoint, Key Vault and Cosmos DB, behind the real server and proxy."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
from azure.identity import ClientSecretCredential

from emulator import cosmos, entra, keyvault, managed_identity
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.blobs.models import BlobsModel
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.run import arm
from tests.emulator.groups import ensure_group
from tests.emulator.integration.arm.stage import Containers
from tests.emulator.unit.providers import NAMESPACES, allow_data
from tests.platform_server import free_port, listening, variables

TIME_SCALE = 400
ENDED = ("Succeeded", "Failed", "Canceled")


@dataclass(frozen=True)
class Stage:
    """The services, and an Owner's connection to ARM."""

    platform: Platform
    http: httpx.Client
    group: str

    @property
    def world(self) -> World:
        """The platform's names and ids."""
        return self.platform.world

    def call(self, method: str, path: str, version: str, body: Json | None = None, **query: str) -> httpx.Response:
        """Call ARM; a path without a leading slash is below the group's providers."""
        full = path if path.startswith("/") else f"{self.group}/providers/{path}"
        return self.http.request(method, full, params={"api-version": version} | query, json=body)

    def settled(self, reply: httpx.Response) -> Json:
        """Poll what a PUT began, as clients do, and return the resource."""
        assert reply.is_success, reply.text
        while True:
            poll = reply.headers.get("Azure-AsyncOperation")
            answer = self.http.get(poll or reply.request.url).json()
            if (answer["status"] if poll else answer["properties"]["provisioningState"]) in ENDED:
                break
            time.sleep(0.05)
        found: Json = self.http.get(reply.request.url).json()
        return found

    def ended(self, reply: httpx.Response) -> httpx.Response:
        """Poll the `Location` of a reply as long as it answers 202; return its last answer."""
        assert reply.status_code == 202, reply.text
        while (answer := self.http.get(reply.headers["Location"])).status_code == 202:
            time.sleep(0.05)
        return answer

    def make(self, path: str, version: str, body: Json) -> Json:
        """PUT a resource and wait for it."""
        return self.settled(self.call("PUT", path, version, body))

    def principal(self, name: str = "app") -> tuple[ClientSecretCredential, str]:
        """Create an application of the customer's tenant; return its credential and its object id."""
        return _principal(self.platform, name)

    def allow_data(self, object_id: str, scope: str, *data_actions: str) -> None:
        """Give a principal a custom role with data actions."""
        allow_data(self.platform.model(ArmModel), object_id, scope, data_actions)


@contextmanager
def running(folder: Path) -> Iterator[Stage]:
    """Run the services on free ports and let this process reach them."""
    platform = Platform(folder, clock=Clock(TIME_SCALE), world=World())
    platform.ports |= {name: free_port() for name in ("arm", "token", "identity")} | {"front_end": 1}
    platform._models[BlobsModel] = Containers()
    platform.services += [create(platform) for create in (entra.create, managed_identity.create, cosmos.create)]
    platform.services.append(arm.create(platform))
    model, world = platform.model(ArmModel), platform.world
    platform.services.append(keyvault.create(platform, model.authorization.data_allowed))
    platform.model(EntraModel).ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    model.subscriptions.ensure(
        world.subscription_id, world.tenant_id, "Customer", (*NAMESPACES, "Microsoft.App", "Microsoft.Web")
    )
    group = ensure_group(model, world.subscription_id, "group", "eastus")
    owner, object_id = _principal(platform, "owner")
    ensure_role(model, f"/subscriptions/{world.subscription_id}", object_id, OWNER)

    listeners = {platform.ports[name]: name != "identity" for name in ("arm", "token", "identity")}
    with listening(platform, listeners) as local, variables(local.environment):
        token = owner.get_token("https://management.azure.com/.default").token
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url="https://management.azure.com", headers=headers, timeout=60) as http:
            yield Stage(platform, http, group)


def _principal(platform: Platform, name: str) -> tuple[ClientSecretCredential, str]:
    directory, tenant_id, client_id = platform.model(EntraModel), platform.world.tenant_id, str(uuid4())
    secret = f"{name}-{uuid4()}"
    directory.ensure_application(client_id, name, tenant_id=tenant_id, secrets=[secret])
    object_id = directory.ensure_service_principal(tenant_id, client_id)
    return ClientSecretCredential(tenant_id, client_id, secret), object_id
