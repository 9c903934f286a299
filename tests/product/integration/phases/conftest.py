"""Both API servers, and a phase's view of them."""

import ssl
from collections.abc import Iterator
from itertools import count

import pytest
from kubernetes.client import ApiClient, Configuration

from activities.phases.objects import Cluster
from shared import fence
from tests.emulator.integration.kubernetes import servers
from tests.emulator.integration.kubernetes.conftest import api, emulated_api, real_api
from tests.emulator.integration.kubernetes.servers import Api

__all__ = ["api", "emulated_api", "real_api"]

_numbers = count(1)


def client_of(api: Api) -> ApiClient:
    """Return a client of a server that may do everything."""
    context = ssl.create_default_context(cafile=str(api.authority.certificate_path))
    context.load_cert_chain(api.client_certificate("admin", "system:masters"))
    client = ApiClient(Configuration(host=api.url, retries=False))
    client.rest_client.pool_manager.connection_pool_kw["ssl_context"] = context
    return client


@pytest.fixture
def cluster(api: Api) -> Iterator[Cluster]:
    """Give a cluster, as an activity whose fence holds sees it."""
    token = fence.check.set(lambda: None)
    yield Cluster(client_of(api))
    fence.check.reset(token)


@pytest.fixture(scope="session")
def second_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Run another emulated server, for what happens between two clusters."""
    with servers.emulated(tmp_path_factory.mktemp("second")) as running:
        yield running


@pytest.fixture
def second_cluster(second_api: Api) -> Cluster:
    """Give the other cluster."""
    return Cluster(client_of(second_api))


@pytest.fixture
def name() -> str:
    """Give a name that no other test of this process uses, for a phase and its namespace."""
    return f"phase-{next(_numbers)}"
