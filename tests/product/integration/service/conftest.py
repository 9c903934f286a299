"""Finished clusters for the stories that begin with one: copies of one that was made once in the session."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import SEED, of_session
from tests.local_azure import unique
from tests.product.integration.service.copies import copied, original
from tests.product.integration.service.stage import Cluster


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Give the state folder of a local Azure with one finished cluster, which does not run and which nobody changes."""
    numbers = random.Random(f"{os.environ[SEED]}/finished")  # noqa: S311 - for repeatable tests
    return original(of_session(tmp_path_factory, worker_id), unique(numbers, "s"))


@pytest.fixture(scope="session")
def standing(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a finished cluster to the stories that leave it as they found it, or change what no other story reads.

    It was created with the first client secret of its principal. Nobody deletes it.
    """
    with copied(finished, tmp_path_factory.mktemp("standing") / "local-azure") as cluster:
        yield cluster


@pytest.fixture
def own_cluster(finished: Path, tmp_path: Path) -> Iterator[Cluster]:
    """Give a finished cluster that one story has for itself, on a local Azure of its own."""
    with copied(finished, tmp_path / "local-azure") as cluster:
        yield cluster
