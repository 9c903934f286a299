"""Killed hosts and workers, and two hosts on one store."""

import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import threading
from pathlib import Path

import psutil

from emulator.host.task_hub import main
from tests.emulator.integration.host.harness import APPS, HostUnderTest, wait_until


def test_a_new_host_resumes_what_a_killed_one_began(tmp_path: Path) -> None:
    steps = [{"name": "one"}, {"name": "two", "seconds": 1}, {"name": "three"}]
    host = HostUnderTest("durable", tmp_path).start()
    host.start_instance("chain", "resumed", {"steps": steps})
    wait_until(lambda: host.marked("two.begun"))
    host.kill()

    with host as second:
        status = second.wait_for("resumed", seconds=5)

        assert status["output"] == ["one", "two", "three"]
        assert [len(second.marked(f"{name}.begun")) for name in ("one", "two", "three")] == [1, 2, 1]


def test_a_stopped_host_puts_unfinished_work_back(tmp_path: Path) -> None:
    host = HostUnderTest("durable", tmp_path).start()
    host.start_instance("chain", "put-back", {"steps": [{"name": "long", "seconds": 4}]})
    wait_until(lambda: host.marked("long.begun"))
    assert host.stop() == 0
    assert not host.marked("long.ended")

    with host as second:
        wait_until(lambda: len(second.marked("long.begun")) == 2, 3)
        assert second.status("put-back")["runtimeStatus"] == "Running"
        second.kill()


def test_activities_in_flight_fail_when_the_worker_alone_dies(tmp_path: Path) -> None:
    with HostUnderTest("durable", tmp_path) as host:
        host.start_instance("chain", "orphaned", {"steps": [{"name": "long", "seconds": 10}]})
        wait_until(lambda: host.marked("long.begun"))
        os.kill(host.worker_pid, signal.SIGKILL)
        status = host.wait_for("orphaned")

        assert status["runtimeStatus"] == "Failed"
        assert "Activity function 'step' failed: python exited with code 137 (0x89)" in status["output"]
        assert len(host.marked("long.begun")) == 1
        host.start_instance("chain", "afterwards", {"steps": [{"name": "short"}]})
        assert host.wait_for("afterwards")["runtimeStatus"] == "Completed"


def test_two_hosts_share_one_store_and_run_nothing_twice(tmp_path: Path) -> None:
    steps = [{"name": f"shared{number}", "seconds": 0.2} for number in range(30)]
    with HostUnderTest("durable", tmp_path, "first") as first, HostUnderTest("durable", tmp_path, "second") as second:
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
        steps = [{"name": f"taken{number}", "seconds": 1} for number in range(20)]
        victim.start_instance("fan_out", "taken", {"steps": steps})
        wait_until(lambda: any(victim.marked(f"taken{number}.begun") for number in range(20)))
        victim.kill()

        assert survivor.wait_for("taken", seconds=30)["runtimeStatus"] == "Completed"


def test_a_deleted_task_hub_forgets_what_was_in_flight(tmp_path: Path) -> None:
    with HostUnderTest("durable", tmp_path) as host:
        host.start_instance("chain", "forgotten", {"steps": [{"name": "long", "seconds": 1}, {"name": "next"}]})
        wait_until(lambda: host.marked("long.begun"))
        assert main(["--state", str(tmp_path / "state"), "--hub", "DurableHub", "--delete"]) == 0
        wait_until(lambda: host.marked("long.ended"))

        assert host.manage("GET", "instances/forgotten").status_code == 404
        host.start_instance("chain", "forgotten", {"steps": [{"name": "anew"}]})
        assert host.wait_for("forgotten")["output"] == ["anew"]
        assert not host.marked("next.begun")


def test_a_host_that_is_told_to_stop_while_the_app_loads_stops(tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "host.json").write_text('{"version": "2.0"}', encoding="utf-8")
    (app / "function_app.py").write_text(
        "import os, pathlib, time\n"
        "pathlib.Path(os.environ['MARKS'], 'worker').write_text(str(os.getpid()))\n"
        "time.sleep(60)\n",
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
    starting.join(10)

    assert host.process.returncode == 0
    wait_until(lambda: not psutil.pid_exists(worker), 5)


def test_a_call_over_the_function_timeout_restarts_the_worker(tmp_path: Path) -> None:
    app = tmp_path / "app"
    shutil.copytree(APPS / "durable", app)
    document = json.loads((app / "host.json").read_text(encoding="utf-8"))
    (app / "host.json").write_text(json.dumps({**document, "functionTimeout": "00:00:01"}), encoding="utf-8")
    with HostUnderTest(str(app), tmp_path) as host:
        worker = host.worker_pid
        host.start_instance("chain", "too-slow", {"steps": [{"name": "long", "seconds": 5}]})

        assert "Timeout value of 1s exceeded by function: Functions.step" in host.wait_for("too-slow")["output"]
        host.start_instance("chain", "quick", {"steps": [{"name": "short"}]})
        assert host.wait_for("quick")["runtimeStatus"] == "Completed"
        assert host.worker_pid != worker


def test_a_call_in_flight_is_answered_by_a_host_that_stops(tmp_path: Path) -> None:
    host = HostUnderTest("durable", tmp_path).start()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        call = pool.submit(host.request, "POST", "/start_late/chain/late?seconds=1", json={"steps": []})
        wait_until(lambda: host.marked("start_late"))
        assert host.stop() == 0

        assert call.result().status_code == 202
