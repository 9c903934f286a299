"""A DELETE at any phase of a create removes all that exists by then, even machines and what the cluster itself made."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest

from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, prepare, unfinished

pytestmark = pytest.mark.slow

# A step, and its statuses if it is not enough that it has begun.
Moment = tuple[str, ...]
# The DELETE is sent when the create has reached one of these steps. In the first group every kind of thing exists that
# the create, the machines or the cluster itself make.
MOMENTS: tuple[Moment, ...] = (
    ("deploy_machines_template",),
    ("workers_ready",),
    ("update_router_address", "Succeeded"),
)
FURTHER: tuple[Moment, ...] = (
    ("deploy_network_template",),
    ("bootstrap_config_map_ready",),
    ("remove_bootstrap",),
)

# Generating the keys of a cluster takes a core for seconds.
AT_ONCE = 3


def _delete_at(cluster: Cluster, moment: Moment) -> tuple[str, str]:
    """Create a cluster and delete it at a moment; return the ids of the create's operation and of the document."""
    with unfinished(cluster):
        create = cluster.create()
        cluster.wait_for_step(create, *moment)
        document_id = cluster.document_id()
        delete = cluster.delete()
    cluster.succeed(delete)
    return create, document_id


@pytest.mark.parametrize(
    "moments", [MOMENTS, pytest.param(FURTHER, marks=pytest.mark.thorough)], ids=["machines and after", "between"]
)
def test_a_delete_at_each_phase_of_a_create_leaves_nothing(
    azure: LocalAzure, rng: random.Random, moments: tuple[Moment, ...]
) -> None:
    """The create ends `Canceled`, and endpoint, secrets, workers, disks and the router's address are gone for good."""
    prepared = prepare(azure, *(unique(rng, "d") for _ in moments))
    clusters = [replace(cluster, correlation_id=str(uuid4())) for cluster in prepared]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = list(pool.map(_delete_at, clusters, moments))
    for cluster, (create, document_id) in zip(clusters, ended, strict=True):
        assert cluster.status(create)["status"] == "Canceled"
        cluster.expect_nothing_left(document_id)
        with taken(azure.state) as inventory:
            assert inventory.guests(cluster.customer) == []
