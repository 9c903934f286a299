"""The documents are the truth: an operation ends even if the task hub that drives it is lost."""

import contextlib
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest
import requests

from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, fault, hold, met, prepare
from timers.watchdog_decision import Action

pytestmark = pytest.mark.slow(45)

# How long a call sleeps at most, if nobody wakes it. The product's own time-out is a little longer.
SLEEP_SECONDS = 50


def _delete_hub(azure: LocalAzure) -> None:
    """Delete the task hub while the host runs, as when an operator deletes the host's storage."""
    with taken(azure.state) as inventory:
        hub = inventory.service.settings["TASK_HUB"]
    arguments = ("--state", str(azure.state / "functions"), "--hub", hub, "--delete")
    subprocess.run([sys.executable, "-m", "emulator.host.task_hub", *arguments], check=True, timeout=120)


def test_three_creates_finish_although_the_task_hub_is_deleted(own_azure: LocalAzure, rng: random.Random) -> None:
    """The watchdog starts the next attempt of each, and nothing is made twice."""
    clusters = prepare(own_azure, *(unique(rng) for _ in range(3)))
    begun = ("validate_service_principal", "ensure_resource_group", "deploy_storage_template")
    asleep = {"service": "arm", "operation": "GET Microsoft.Network/dnsZones/A", "delay_seconds": SLEEP_SECONDS}
    # One activity of a first attempt sleeps until the second attempts have taken over.
    with fault(own_azure, kind="hold", **asleep) as sleep:
        # None of them gets further than this before its hub is gone.
        with hold(own_azure, service="arm", step="deploy_network_template"):
            operations = [cluster.create() for cluster in clusters]
            for cluster, operation_id, step in zip(clusters, operations, begun, strict=True):
                cluster.wait_for_step(operation_id, step)
            _delete_hub(own_azure)
        for cluster, operation_id in zip(clusters, operations, strict=True):
            assert cluster.report(operation_id)["status"] == "Creating"
            wait_for(lambda: cluster.report(operation_id)["attempt"] == 2, "a second attempt")  # noqa: B023 - at once
    for cluster, operation_id in zip(clusters, operations, strict=True):
        cluster.succeed(operation_id)
        assert cluster.report(operation_id)["attempt"] == 2
        cluster.expect_one_of_each(operation_id, versions=2)
    wait_for(lambda: met(own_azure, sleep), "the sleeper to wake up")
    for cluster, operation_id in zip(clusters, operations, strict=True):
        cluster.expect_one_of_each(operation_id, versions=2)


def test_a_create_whose_request_died_before_its_start_is_started(own_azure: LocalAzure, rng: random.Random) -> None:
    """The worker dies after it has written the cluster's document and before it has started the orchestration."""
    (prepared,) = prepare(own_azure, unique(rng))
    cluster = replace(prepared, correlation_id=str(uuid4()))
    calls = {"service": "cosmos", "correlation_id": cluster.correlation_id}
    with (
        ThreadPoolExecutor(1) as pool,
        # The request gets no answer to its write of the document, and cannot find out whether it was carried out.
        fault(own_azure, kind="lost-response", operation="create OpenShiftClusters", **calls) as lost,
        hold(own_azure, operation="(create|read) OpenShiftClusters", **calls),
    ):
        request = pool.submit(_put_for_nobody, cluster)
        wait_for(lambda: met(own_azure, lost), "the write of the document")
        own_azure.kill("functions: worker")
        request.result()
    with taken(own_azure.state) as inventory:
        (operation,) = inventory.operations(cluster.customer)
    started = f"operation {operation['id']}: {Action.START.value}"
    wait_for(lambda: started in own_azure.command("logs", operation["id"]), "the watchdog to start it")
    cluster.wait_for_step(operation["id"], "ensure_resource_group")
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)


def _put_for_nobody(cluster: Cluster) -> None:
    with contextlib.suppress(requests.RequestException):
        cluster.send_once("PUT", body=cluster.body)
