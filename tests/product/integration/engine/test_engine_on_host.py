"""The engine behind the host protocol, with a host process and a worker process that tests can kill."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrators.packed_inputs import pack_start
from orchestrators.plans import RUN_PLAN
from tests.emulator.integration.host.harness import HostUnderTest, wait_until
from tests.patience import PATIENCE_SECONDS

APP = Path(__file__).parent / "app"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostUnderTest]:
    """Give a host with the engine, for the tests that kill nothing."""
    with HostUnderTest(str(APP), tmp_path_factory.mktemp("engine")) as running:
        yield running


def start(host: HostUnderTest, operation_id: str, *rows: dict[str, Any]) -> str:
    """Start a plan as an accepted request does; return the id of the instance.

    Args:
        host: the host that runs the plan.
        operation_id: id of the operation; the instance's id is this with `-1`.
        rows: the resolved rows of the plan.
    """
    again = {"everySeconds": 0.1, "withinSeconds": PATIENCE_SECONDS, "verb": "same"}
    plan = {
        "name": "test",
        "rows": rows,
        "skipped": [],
        "controlSeconds": 0.1,
        "controlWithinSeconds": PATIENCE_SECONDS,
        "retryPolicies": {"azure": {"transient": again}},
    }
    caller = {
        "correlationId": "c",
        "clientRequestId": "",
        "traceparent": "",
        "clusterKey": "k",
        "clusterDocumentId": "d",
        "attempt": 1,
    }
    value: Any = caller | {"operationId": operation_id, "plan": plan, "done": []}
    return host.start_instance(RUN_PLAN, f"{operation_id}-1", pack_start(value))


def row(name: str, *needs: str, kind: str = "action") -> dict[str, Any]:
    """Return a resolved row.

    Args:
        name: name of the row, which says what its activity does.
        needs: names of the rows that must end first.
        kind: kind of the row, such as `begin-and-poll`.
    """
    return {
        "name": name,
        "phase": "test",
        "kind": kind,
        "executor": "work",
        "needs": needs,
        "deadlineSeconds": PATIENCE_SECONDS,
        "firstPollSeconds": 0.1,
        "pollSeconds": 0.1,
        "cancelSeconds": PATIENCE_SECONDS,
        "retry": "azure",
        "waitsFor": "it",
        "message": "",
    }


def release(host: HostUnderTest, name: str) -> None:
    """Let the row of this name, `X_until_released`, end."""
    (host.marks / f"{name}.released").touch()


def result(host: HostUnderTest, instance: str) -> Any:
    """Wait until an instance has ended; return its output."""
    return host.wait_for(instance, seconds=PATIENCE_SECONDS)["output"]


def test_a_row_starts_when_its_need_ends_though_a_later_wave_is_still_running(host: HostUnderTest) -> None:
    """D needs B and starts when B ends, although C, which needs A, is still running."""
    rows = (row("A_do"), row("B_until_released"), row("C_until_released", "A_do"), row("D_do", "B_until_released"))
    instance = start(host, "waves", *rows)
    wait_until(
        lambda: host.marked("B_until_released.begun") and host.marked("C_until_released.begun"), PATIENCE_SECONDS
    )
    release(host, "B_until_released")
    wait_until(lambda: host.marked("D_do.ended"), PATIENCE_SECONDS)
    assert not host.marked("C_until_released.ended")
    release(host, "C_until_released")
    assert result(host, instance) == {"result": "done"}


def test_a_long_wait_leaves_the_main_history_short(host: HostUnderTest) -> None:
    """Twenty-five polls make three generations of the wait, but only one task in the plan's history."""
    instance = start(host, "polls", row("P_wait_25", kind="begin-and-poll"))
    assert result(host, instance) == {"result": "done"}
    assert len(host.marked("P_wait_25.begun")) == 26
    history = host.status(instance, "showHistory=true")["historyEvents"]
    assert len(history) < 10
    assert host.status("polls-1-P_wait_25")["runtimeStatus"] == "Completed"


def test_a_failure_ends_open_rows_first(host: HostUnderTest) -> None:
    """After a failure no further row starts, running rows end, and only then is the operation finished."""
    instance = start(host, "fails", row("E_fail"), row("F_until_released"), row("G_do", "F_until_released"))
    wait_until(lambda: host.marked("stop.E_fail") and host.marked("F_until_released.begun"), PATIENCE_SECONDS)
    assert not host.marked("finish.Broken")
    release(host, "F_until_released")
    assert result(host, instance) == {"result": "failed", "code": "Broken"}
    assert not host.marked("G_do.begun")
    assert host.marked("F_until_released.ended")[0] < host.marked("finish.Broken")[0]


def test_the_plan_survives_the_death_of_the_worker(tmp_path: Path) -> None:
    """A running activity ends with TaskFailed and runs again; finished rows do not."""
    with HostUnderTest(str(APP), tmp_path) as host:
        instance = start(host, "dies", row("H_do"), row("I_until_released", "H_do"), row("J_do", "I_until_released"))
        wait_until(lambda: host.marked("I_until_released.begun"), PATIENCE_SECONDS)
        os.kill(host.worker_pid, signal.SIGKILL)
        release(host, "I_until_released")
        assert result(host, instance) == {"result": "done"}
        assert [len(host.marked(f"{name}.begun")) for name in ("H_do", "I_until_released", "J_do")] == [1, 2, 1]


def test_the_plan_survives_the_death_of_the_host(tmp_path: Path) -> None:
    """A new host resumes what the killed one began."""
    first = HostUnderTest(str(APP), tmp_path).start()
    polled = row("M_wait_3", "L_until_released", kind="begin-and-poll")
    instance = start(first, "resumes", row("K_do"), row("L_until_released", "K_do"), polled)
    wait_until(lambda: first.marked("L_until_released.begun"), PATIENCE_SECONDS)
    first.kill()
    with HostUnderTest(str(APP), tmp_path) as second:
        release(second, "L_until_released")
        assert result(second, instance) == {"result": "done"}
        assert len(second.marked("K_do.begun")) == 1
