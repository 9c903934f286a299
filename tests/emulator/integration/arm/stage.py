"""ARM with the directory, behind the real server and proxy, and a resource provider that records what reaches it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from azure.identity import ClientSecretCredential
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from emulator import control, entra, managed_identity
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.blobs.models import BlobsModel
from emulator.core.clock import Clock
from emulator.core.platform import Platform, Service
from emulator.core.world import World
from emulator.entra.models import EntraModel
from emulator.managed_identity import data_plane
from emulator.run import arm
from tests.platform_server import Listening, free_port, listening, variables
from tests.provider_registration import HOST, register

TIME_SCALE = 100


@dataclass
class Provider:
    """A stand-in for the resource provider's front end: it records requests, and answers with the replies set.

    A preflight has replies of its own; without any, templates pass.
    """

    received: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    replies: list[Response] = field(default_factory=list)
    preflights: list[Response] = field(default_factory=list)

    async def endpoint(self, request: Request) -> Response:
        """Answer with the next reply, or 200 `{}`."""
        content = await request.body()
        self.received.append(
            (
                request.method,
                request.url.path + (f"?{request.url.query}" if request.url.query else ""),
                dict(request.headers),
                json.loads(content) if content else None,
            )
        )
        if request.url.path.endswith("/preflight"):
            return self.preflights.pop(0) if self.preflights else JSONResponse({"status": "Succeeded"})
        if request.url.query == "api-version=2.0" or not self.replies:
            return Response(b"{}", media_type="application/json")
        return self.replies.pop(0)


class Containers(BlobsModel):
    """A stand-in for the blob front end: it records the containers that storage has it create."""

    def __init__(self) -> None:
        self.names: set[tuple[str, str]] = set()

    async def create_container(self, account: str, name: str) -> None:
        """Record a container."""
        self.names.add((account, name))

    async def delete_container(self, account: str, name: str) -> None:
        """Forget a container."""
        self.names.discard((account, name))

    async def delete_account(self, account: str) -> None:
        """Forget an account's containers."""
        self.names = {pair for pair in self.names if pair[0] != account}


class Time:
    """A clock that a test can set ahead, and stop."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self._stopped: datetime | None = None

    def now(self) -> datetime:
        """Return the time."""
        return (self._stopped or datetime.now(UTC)) + self.ahead

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the clock for the duration of the block. It still goes by what is added to `ahead`."""
        self._stopped = datetime.now(UTC)
        try:
            yield
        finally:
            self._stopped = None


@dataclass(frozen=True)
class Stage:
    """The services, and what a test needs to reach them."""

    platform: Platform
    local: Listening
    provider: Provider
    time: Time
    containers: Containers
    owner: ClientSecretCredential

    @property
    def arm(self) -> ArmModel:
        """The model of ARM, to set up state."""
        return self.platform.model(ArmModel)

    @property
    def directory(self) -> EntraModel:
        """The directory, to set up users and groups."""
        return self.platform.model(EntraModel)

    @property
    def world(self) -> World:
        """The platform's names and ids."""
        return self.platform.world

    @property
    def url(self) -> str:
        """The URL of ARM on localhost."""
        return f"https://localhost:{self.platform.ports['arm']}"

    def principal(self, name: str, client_id: str = "", tenant_id: str = "") -> tuple[ClientSecretCredential, str]:
        """Create an application with a service principal; return its credential and its object id.

        Args:
            name: display name of the application.
            client_id: client id; empty for a new one.
            tenant_id: tenant of both; empty for the customer's.
        """
        return _principal(self.platform, client_id or str(uuid4()), name, tenant_id or self.world.tenant_id)


@contextmanager
def running(folder: Path) -> Iterator[Stage]:
    """Run the services on free ports and let this process reach them."""
    time, provider, containers = Time(), Provider(), Containers()
    platform = Platform(folder, clock=Clock(TIME_SCALE, time.now), world=World())
    platform.ports |= {name: free_port() for name in ("arm", "token", "front_end", "control")}
    platform._models[BlobsModel] = containers
    platform.services += [
        entra.create(platform),
        managed_identity.create(platform),
        arm.create(platform),
        control.create(platform),
    ]
    model = platform.model(ArmModel)
    platform.services.append(data_plane.create(platform, model.front_door.identities, model.registration.is_authorized))
    platform.services.append(
        Service(
            name="provider",
            hosts=(HOST,),
            routes=[
                Route("/{path:path}", provider.endpoint, methods=["GET", "PUT", "POST", "PATCH", "DELETE"], name="any")
            ],
            render=lambda _request, error: Response(error.code, status_code=error.status_code),
        )
    )
    platform.sites[HOST] = platform.ports["front_end"]
    owner = _seed(platform)
    listeners = {port: name != "control" for name, port in platform.ports.items()}
    with listening(platform, listeners) as local, variables(local.environment):
        yield Stage(platform, local, provider, time, containers, owner)


def _seed(platform: Platform) -> ClientSecretCredential:
    world, directory, model = platform.world, platform.model(EntraModel), platform.model(ArmModel)
    directory.ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    directory.ensure_tenant(world.rp_tenant_id, "Resource provider", "rp.onmicrosoft.com")
    model.subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    model.subscriptions.ensure(world.rp_subscription_id, world.rp_tenant_id, "Resource provider")
    register(platform)
    owner, object_id = _principal(platform, world.owner_client_id, "owner", world.tenant_id)
    ensure_role(model, f"/subscriptions/{world.subscription_id}", object_id, OWNER)
    return owner


def _principal(platform: Platform, client_id: str, name: str, tenant_id: str) -> tuple[ClientSecretCredential, str]:
    directory = platform.model(EntraModel)
    secret = f"{name}-{uuid4()}"
    directory.ensure_application(client_id, name, tenant_id=tenant_id, secrets=[secret])
    object_id = directory.ensure_service_principal(tenant_id, client_id)
    return ClientSecretCredential(tenant_id, client_id, secret), object_id
