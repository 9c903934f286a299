"""Both API servers, each started once a session; each test has its own namespace and custom kinds."""

from collections.abc import Iterator
from itertools import count

import httpx
import pytest

from tests.emulator.integration.kubernetes import servers
from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi
from tests.emulator.integration.kubernetes.widgets import Widgets, define

_numbers = count(1)


@pytest.fixture(scope="session")
def emulated_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedApi]:
    """Run the emulated server."""
    with servers.emulated(tmp_path_factory.mktemp("emulated")) as api:
        yield api


@pytest.fixture(scope="session")
def real_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Run the real server, or skip."""
    try:
        running = servers.real(tmp_path_factory.mktemp("real"))
        with running as api:
            yield api
    except servers.NoBinaryError as error:
        pytest.skip(f"the real API server is not installed: {error}")


@pytest.fixture(params=["emulated", "real"])
def api(request: pytest.FixtureRequest) -> Api:
    """Return each of the two servers in turn."""
    found: Api = request.getfixturevalue(f"{request.param}_api")
    return found


@pytest.fixture
def admin(api: Api) -> httpx.Client:
    """Return a client that may do everything."""
    return api.client()


@pytest.fixture
def namespace(admin: httpx.Client) -> str:
    """Create a namespace; return its name."""
    name = f"test-{next(_numbers)}"
    admin.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
    return name


@pytest.fixture
def config_maps(namespace: str) -> str:
    """Return the path of the ConfigMaps of a new namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


@pytest.fixture
def widgets(admin: httpx.Client, namespace: str) -> Widgets:
    """Define a new custom kind that is ready for use."""
    return define(admin, f"group{next(_numbers)}.example.com", namespace)
