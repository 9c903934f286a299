"""Makes each kind of trouble from outside: faults, signals, locks, further requests.

A function here gets a scenario and its cluster before the request is sent, and yields a function to call afterwards.
"""

import json
import os
import random
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from uuid import uuid4

from shared.json_object import Json
from tests.faults.living import operations
from tests.faults.scenarios import Scenario
from tests.faults.services import (
    AZURITE,
    HUB,
    IDENTITY,
    IDENTITY_SERVICE,
    REFUSAL,
    SERVICES,
    SIGN_IN,
    WAYS,
    steps_of,
)
from tests.local_azure import LocalAzure, wait_for
from tests.product.integration.service.stage import FOR_EVER, Cluster, fault, held, hold, unfinished

# Gets the id of the operation, and returns that of the one whose end counts: usually the same.
Strike = Callable[[str], str]
Trouble = Callable[[Scenario, Cluster, float], AbstractContextManager[Strike]]

# Long enough to observe each step while it runs, short enough for a create to take only seconds.
SEEN_SECONDS = 0.15
WORKER, HOST, EVERYTHING = "functions: worker", "functions", "everything"
PROCESSES = {"the worker": WORKER, "the host": HOST, "Azurite": "azurite", "everything": EVERYTHING}
PAUSE_SECONDS = 3.0
# Far longer than replicas lag in Azure, where it is milliseconds.
LAG_SECONDS = 5.0
AT_EACH_STEP = "at each step"
CANCEL, SAME = "cancel", "the same request from another caller"


def _later(operation_id: str) -> str:
    """Do nothing: the fault that was put in force before the request waits for its step."""
    return operation_id


@contextmanager
def undisturbed(_scenario: Scenario, _cluster: Cluster, _scale: float) -> Iterator[Strike]:
    """Make no trouble.

    Args:
        _scenario: not used.
        _cluster: not used.
        _scale: not used.
    """
    yield _later


@contextmanager
def away(scenario: Scenario, cluster: Cluster, scale: float) -> Iterator[Strike]:
    """Take a service away from one cluster, starting at a step or a moment.

    Args:
        scenario: says which service, in which way, when, and for how long.
        cluster: the cluster, whose correlation id the fault applies to.
        scale: time scale of the platform.
    """
    service = SERVICES[scenario.what]
    wish = WAYS[scenario.way] | {"service": service.of, "operation": service.operation}
    wish |= {"correlation_id": cluster.correlation_id, "seconds": scenario.seconds / scale}
    if isinstance(scenario.at, str):
        with fault(cluster.azure, **wish, begins_at=scenario.at):
            yield _later
        return

    with ExitStack() as stack:

        def strike(operation_id: str) -> str:
            time.sleep(float(scenario.at) / scale)
            stack.enter_context(fault(cluster.azure, **wish))
            return operation_id

        yield strike


@contextmanager
def one_call(scenario: Scenario, cluster: Cluster, _scale: float) -> Iterator[Strike]:
    """Make one call of a step fail.

    Args:
        scenario: says which call of which step to which service, and how it fails.
        cluster: the cluster, whose correlation id the fault applies to.
        _scale: not used.
    """
    service = SERVICES[scenario.what]
    wish = WAYS[scenario.way] | {"service": service.of, "operation": service.operation}
    with fault(
        cluster.azure, **wish, correlation_id=cluster.correlation_id, step=str(scenario.at), skip=scenario.call - 1
    ):
        yield _later


@contextmanager
def machine_away(scenario: Scenario, cluster: Cluster, scale: float) -> Iterator[Strike]:
    """Take Azurite, the task hub, the managed identity or the service's own sign-in away from everybody at a moment.

    Args:
        scenario: says what to take away, when, and for how long.
        cluster: the cluster, whose platform is affected.
        scale: time scale of the platform.
    """
    stop: dict[str, Callable[[LocalAzure, float], None]] = {
        AZURITE: _stop_azurite,
        HUB: _lock_hub,
        IDENTITY: partial(_leave_without_tokens, wish={"service": IDENTITY_SERVICE.of, **WAYS.get(scenario.way, {})}),
        SIGN_IN: partial(_leave_without_tokens, wish=REFUSAL),
    }

    def strike(operation_id: str) -> str:
        time.sleep(float(scenario.at) / scale)
        stop[scenario.what](cluster.azure, scenario.seconds / scale)
        return operation_id

    yield strike


def _stop_azurite(azure: LocalAzure, seconds: float) -> None:
    process = azure.pid("azurite")
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(process, signal.SIGCONT)


def _lock_hub(azure: LocalAzure, seconds: float) -> None:
    (path,) = (azure.state / "functions").glob("*.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as hub:
        hub.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        hub.execute("ROLLBACK")


def _leave_without_tokens(azure: LocalAzure, seconds: float, *, wish: Json) -> None:
    """Refuse tokens, and replace the worker, which has some."""
    with fault(azure, **wish, seconds=seconds):
        azure.kill(WORKER)
        time.sleep(seconds)


@contextmanager
def killed(scenario: Scenario, cluster: Cluster, scale: float) -> Iterator[Strike]:
    """Kill processes: once at a step or a moment, repeatedly for some real seconds, or at each step.

    Args:
        scenario: says which process to kill, and when.
        cluster: the cluster, whose platform is affected.
        scale: time scale of the platform.
    """
    process = PROCESSES[scenario.what]

    def strike(operation_id: str) -> str:
        if scenario.way == AT_EACH_STEP:
            _kill_at_each_step(scenario, cluster, operation_id, process)
            return operation_id
        if isinstance(scenario.at, str):
            cluster.wait_for_step(operation_id, scenario.at)
        else:
            time.sleep(scenario.at / scale)
        until = time.monotonic() + scenario.seconds
        kill(cluster.azure, process)
        while time.monotonic() < until:
            time.sleep(PAUSE_SECONDS)
            kill(cluster.azure, process)
        return operation_id

    with slow_progress(cluster.azure):
        yield strike


def _has_begun(cluster: Cluster, operation_id: str, step: str, fault_id: str) -> bool:
    return step in operations.begun_steps(cluster, operation_id) or bool(held(cluster.azure, fault_id))


@contextmanager
def canceled(scenario: Scenario, cluster: Cluster, _scale: float) -> Iterator[Strike]:
    """Cancel an operation when its first step is reached, repeat it and cancel that at the next step, and so on.

    Args:
        scenario: says which operation it is.
        cluster: the cluster that the operation is on.
        _scale: not used.
    """
    begins = {"service": "cosmos", "operation": "upsert OperationProgress"}

    def strike(operation_id: str) -> str:
        *steps, last = steps_of(scenario.operation)
        for step in steps:
            with hold(cluster.azure, **begins, step=step, correlation_id=cluster.correlation_id) as begun:
                operation_id = operation_id or operations.act(scenario.operation, cluster)
                planned = operations.steps_of(cluster, operation_id)
                if step not in planned:
                    continue  # What an operation before has done need not be done again.
                # The first step may have begun before the hold.
                wait_for(partial(_has_begun, cluster, operation_id, step, begun), f"the beginning of {step}")
                operations.cancel(cluster, operation_id)
                left = planned - operations.begun_steps(cluster, operation_id) - {step, last}
            ended = cluster.wait(operation_id)["status"]
            # If everything had begun, it may have been done, too.
            assert ended == "Canceled" or (ended == "Succeeded" and not left), f"canceled at {step}, it ended {ended}"
            if ended == "Canceled" or step != steps[-1]:
                operation_id = ""
        return operation_id or operations.act(scenario.operation, cluster)

    yield strike


# Beside each call of these steps, another one of the same, which the host delivers at the same time. The result of the
# first that ends counts, and the host drops the other's, as Durable Functions does.
TWICE = """
    CREATE TABLE IF NOT EXISTS delivered_twice (correlation_id TEXT, step TEXT);
    CREATE TRIGGER IF NOT EXISTS "once" AFTER DELETE ON activities BEGIN
        DELETE FROM activities
        WHERE instance_id = OLD.instance_id AND execution_id = OLD.execution_id AND task_id = OLD.task_id;
    END;
    CREATE TRIGGER "twice {id}" AFTER INSERT ON activities
    WHEN json_extract(NEW.input, '$.correlationId') = '{id}' AND json_extract(NEW.input, '$.step') IN ({steps}) BEGIN
        INSERT INTO delivered_twice VALUES ('{id}', json_extract(NEW.input, '$.step'));
        INSERT INTO activities (instance_id, execution_id, task_id, name, input, visible_at)
        VALUES (NEW.instance_id, NEW.execution_id, NEW.task_id, NEW.name, NEW.input, NEW.visible_at);
    END;
"""


@contextmanager
def delivered_twice(scenario: Scenario, cluster: Cluster, _scale: float) -> Iterator[Strike]:
    """Deliver every call of some steps twice at the same time, and expect that this has happened.

    Args:
        scenario: says how many steps; its way draws them, except for the one that it names.
        cluster: the cluster, whose correlation id distinguishes its calls.
        _scale: not used.
    """
    count, steps = int(scenario.what.split()[0]), steps_of(scenario.operation)
    drawn = random.Random(scenario.way).sample(steps, min(count, len(steps)))  # noqa: S311 - for repeatable tests
    chosen = [scenario.at, *drawn] if isinstance(scenario.at, str) else drawn
    (path,) = (cluster.azure.state / "functions").glob("*.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as hub:
        hub.executescript(TWICE.format(id=cluster.correlation_id, steps=", ".join(f"'{step}'" for step in chosen)))
        try:
            yield _later
            met = hub.execute(
                "SELECT DISTINCT step FROM delivered_twice WHERE correlation_id = ?", (cluster.correlation_id,)
            ).fetchall()
            assert met, f"none of these steps has run: {chosen}"
        finally:
            hub.execute(f'DROP TRIGGER "twice {cluster.correlation_id}"')


def _kill_at_each_step(scenario: Scenario, cluster: Cluster, operation_id: str, process: str) -> None:
    for step in steps_of(scenario.operation):
        cluster.wait_for_step(operation_id, step)
        kill(cluster.azure, process)
        wait_for(cluster.azure.serves, "the host in its place")


def kill(azure: LocalAzure, process: str) -> None:
    """Kill a process; or kill the whole platform and start it again with the same state.

    If it is Azurite, wait until it answers again. On a busy machine it takes seconds to start, and repeated kills would
    keep it away for longer than an outage may last.
    """
    if process != EVERYTHING:
        wait_for(lambda: azure.pid(process), f"a process {process} to kill")
        azure.kill(process)
        if process == PROCESSES["Azurite"]:
            wait_for(partial(_listens, azure, "azurite"), "Azurite to answer again")
        return
    scale = azure.control("GET", "/clock")["timeScale"]
    # Kill parents first, because they would restart their children.
    for pid in [azure.pid(name) for name in ("azure", "azurite", "functions", "functions: worker")]:
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
    azure.command("up", "--detach", "--time-scale", str(scale))


def _listens(azure: LocalAzure, name: str) -> bool:
    port = json.loads((azure.state / "ports.json").read_text(encoding="utf-8"))[name]
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10):
        return True
    return False


def slow_progress(azure: LocalAzure) -> AbstractContextManager[str]:
    """Delay the write of every progress item, so that a step is seen `Running` before, while or after it works."""
    wish = {"service": "cosmos", "operation": "upsert OperationProgress", "kind": "delay"}
    return fault(azure, delay_seconds=SEEN_SECONDS, count=100_000, **wish)


# Requests sent while another one is served: method, body, and the allowed statuses. A DELETE wins over a create.
RIVALS = {
    "DELETE": ("DELETE", None, (202,)),
    "another PUT": ("PUT", {}, (200, 201, 400, 409)),
    "a PATCH": ("PATCH", {"tags": {"rival": "yes"}}, (200, 202, 400, 409)),
    "another DELETE": ("DELETE", None, (202, 204, 400, 404, 409)),
}


@contextmanager
def rivalled(scenario: Scenario, cluster: Cluster, _scale: float) -> Iterator[Strike]:
    """Send another request when a step is reached.

    Args:
        scenario: says which request to send, and at which step.
        cluster: the cluster that the request is about.
        _scale: not used.
    """
    method, body, allowed = RIVALS[scenario.what]

    def strike(operation_id: str) -> str:
        with unfinished(cluster):
            cluster.wait_for_step(operation_id, str(scenario.at))
            answer = cluster.send(method, body=cluster.body if body == {} else body)
        assert answer.status_code in allowed, f"{answer.status_code} {answer.text}"
        return operation_id

    yield strike


@contextmanager
def asked_twice(scenario: Scenario, cluster: Cluster, _scale: float) -> Iterator[Strike]:
    """Let another caller send the same request at the same time, and expect that only one operation begins.

    Args:
        scenario: says which operation it is.
        cluster: the cluster that the requests are about.
        _scale: not used.
    """
    before = operations.begun_so_far(scenario.operation, cluster)
    other = replace(cluster, correlation_id=str(uuid4()))
    with ThreadPoolExecutor(1) as pool:
        joined = pool.submit(operations.act, scenario.operation, other)

        def strike(operation_id: str) -> str:
            assert joined.result() == operation_id
            begun = operations.begun_so_far(scenario.operation, cluster) - before
            assert begun == {operation_id}, begun
            return operation_id

        yield strike


@contextmanager
def stale(scenario: Scenario, cluster: Cluster, scale: float) -> Iterator[Strike]:
    """Let every read of the service's database lag behind, and perhaps send another request.

    Args:
        scenario: names the other request, or nothing.
        cluster: the cluster, whose correlation id the fault applies to.
        scale: time scale of the platform.
    """
    also = rivalled if scenario.what in RIVALS else undisturbed
    wish = {"service": "cosmos", "operation": "(read|query) .*", "kind": "stale", "delay_seconds": LAG_SECONDS}
    with (
        fault(cluster.azure, **wish, count=FOR_EVER, correlation_id=cluster.correlation_id),
        also(scenario, cluster, scale) as strike,
    ):
        yield strike
