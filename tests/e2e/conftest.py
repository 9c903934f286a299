"""What the tests of pages share: a local Azure, and a terminal in front of it for each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.deployer import Deployer, terminal
from tests.local_azure import LocalAzure, running


@pytest.fixture(scope="package")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    """Give a local Azure into which each page deploys its service, and from which it removes all of it."""
    with running(tmp_path_factory.mktemp("pages") / "azure") as azure:
        yield azure


@pytest.fixture
def environment(platform: LocalAzure, tmp_path: Path) -> dict[str, Any]:
    """Give the environment of the deployer's terminal; a test may add to it."""
    return terminal(platform, tmp_path)


@pytest.fixture
def deployer(platform: LocalAzure, environment: dict[str, Any]) -> Deployer:
    """Give the principal that deploys."""
    return Deployer(platform, environment)
