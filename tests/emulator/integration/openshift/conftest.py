"""One local Azure for all tests of this folder; each test works on its own cluster."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.emulator.integration.blobs.conftest import Azurite
from tests.emulator.integration.openshift.stage import Site, running
from tests.platform_server import Listening


@pytest.fixture(scope="package")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """Run all services while this folder's tests run."""
    azurite = Azurite(tmp_path_factory.mktemp("azurite"))
    with running(tmp_path_factory.mktemp("state"), azurite) as local:
        azurite.start(local.platform)
        try:
            yield local
        finally:
            azurite.kill()


@pytest.fixture
def make_site(local: Listening) -> Callable[..., Site]:
    """Return a function that makes a customer's cluster with its network and no machine yet."""

    def make(**changes: Any) -> Site:
        site = Site(local, f"c{uuid4().hex[:6]}.eastus.aroapp.io", changes)
        site.deploy_network()
        return site

    return make
