"""The number of workers changes by an update: up, down, interrupted, refused, and beside what the owner does inside."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from shared.json_object import Json
from tests.local_azure import wait_for
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import MACHINE_SETS, KubernetesApi
from tests.product.integration.service.stage import Cluster, begun, fault

pytestmark = pytest.mark.slow(60)

# The API version in which the number may change.
VERSION = "2019-12-31-preview"
# Rows of an update that have to do with the number.
ROWS = ("validate_worker_quota", "api_servers_available", "scale_workers", "workers_scaled")
FAMILY = "standardDSv5Family"
ENOUGH = 1000


def send(cluster: Cluster, method: str, body: Json | None = None) -> Json:
    """Send a request in the version that scales; return the cluster that it answers with."""
    answer = cluster.send(method, f"{cluster.customer.cluster_id}?api-version={VERSION}", body)
    assert answer.ok, answer.text
    document: Json = answer.json()
    return document


def scale(cluster: Cluster, count: int) -> str:
    """PATCH the number of workers; return the operation's id."""
    body = {"properties": {"workerProfiles": [{"name": "worker", "count": count}]}}
    return begun(cluster.send("PATCH", f"{cluster.customer.cluster_id}?api-version={VERSION}", body))


def patch_tags(cluster: Cluster, **tags: str) -> str:
    """PATCH only the tags; return the operation's id."""
    return begun(cluster.send("PATCH", body={"tags": tags}))


def asked(api: KubernetesApi) -> list[int]:
    """Return how many machines each machine set asks for."""
    return sorted(one["spec"]["replicas"] for one in api.list(MACHINE_SETS))


def wanted(cluster: Cluster) -> int:
    """Return the number of workers in the cluster's document."""
    with taken(cluster.azure.state) as inventory:
        document = inventory.cluster(cluster.customer)
    assert document is not None
    assert "scaling" not in document
    return int(document["openShiftCluster"]["properties"]["workerProfiles"][0]["count"])


def has_workers(api: KubernetesApi, count: int) -> bool:
    """Tell whether the cluster has this number of worker machines, and all of them run."""
    return list(api.workers().values()) == ["Running"] * count


@pytest.fixture
def cluster(own_cluster: Cluster) -> Cluster:
    """Give a finished cluster, to which faults can apply alone."""
    return replace(own_cluster, correlation_id=str(uuid4()))


@pytest.fixture
def api(cluster: Cluster, tmp_path: Path) -> KubernetesApi:
    """Give the cluster's API."""
    return KubernetesApi(cluster.customer, tmp_path)


def test_workers_are_scaled_up_and_down_although_every_row_loses_its_process(
    cluster: Cluster, api: KubernetesApi
) -> None:
    """The machine sets stay even, and the operation ends when the machines are there."""
    assert asked(api) == [1, 1, 1]
    operation_id = scale(cluster, 5)
    for step in ROWS:
        cluster.wait_for_step(operation_id, step)
        cluster.azure.kill("functions: worker")
    cluster.succeed(operation_id)
    assert asked(api) == [1, 2, 2]
    assert has_workers(api, 5)
    assert wanted(cluster) == 5

    cluster.succeed(scale(cluster, 2))
    assert asked(api) == [0, 1, 1]
    # Machines that leave are drained first, and nobody has to wait for that.
    wait_for(lambda: has_workers(api, 2), "three workers to go")
    assert wanted(cluster) == 2


def test_what_the_owner_scales_inside_stays_until_somebody_asks_for_another_number(
    cluster: Cluster, api: KubernetesApi
) -> None:
    """Neither tags nor a body that is sent back as it was read undo it."""
    api.scale_up()
    wait_for(lambda: has_workers(api, 4), "the owner's own worker")
    cluster.succeed(patch_tags(cluster, a="1"))
    assert asked(api) == [1, 1, 2]
    shown = send(cluster, "GET")
    with taken(cluster.azure.state) as inventory:
        before = {each["id"] for each in inventory.operations(cluster.customer)}
    send(cluster, "PUT", shown | {"tags": {"a": "2"}})
    with taken(cluster.azure.state) as inventory:
        (operation_id,) = {each["id"] for each in inventory.operations(cluster.customer)} - before
    cluster.succeed(operation_id)
    assert asked(api) == [1, 1, 2]
    cluster.succeed(scale(cluster, 6))
    assert asked(api) == [2, 2, 2]
    assert has_workers(api, 6)


def test_a_number_that_cannot_be_reached_is_explained_and_the_next_request_goes_on(
    cluster: Cluster, api: KubernetesApi
) -> None:
    """A refused number is forgotten; one that the cluster may have already is continued, even by a PATCH of tags."""
    subscription, location = cluster.customer.subscription_id, cluster.azure.endpoints["location"]
    quota = {"subscription": subscription, "location": location, "family": FAMILY}
    with taken(cluster.azure.state) as inventory:
        used = inventory.cores(subscription, FAMILY)
    cluster.azure.control("PUT", "/quotas", quota | {"limit": used + 4})
    try:
        error = cluster.fail(scale(cluster, 5))
    finally:
        cluster.azure.control("PUT", "/quotas", quota | {"limit": ENOUGH})
    assert error["code"] == "ResourceQuotaExceeded"
    assert "needs 8 more" in error["message"]
    assert asked(api) == [1, 1, 1]
    cluster.succeed(patch_tags(cluster, a="1"))
    assert asked(api) == [1, 1, 1]
    assert wanted(cluster) == 3

    # The second machine set cannot be written, so the cluster has a part of the new number.
    wish = {"service": "kubernetes", "operation": "PATCH .*", "step": "scale_workers", "status_code": 422, "skip": 1}
    with fault(cluster.azure, correlation_id=cluster.correlation_id, **wish):
        assert "scale_workers" in str(cluster.fail(scale(cluster, 5)))
    assert asked(api) == [1, 1, 2]
    cluster.succeed(patch_tags(cluster, a="2"))
    assert asked(api) == [1, 2, 2]
    assert has_workers(api, 5)
    assert wanted(cluster) == 5
