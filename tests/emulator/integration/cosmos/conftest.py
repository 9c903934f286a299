"""One platform with Entra ID and Cosmos DB for all tests here, and SDK clients that reach it through the proxy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from azure.core.credentials import AccessToken
from azure.cosmos import ContainerProxy, CosmosClient
from azure.cosmos.documents import SSLConfiguration

from emulator import cosmos, entra
from emulator.core.clock import Clock
from emulator.core.faults import Fault
from emulator.core.platform import Platform
from emulator.core.world import World
from tests.cosmos_containers import ensure_container
from tests.platform_server import listening

ACCOUNT = "test-account"
CONTRIBUTOR = "cccccccc-0000-4000-8000-000000000003"
DATABASE = "ARO"
# Of the fault that lets reads answer with the past.
LONG_SECONDS, FOR_EVER = 3600, 10**9
Sessions = tuple[ContainerProxy, ContainerProxy]


@dataclass
class Time:
    """A clock that a test may set ahead."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        """Return the time that the platform sees."""
        return datetime.now(UTC) + self.ahead


@dataclass
class LocalCosmos:
    """What tests need: the model to seed with, the platform, and a client for each principal."""

    platform: Platform
    model: cosmos.CosmosModel
    time: Time
    proxy: str
    clients: dict[str, CosmosClient] = field(default_factory=dict)

    def token(self, client_id: str, audience: str = f"https://{ACCOUNT}.documents.azure.com") -> str:
        """Return a token of a principal in the resource provider's tenant."""
        return self.platform.model(entra.EntraModel).issue_token(self.platform.world.rp_tenant_id, client_id, audience)

    def client(self, client_id: str) -> CosmosClient:
        """Return the SDK's client, signed in as a principal: one session for all tests."""
        if client_id not in self.clients:
            self.clients[client_id] = self.new_client(client_id)
        return self.clients[client_id]

    def new_client(self, client_id: str) -> CosmosClient:
        """Return another client of the SDK: a session of its own, with the level that the account has now."""
        local = self

        class Credential:
            def get_token(self, *_scopes: str, **_options: object) -> AccessToken:
                return AccessToken(local.token(client_id), int(datetime.now(UTC).timestamp()) + 3000)

        trust = SSLConfiguration()
        trust.SSLCaCerts = str(self.platform.authority.certificate_path)
        return CosmosClient(
            f"https://{ACCOUNT}.documents.azure.com:443/",
            credential=Credential(),
            proxies={"https": self.proxy},
            ssl_config=trust,
            retry_total=2,
        )


@pytest.fixture(scope="session")
def local_cosmos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCosmos]:
    """Run the platform, with an account, a database, a contributor and a reader."""
    time, world = Time(), World()
    platform = Platform(tmp_path_factory.mktemp("local-azure"), clock=Clock(40, time), world=world)
    platform.services += [entra.create(platform), cosmos.create(platform)]
    directory, model = platform.model(entra.EntraModel), platform.model(cosmos.CosmosModel)
    model.ensure_account(ACCOUNT, world.rp_tenant_id)
    model.ensure_database(ACCOUNT, DATABASE)
    roles: tuple[tuple[str, cosmos.Role | None], ...] = (
        (CONTRIBUTOR, "contributor"),
        (world.extra_client_ids[0], "reader"),
        (world.extra_client_ids[1], None),
    )
    for client_id, role in roles:
        directory.ensure_application(client_id, client_id)
        object_id = directory.ensure_service_principal(world.rp_tenant_id, client_id)
        if role:
            model.allow(ACCOUNT, object_id, role)
    with listening(platform) as local:
        yield LocalCosmos(platform, model, time, local.proxy)


Make = Callable[..., ContainerProxy]


@pytest.fixture
def container(local_cosmos: LocalCosmos) -> Make:
    """Return a function that creates a new container and returns the contributor's client for it."""

    def make(
        partition_key: str = "/pk", unique_keys: tuple[str, ...] = (), default_ttl: int | None = None
    ) -> ContainerProxy:
        name = f"c{uuid4().hex[:8]}"
        ensure_container(
            local_cosmos.model, ACCOUNT, DATABASE, name, partition_key, unique_keys=unique_keys, default_ttl=default_ttl
        )
        client = local_cosmos.client(CONTRIBUTOR)
        return client.get_database_client(DATABASE).get_container_client(name)

    return make


@pytest.fixture
def sessions(local_cosmos: LocalCosmos, container: Make) -> Iterator[Callable[[str], Sessions]]:
    """Return a function that sets the account's level and opens a new container in two sessions of that level."""

    def opened(level: str) -> Sessions:
        local_cosmos.model.set_consistency(ACCOUNT, level)
        name = container("/id").id
        first, second = (
            local_cosmos.new_client(CONTRIBUTOR).get_database_client(DATABASE).get_container_client(name)
            for _ in range(2)
        )
        return first, second

    yield opened
    local_cosmos.model.set_consistency(ACCOUNT, "Session")


@contextmanager
def stale(local: LocalCosmos, seconds: float = LONG_SECONDS, operation: str = "(read|query) .*") -> Iterator[None]:
    """Let reads answer as the database was so many seconds ago, but not before the fault."""
    fault = Fault("cosmos", operation, kind="stale", count=FOR_EVER, delay_seconds=seconds)
    local.platform.faults.add(fault)
    yield
    local.platform.faults.clear(fault.id)
