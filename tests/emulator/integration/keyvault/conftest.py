"""One set of services for all tests of this folder; each test has its own applications, secrets and names."""

from collections.abc import Iterator

import pytest

from emulator.keyvault import orders
from tests.emulator.integration.entra.stage import Stage, running


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Run the services while this folder's tests run. An issuer's order ends when a test says so."""
    with pytest.MonkeyPatch.context() as patch, running(tmp_path_factory.mktemp("state")) as services:
        patch.setattr(orders, "ISSUE_SECONDS", 1e6)
        yield services
