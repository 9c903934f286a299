"""Two hosts share one store: as instances of one plan, or as two deployments, each with its own task hub."""

import contextlib
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import psutil
import pytest

from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.hosts import kill_tree, second_host, served
from tests.product.integration.service.inventory import Inventory, taken
from tests.product.integration.service.stage import fault, prepare

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

# Their first steps are more activities than one host runs at a time (`host.json`), while those are slow.
CREATES = 4
# The task hub of the second deployment; the first one has the hub of the settings.
GREEN = "Green"
# How long a hub must be silent before another takes over, and how often the watchdog runs, at this time scale.
SILENCE_SECONDS = 15
WATCHDOG_SECONDS = 5
# Keeps the creates running for that long.
SLOWLY = {"kind": "delay", "delay_seconds": 1, "count": 100_000}


def test_two_hosts_share_the_work_and_one_of_them_may_die(
    own_azure: LocalAzure, rng: random.Random, tmp_path: Path
) -> None:
    """The second host does what the first has no room for; after it is killed, the first finishes its work."""
    clusters = prepare(own_azure, *(unique(rng) for _ in range(CREATES)))
    log = tmp_path / "second-host.log"
    with second_host(own_azure, log) as second:
        with fault(own_azure, service="cosmos", operation="upsert .*", kind="delay", delay_seconds=2, count=100_000):
            operations = [cluster.create() for cluster in clusters]
            wait_for(lambda: served(log) & set(operations), "work of the second host")
        kill_tree(second)
    for cluster, operation_id in zip(clusters, operations, strict=True):
        cluster.succeed(operation_id)
        cluster.expect_one_of_each(operation_id, versions=2)
    assert served(own_azure.state / "logs" / "functions.log") >= set(operations)


def test_two_task_hubs_leave_each_other_their_operations_until_one_of_them_is_gone(
    own_azure: LocalAzure, rng: random.Random, tmp_path: Path
) -> None:
    """A deployment takes over the other's operations only once the other is silent, and nothing is made twice."""
    clusters = prepare(own_azure, *(unique(rng) for _ in range(3)))
    log = tmp_path / "green-host.log"
    with second_host(own_azure, log, TASK_HUB=GREEN), taken(own_azure.state) as inventory:
        with fault(own_azure, service="cosmos", operation="upsert OperationProgress", **SLOWLY):
            operations = [cluster.create() for cluster in clusters]
            wait_for(lambda: len(inventory.documents("TaskHubs")) > 1, "both hubs to say that they live")
            # By then its watchdog has had the time and the runs to take over what nobody drives.
            seen = _last_seen(inventory, GREEN) + timedelta(seconds=SILENCE_SECONDS + WATCHDOG_SECONDS)
            wait_for(lambda: _last_seen(inventory, GREEN) > seen, "further runs of the second watchdog")
            reports = [cluster.report(each) for cluster, each in zip(clusters, operations, strict=True)]
            assert [(each["status"], each["attempt"]) for each in reports] == [("Creating", 1)] * 3
            assert not served(log)
            with _frozen(own_azure):
                wait_for(
                    lambda: {inventory.operation(each)["taskHub"] for each in operations} == {GREEN}, "the take-over"
                )
        for cluster, operation_id in zip(clusters, operations, strict=True):
            cluster.succeed(operation_id)
            assert cluster.report(operation_id)["attempt"] == 2
            cluster.expect_one_of_each(operation_id, versions=2)
    assert served(log) >= set(operations)


def _last_seen(inventory: Inventory, hub: str) -> datetime:
    """Return when a hub has last said that it lives, which its watchdog does while anything runs."""
    (sign,) = [each for each in inventory.documents("TaskHubs") if each["id"] == hub]
    return datetime.fromisoformat(sign["lastSeen"])


@contextlib.contextmanager
def _frozen(azure: LocalAzure) -> Iterator[None]:
    """Suspend the first host; afterwards it continues where it was, and finds that the fence has moved."""
    first = psutil.Process(azure.pid("functions"))
    tree = (first, *first.children(recursive=True))
    for each in tree:
        each.suspend()
    try:
        yield
    finally:
        for each in tree:
            each.resume()
