"""Killed hosts and workers, and two hosts on one store."""

import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import socket
import threading
from pathlib import Path

import httpx
import psutil

from emulator.host.task_hub import main
from tests.emulator.integration.host.harness import APPS, LIMIT_SECONDS, HostUnderTest, wait_until


def test_a_new_host_resumes_what_a_killed_one_began(tmp_path: Path) -> None:
    steps = [{"name": "one"}, {"name": "two", "until": ["killed"]}, {"name": "three"}]
    # The leases of the killed host would last longer than this test.
    host = HostUnderTest("durable", tmp_path, time_scale=1).start()
    host.start_instance("chain", "resumed", {"steps": steps})
    wait_until(lambda: host.marked("two.begun"))
    host.kill()
    host.mark("killed")

    with host as second:
        status = second.wait_for("resumed")

        assert status["output"] == ["one", "two", "three"]
        assert [len(second.marked(f"{name}.begun")) for name in ("one", "two", "three")] == [1, 2, 1]


def test_a_stopped_host_puts_unfinished_work_back(tmp_path: Path) -> None:
    host = HostUnderTest("durable", tmp_path, time_scale=1, grace_seconds=0.1).start()
    host.start_instance("chain", "put-back", {"steps": [{"name": "long", "until": ["never"]}]})
    wait_until(lambda: host.marked("long.begun"))
    assert host.stop() == 0
    assert not host.marked("long.ended")

    with host as second:
        wait_until(lambda: len(second.marked("long.begun")) == 2)
        assert second.status("put-back")["runtimeStatus"] == "Running"
        second.kill()


def test_activities_in_flight_fail_when_the_worker_alone_dies(tmp_path: Path) -> None:
    with HostUnderTest("durable", tmp_path) as host:
        host.start_instance("chain", "orphaned", {"steps": [{"name": "long", "until": ["never"]}]})
        wait_until(lambda: host.marked("long.begun"))
        os.kill(host.worker_pid, signal.SIGKILL)
        status = host.wait_for("orphaned")

        assert status["runtimeStatus"] == "Failed"
        assert "Activity function 'step' failed: python exited with code 137 (0x89)" in status["output"]
        assert len(host.marked("long.begun")) == 1
        host.start_instance("chain", "afterwards", {"steps": [{"name": "short"}]})
        assert host.wait_for("afterwards")["runtimeStatus"] == "Completed"


def test_two_hosts_share_one_store_and_run_nothing_twice(tmp_path: Path) -> None:
    # Each step waits until all run, which is more than one host may run at once. No lease ends, however late a host is.
    names = [f"shared{number}" for number in range(12)]
    steps = [{"name": name, "until": [f"{other}.begun" for other in names]} for name in names]
    with (
        HostUnderTest("durable", tmp_path, "first", time_scale=1) as first,
        HostUnderTest("durable", tmp_path, "second", time_scale=1) as second,
    ):
        first.start_instance("fan_out", "shared", {"steps": steps})
        status = second.wait_for("shared")

        assert status["output"] == [step["name"] for step in steps]
        assert all(len(first.marked(f"{step['name']}.begun")) == 1 for step in steps)
        ran = [
            sum(
                line["category"] == "Host.Durable" and "Executed 'step'" in line["message"] for line in host.log_lines()
            )
            for host in (first, second)
        ]
        assert all(ran)
        assert sum(ran) == len(steps)


def test_another_host_takes_over_when_the_lease_of_a_killed_one_ends(tmp_path: Path) -> None:
    with HostUnderTest("durable", tmp_path, "survivor") as survivor:
        victim = HostUnderTest("durable", tmp_path, "victim").start()
        # Either host runs ten of them.
        names = [f"taken{number}" for number in range(20)]
        victim.start_instance("fan_out", "taken", {"steps": [{"name": name, "until": ["killed"]} for name in names]})
        wait_until(lambda: all(victim.marked(f"{name}.begun") for name in names))
        victim.kill()
        survivor.mark("killed")

        assert survivor.wait_for("taken")["output"] == names
        assert sum(len(survivor.marked(f"{name}.begun")) for name in names) >= 30


def test_a_deleted_task_hub_forgets_what_was_in_flight(tmp_path: Path) -> None:
    with HostUnderTest("durable", tmp_path) as host:
        host.start_instance("chain", "forgotten", {"steps": [{"name": "long", "until": ["deleted"]}, {"name": "next"}]})
        wait_until(lambda: host.marked("long.begun"))
        assert main(["--state", str(tmp_path / "state"), "--hub", "DurableHub", "--delete"]) == 0
        host.mark("deleted")
        wait_until(lambda: any("its result is dropped" in line["message"] for line in host.log_lines()))

        assert host.manage("GET", "instances/forgotten").status_code == 404
        host.start_instance("chain", "forgotten", {"steps": [{"name": "again"}]})
        assert host.wait_for("forgotten")["output"] == ["again"]
        assert not host.marked("next.begun")


def test_a_host_that_is_told_to_stop_while_the_app_loads_stops(tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "host.json").write_text('{"version": "2.0"}', encoding="utf-8")
    (app / "function_app.py").write_text(
        "import os, pathlib, time\n"
        "pathlib.Path(os.environ['MARKS'], 'worker').write_text(str(os.getpid()))\n"
        "time.sleep(600)\n",
        encoding="utf-8",
    )
    host = HostUnderTest(str(app), tmp_path)

    def start() -> None:
        with contextlib.suppress(AssertionError):
            host.start()

    starting = threading.Thread(target=start, daemon=True)
    starting.start()
    wait_until(lambda: (host.marks / "worker").exists() and host.marked("worker"))
    worker = int(host.marked("worker")[0])
    if host.process is None:
        raise AssertionError("the host does not run")
    host.process.terminate()
    starting.join(LIMIT_SECONDS)

    assert host.process.returncode == 0
    wait_until(lambda: not psutil.pid_exists(worker))


def test_a_call_over_the_function_timeout_restarts_the_worker(tmp_path: Path) -> None:
    app = tmp_path / "app"
    shutil.copytree(APPS / "durable", app)
    document = json.loads((app / "host.json").read_text(encoding="utf-8"))
    # The quick calls, too, have to end in this time.
    (app / "host.json").write_text(json.dumps({**document, "functionTimeout": "00:00:10"}), encoding="utf-8")
    with HostUnderTest(str(app), tmp_path) as host:
        worker = host.worker_pid
        host.start_instance("chain", "too-slow", {"steps": [{"name": "long", "until": ["never"]}]})

        assert "Timeout value of 10s exceeded by function: Functions.step" in host.wait_for("too-slow")["output"]
        host.start_instance("chain", "quick", {"steps": [{"name": "short"}]})
        assert host.wait_for("quick")["runtimeStatus"] == "Completed"
        assert host.worker_pid != worker


def test_a_call_in_flight_is_answered_by_a_host_that_stops(tmp_path: Path) -> None:
    host = HostUnderTest("durable", tmp_path, grace_seconds=LIMIT_SECONDS).start()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        call = pool.submit(host.request, "POST", "/start_late/chain/late?until=refused", json={"steps": []})
        wait_until(lambda: host.marked("start_late"))
        stopping = pool.submit(host.stop)
        wait_until(lambda: not _listens(host.url))
        host.mark("refused")

        assert call.result().status_code == 202
        assert stopping.result() == 0


def _listens(url: str) -> bool:
    """Tell whether somebody takes connections at a URL."""
    try:
        socket.create_connection(("localhost", httpx.URL(url).port or 0)).close()
    except ConnectionError:
        return False
    return True
