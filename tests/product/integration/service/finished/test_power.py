"""A finished cluster is stopped and started, with a process that dies again and again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from shared.json_object import Json
from tests.api_versions import VERSIONS
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, begun

pytestmark = pytest.mark.slow(90)

OWN = VERSIONS[-1]
NODES, OPERATORS = "/api/v1/nodes", "/apis/config.openshift.io/v1/clusteroperators"
SETTLED = {"Available": "True", "Progressing": "False", "Degraded": "False"}
STOP_ROWS = ("note_stop", "cordon_nodes", "stop_workers", "stop_masters")
START_ROWS = ("note_start", "start_masters", "masters_ready", "operators_settled")


def post(cluster: Cluster, action: str) -> Any:
    """POST an action."""
    return cluster.send("POST", f"{cluster.customer.cluster_id}/{action}?api-version={OWN}")


def power_state(cluster: Cluster) -> str:
    """Return the power state that a GET shows."""
    answer = cluster.send("GET", f"{cluster.customer.cluster_id}?api-version={OWN}")
    return str(answer.json()["properties"]["powerState"])


def grow_older(cluster: Cluster) -> None:
    """Let two days pass for a cluster, so that it may be stopped."""
    with taken(cluster.azure.state) as inventory:
        inventory.make_older(cluster.customer, timedelta(days=2))


def document_of(cluster: Cluster) -> Json:
    """Return the cluster's document."""
    with taken(cluster.azure.state) as inventory:
        document = inventory.cluster(cluster.customer)
    assert document is not None
    return document


def powers(cluster: Cluster) -> set[str]:
    """Return the powers of the cluster's virtual machines."""
    group = document_of(cluster)["openShiftCluster"]["properties"]["clusterProfile"]["resourceGroupId"]
    with taken(cluster.azure.state) as inventory:
        prefix = f"{group}/providers/Microsoft.Compute/virtualMachines/"
        found = inventory.resources(prefix)
    return {one["private"]["power"] for one in found if "power" in one.get("private", {})}


def unsettled(api: KubernetesApi) -> list[str]:
    """Return the operators that are not settled."""
    conditions = {
        one["metadata"]["name"]: {each["type"]: each["status"] for each in one["status"]["conditions"]}
        for one in api.list(OPERATORS)
    }
    return [name for name, found in conditions.items() if not SETTLED.items() <= found.items()]


def test_a_cluster_is_stopped_and_started_although_its_rows_lose_their_process(
    own_cluster: Cluster, tmp_path: Path
) -> None:
    """It is refused in its first day; its machines are deallocated; it ends with all operators available."""
    cluster = replace(own_cluster, correlation_id=str(uuid4()))
    api = KubernetesApi(cluster.customer, tmp_path)
    young = post(cluster, "stop")
    assert (young.status_code, young.json()["error"]["code"]) == (400, "RequestNotAllowed"), young.text
    grow_older(cluster)

    operation_id = begun(post(cluster, "stop"))
    for step in STOP_ROWS:
        cluster.wait_for_step(operation_id, step)
        cluster.azure.kill("functions: worker")
    cluster.succeed(operation_id)
    assert power_state(cluster) == "Stopped"
    assert powers(cluster) == {"deallocated"}
    power = document_of(cluster)["power"]
    assert datetime.fromisoformat(power["startBefore"]) > datetime.now(UTC) + timedelta(days=60)

    scaled = {"properties": {"workerProfiles": [{"name": "worker", "count": 4}]}}
    refused = cluster.send("PATCH", f"{cluster.customer.cluster_id}?api-version=2019-12-31-preview", scaled)
    assert (refused.status_code, "needs a running cluster" in refused.text) == (400, True), refused.text

    operation_id = begun(post(cluster, "start"))
    for step in START_ROWS:
        cluster.wait_for_step(operation_id, step)
        cluster.azure.kill("functions: worker")
    cluster.succeed(operation_id)
    assert power_state(cluster) == "Running"
    assert powers(cluster) == {"running"}
    assert unsettled(api) == []
    assert [one["metadata"]["name"] for one in api.list(NODES) if one["spec"].get("unschedulable")] == []
