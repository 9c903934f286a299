"""The engine behind the host protocol, with a host process and a worker process that tests can kill."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.integration.host.harness import HostUnderTest, wait_until

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
    again = {"everySeconds": 0.1, "withinSeconds": 5, "verb": "same"}
    plan = {
        "name": "test",
        "rows": rows,
        "skipped": [],
        "controlSeconds": 0.1,
        "controlWithinSeconds": 60,
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
    value = caller | {"operationId": operation_id, "plan": plan, "done": []}
    return host.start_instance("run_plan_v1", f"{operation_id}-1", value)


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
        "deadlineSeconds": 60,
        "firstPollSeconds": 0.1,
        "pollSeconds": 0.1,
        "cancelSeconds": 5,
        "retry": "azure",
        "waitsFor": "it",
        "message": "",
    }


def test_a_row_starts_when_its_need_ends_though_a_later_wave_is_still_running(host: HostUnderTest) -> None:
    """D needs B and starts when B ends, although C, which needs A, is still running."""
    rows = (row("A_do"), row("B_sleep_0.5"), row("C_sleep_5", "A_do"), row("D_do", "B_sleep_0.5"))
    instance = start(host, "waves", *rows)
    wait_until(lambda: host.marked("D_do.ended"), 4)
    assert not host.marked("C_sleep_5.ended")
    assert host.wait_for(instance)["output"] == {"result": "done"}
    assert host.marked("D_do.begun")[0] - host.marked("B_sleep_0.5.ended")[0] < 1


def test_a_long_wait_leaves_the_main_history_short(host: HostUnderTest) -> None:
    """Twenty-five polls make three generations of the wait, but only one task in the plan's history."""
    instance = start(host, "polls", row("P_wait_25", kind="begin-and-poll"))
    assert host.wait_for(instance)["output"] == {"result": "done"}
    assert len(host.marked("P_wait_25.begun")) == 26
    history = host.status(instance, "showHistory=true")["historyEvents"]
    assert len(history) < 10
    assert host.status("polls-1-P_wait_25")["runtimeStatus"] == "Completed"


def test_a_failure_ends_open_rows_first(host: HostUnderTest) -> None:
    """After a failure no further row starts, running rows end, and only then is the operation finished."""
    instance = start(host, "fails", row("E_fail"), row("F_sleep_1"), row("G_do", "F_sleep_1"))
    assert host.wait_for(instance)["output"] == {"result": "failed", "code": "Broken"}
    assert not host.marked("G_do.begun")
    assert host.marked("stop.E_fail")[0] < host.marked("F_sleep_1.ended")[0] < host.marked("finish.Broken")[0]


def test_the_plan_survives_the_death_of_the_worker(tmp_path: Path) -> None:
    """A running activity ends with TaskFailed and runs again; finished rows do not."""
    with HostUnderTest(str(APP), tmp_path) as host:
        instance = start(host, "dies", row("H_do"), row("I_sleep_2", "H_do"), row("J_do", "I_sleep_2"))
        wait_until(lambda: host.marked("I_sleep_2.begun"))
        os.kill(host.worker_pid, signal.SIGKILL)
        assert host.wait_for(instance)["output"] == {"result": "done"}
        assert [len(host.marked(f"{name}.begun")) for name in ("H_do", "I_sleep_2", "J_do")] == [1, 2, 1]


def test_the_plan_survives_the_death_of_the_host(tmp_path: Path) -> None:
    """A new host resumes what the killed one began."""
    first = HostUnderTest(str(APP), tmp_path).start()
    start(first, "resumes", row("K_do"), row("L_sleep_2", "K_do"), row("M_wait_3", "L_sleep_2", kind="begin-and-poll"))
    wait_until(lambda: first.marked("L_sleep_2.begun"))
    first.kill()
    with HostUnderTest(str(APP), tmp_path) as second:
        assert second.wait_for("resumes-1", seconds=60)["output"] == {"result": "done"}
        assert len(second.marked("K_do.begun")) == 1
