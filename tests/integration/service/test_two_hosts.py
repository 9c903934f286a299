"""Two hosts share one store, as a plan with two instances does."""

import contextlib
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration.local_azure import LocalAzure, unique, wait_for
from tests.integration.service.stage import fault, prepare

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.xdist_group("service-hub")]

# Their first steps are more than the activities that one host runs at a time (`host.json`), as long as those are slow.
CREATES = 4
# An activity's last line, with the operation that it served.
DONE = re.compile(r"activity \w+ (?:run|status): done.*?\"operation_id\": \"([0-9a-f-]+)\"")


def test_two_hosts_share_the_work_and_one_of_them_may_die(
    own_azure: LocalAzure, rng: random.Random, tmp_path: Path
) -> None:
    """What one host has no room for the other does; when that one is killed, the first finishes what it had taken."""
    clusters = prepare(own_azure, *(unique(rng) for _ in range(CREATES)))
    log = tmp_path / "second-host.log"
    with _second_host(own_azure, log) as second:
        with fault(own_azure, service="cosmos", operation="upsert .*", kind="delay", delay_seconds=2, count=100_000):
            operations = [cluster.create() for cluster in clusters]
            wait_for(lambda: _served(log) & set(operations), "work of the second host")
        _kill_tree(second)
    for cluster, operation_id in zip(clusters, operations, strict=True):
        cluster.succeed(operation_id)
        cluster.expect_one_of_each(operation_id, versions=2)
    assert _served(own_azure.state / "logs" / "functions.log") >= set(operations)


def _served(log: Path) -> set[str]:
    """Return the operations of which a host has done a step."""
    return set(DONE.findall(log.read_text(encoding="utf-8"))) if log.exists() else set()


@contextlib.contextmanager
def _second_host(azure: LocalAzure, log: Path) -> Iterator[psutil.Popen]:
    """Run another host on the same task hub, as App Service does when it scales out."""
    first = psutil.Process(azure.pid("functions"))
    arguments = first.cmdline()
    for option, value in (("--port", "0"), ("--log", str(log))):
        arguments[arguments.index(option) + 1] = value
    # It has no front end: requests go to the first.
    socket = arguments.index("--socket")
    del arguments[socket : socket + 2]
    with psutil.Popen(
        arguments, env=first.environ(), cwd=first.cwd(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as second:
        try:
            assert second.stdout.readline().startswith("ready ")
            yield second
        finally:
            _kill_tree(second)


def _kill_tree(process: psutil.Popen) -> None:
    if not process.is_running():
        return
    for each in (*process.children(recursive=True), process):
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    process.wait(10)
