"""One cluster for the stories that leave it as they found it, or change what no other story reads."""

import os
import random

import pytest

from tests.conftest import SEED
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.stage import Cluster, prepare


@pytest.fixture(scope="session")
def standing(azure: LocalAzure, worker_id: str) -> Cluster:
    """Give a cluster that was created with the first client secret of its principal. It is not deleted."""
    numbers = random.Random(f"{os.environ[SEED]}/standing/{worker_id}")  # noqa: S311 - for repeatable tests
    (cluster,) = prepare(azure, unique(numbers, "s"))
    cluster.succeed(cluster.create())
    return cluster
