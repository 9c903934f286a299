"""Outages at Azure's own pace: no time scale shortens the SDKs' pauses, so a fast clock hides their effect."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from shared.json_object import Json
from tests import local_azure
from tests.faults.checks import census
from tests.faults.scenarios import OWN_PACE
from tests.faults.services import SERVICES, WAYS
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import PATIENCE_SECONDS, Cluster, fault, prepare

pytestmark = [
    pytest.mark.slow(120),
    pytest.mark.family(OWN_PACE),
]

AWAY_SECONDS = 60
STEP = "deploy_storage_template"
CHOSEN = ("503", "reset", "429 without Retry-After")


def test_a_create_goes_on_after_cosmos_db_was_away_for_a_minute(tmp_path: Path, rng: random.Random) -> None:
    """Cosmos DB is away in each of three ways from the moment a step needs it; the step succeeds at attempt 1."""
    # Only the create has to run at Azure's own pace, not what customers do before it.
    with local_azure.running(tmp_path / "local-azure") as azure:
        clusters = _clusters(azure, rng)
    with local_azure.running(azure.state, time_scale=1), ThreadPoolExecutor(len(CHOSEN)) as pool:
        ends = list(pool.map(_sit_out, clusters, CHOSEN))
    assert ends == ["Succeeded at attempt 1"] * len(CHOSEN), "\n".join(ends)


def _clusters(azure: LocalAzure, rng: random.Random) -> list[Cluster]:
    prepared = prepare(azure, *(unique(rng) for _ in CHOSEN))
    return [replace(cluster, correlation_id=str(UUID(int=rng.getrandbits(128)))) for cluster in prepared]


def _sit_out(cluster: Cluster, way: str) -> str:
    """Create a cluster, take the database away when the step begins, and return how the step ended."""
    wish = WAYS[way] | {"correlation_id": cluster.correlation_id, "seconds": AWAY_SECONDS, "begins_at": STEP}
    with fault(cluster.azure, **wish, service=SERVICES["Cosmos DB"].of), taken(cluster.azure.state) as inventory:
        operation_id = cluster.create()

        def ended() -> Json | None:
            item = inventory.steps(operation_id).get(STEP)
            return item if item and item["status"] != "Running" else None

        item = local_azure.wait_for(ended, f"the end of {STEP}", PATIENCE_SECONDS)
    reason = f" when the database was away by {way}: {item['error'] or item['message']}"
    attempt = census.attempts(cluster.azure.state, operation_id)
    return f"{item['status']} at attempt {attempt}" + (reason if item["status"] != "Succeeded" else "")
