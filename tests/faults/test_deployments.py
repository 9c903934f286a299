"""A release is deployed in the middle of ten creates: each ends with a cluster, or says why not and then continues."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from shared.json_object import Json
from tests import local_azure
from tests.faults.plugin import MET, SCALE
from tests.faults.releases import ADDED, CHANGED, CHANGED_MINUTES, REMOVED, App, make_next_release
from tests.faults.scenarios import DEPLOYMENTS
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.hosts import second_host, served
from tests.product.integration.service.inventory import Inventory, taken
from tests.product.integration.service.stage import Cluster, prepare

pytestmark = [
    pytest.mark.slow(120),
    pytest.mark.family(DEPLOYMENTS),
    pytest.mark.thorough,
    # Ten creates at once are enough for a small machine.
    pytest.mark.xdist_group("faults-deployments"),
]

# How many creates have passed the removed row when the release comes, and how many have not.
AHEAD, BEHIND = 5, 5
# How long an instance that drains may finish what it runs. Azure gives it an hour, and no call here takes that long.
DRAIN_SECONDS = 120
# A step that runs again after its process has died may write a secret again.
VERSIONS = 10
# The step that is seen of a create before the release comes.
SEEN = "ensure_resource_group"

# Deploys a release while some operations run; returns whether both releases have worked on them, if they had to.
Deploy = Callable[[Path, Inventory, list[str]], bool]
Strategy = Callable[[App, Path], AbstractContextManager[Deploy]]


def _replace_by_draining(azure: LocalAzure) -> None:
    """Let the platform's own host finish what it runs, and wait for the next one."""
    first = azure.pid("functions")
    assert first is not None
    os.kill(first, signal.SIGTERM)
    wait_for(lambda: azure.pid("functions") not in (None, first), "another host")


@contextmanager
def _recreate(app: App, _folder: Path) -> Iterator[Deploy]:
    """Let a deployment kill the instance and start another one, as `Recreate` does."""

    def deploy(release: Path, _inventory: Inventory, _operations: list[str]) -> bool:
        app.deploy(release)
        app.azure.kill("functions")
        return True

    yield deploy


@contextmanager
def _roll(app: App, folder: Path) -> Iterator[Deploy]:
    """Let a deployment drain two instances, one after the other, as `RollingUpdate` does in batches."""
    first_log, second_log = app.azure.state / "logs" / "functions.log", folder / "second-host.log"
    with second_host(app.azure, second_log, "--grace", str(DRAIN_SECONDS)) as second:

        def deploy(release: Path, inventory: Inventory, operations: list[str]) -> bool:
            app.deploy(release)
            _replace_by_draining(app.azure)
            sizes = [len(log.read_text(encoding="utf-8")) for log in (first_log, second_log)]

            def overlap() -> bool:
                return all(served(log, size) for log, size in zip((first_log, second_log), sizes, strict=True))

            wait_for(lambda: overlap() or all(map(inventory.has_ended, operations)), "work of both releases")
            met = overlap()
            second.terminate()
            assert second.wait(2 * DRAIN_SECONDS) == 0
            return met

        yield deploy


@pytest.mark.parametrize("strategy", [_recreate, _roll], ids=["Recreate", "RollingUpdate"])
def test_ten_creates_survive_a_release_with_other_steps(
    strategy: Strategy, rng: random.Random, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """A step is changed, one is added, and one is removed together with its activity."""
    release = make_next_release(tmp_path / "release")
    with local_azure.running(tmp_path / "local-azure", SCALE) as azure, taken(azure.state) as inventory:
        app = App(azure, tmp_path / "app")
        app.begin()
        ahead, behind = (prepare(azure, *(unique(rng) for _ in range(count))) for count in (AHEAD, BEHIND))
        with ThreadPoolExecutor(AHEAD + BEHIND) as pool, strategy(app, tmp_path) as deploy:
            operations = list(pool.map(Cluster.create, ahead))
            for cluster, operation_id in zip(ahead, operations, strict=True):
                cluster.wait_for_step(operation_id, REMOVED, "Succeeded")
            operations += pool.map(Cluster.create, behind)
            for cluster, operation_id in zip(behind, operations[AHEAD:], strict=True):
                cluster.wait_for_step(operation_id, SEEN)
            record_property(MET, deploy(release, inventory, operations))
            repeated = list(pool.map(_finish, [*ahead, *behind], operations))
        assert not any(repeated[:AHEAD])
        _expect_old_plans(inventory, [old for old, new in zip(operations, repeated, strict=True) if not new])
        _expect_new_plans(inventory, [new for new in repeated if new])
        assert strategy is not _recreate or all(repeated[AHEAD:])


def _finish(cluster: Cluster, operation_id: str) -> str:
    """Wait until a create has succeeded; if it has failed and said why, repeat it.

    Returns:
        The id of the operation that the repeated request began, or "".
    """
    ended = cluster.wait(operation_id)
    repeated = ""
    if ended["status"] != "Succeeded":
        _expect_explanation(ended["error"])
        repeated = cluster.create()
        cluster.succeed(repeated)
    cluster.expect_one_of_each(repeated or operation_id, VERSIONS)
    return repeated


def _expect_explanation(error: Json) -> None:
    """Check that an error names the step that is gone, and says that the same request continues."""
    details = {each["code"]: each["message"] for each in error["details"]}
    assert f"cannot do these steps of its plan: {REMOVED}." in error["message"], error
    assert "repeat the request" in details["Remedy"], error
    assert details["Owner"] == "platform", error


def _expect_old_plans(inventory: Inventory, operations: list[str]) -> None:
    """Check that creates which continued have done the steps that they began with."""
    for operation_id in operations:
        steps = inventory.steps(operation_id)
        assert steps[REMOVED]["status"] == "Succeeded"
        assert ADDED not in steps


def _expect_new_plans(inventory: Inventory, operations: list[str]) -> None:
    """Check that repeated creates have done the steps of the release."""
    for operation_id in operations:
        rows = {row["name"]: row for row in inventory.plan(operation_id)["rows"]}
        assert REMOVED not in rows
        assert ADDED in rows[CHANGED]["needs"]
        assert rows[CHANGED]["deadlineSeconds"] == CHANGED_MINUTES * 60 / SCALE
        assert inventory.steps(operation_id)[ADDED]["status"] == "Succeeded"
