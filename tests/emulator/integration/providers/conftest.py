"""One set of services for all tests of this folder; each test has its own names."""

from collections.abc import Iterator

import pytest

from tests.emulator.integration.providers.stage import Stage, running


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Run the services while this folder's tests run."""
    with running(tmp_path_factory.mktemp("state")) as services:
        yield services
