"""How the host runs orchestrations that use the real SDK."""

from typing import Any

from tests.emulator.integration.host.harness import HostUnderTest, wait_until


def _kinds(durable: HostUnderTest, instance_id: str) -> list[str]:
    """Return the kinds of the events in an instance's history."""
    return [event["EventType"] for event in durable.history(instance_id)]


def test_steps_run_in_order_and_the_status_tells(durable: HostUnderTest) -> None:
    durable.start_instance("chain", "chain-1", {"steps": [{"name": "c1"}, {"name": "c2"}]})
    status = durable.wait_for("chain-1")

    assert status["runtimeStatus"] == "Completed"
    assert status["output"] == ["c1", "c2"]
    assert status["customStatus"] == {"done": "c2"}
    assert status["input"] == '{"steps": [{"name": "c1"}, {"name": "c2"}]}'
    assert status["createdTime"].endswith("Z")
    assert "." not in status["createdTime"]


def test_fanned_out_steps_overlap(durable: HostUnderTest) -> None:
    names = [f"f{number}" for number in range(4)]
    steps = [{"name": name, "until": [f"{other}.begun" for other in names]} for name in names]
    durable.start_instance("fan_out", "fan-1", {"steps": steps})

    assert durable.wait_for("fan-1")["output"] == names


def test_a_cancelled_timer_lets_d_start_when_b_ends(durable: HostUnderTest) -> None:
    durable.start_instance("overlap", "overlap-1", {"trick": True, "prefix": "with-", "until": "with-D.begun"})

    assert durable.wait_for("overlap-1")["output"] == "done"
    assert durable.marked("with-B.ended")[0] <= durable.marked("with-D.begun")[0]


def test_without_the_cancelled_timer_d_waits_for_c(durable: HostUnderTest) -> None:
    durable.start_instance("overlap", "overlap-2", {"trick": False, "prefix": "without-", "until": "without-go"})
    # A and B: the host has gone through the history with both results.
    wait_until(lambda: _kinds(durable, "overlap-2").count("TaskCompleted") == 2)
    durable.mark("without-go")

    assert durable.wait_for("overlap-2")["output"] == "done"
    assert durable.marked("without-D.begun")[0] >= durable.marked("without-C.ended")[0]


def test_an_uncaught_failure_becomes_the_output(durable: HostUnderTest) -> None:
    durable.start_instance("uncaught", "uncaught-1", "bad input")
    status = durable.wait_for("uncaught-1")

    assert status["runtimeStatus"] == "Failed"
    assert status["output"].startswith(
        "Orchestrator function 'uncaught' failed: Activity function 'failing' failed:  ValueError: bad input"
    )
    assert '"$type"' in status["output"]


def test_a_failed_activity_leaves_its_reason_in_the_log(durable: HostUnderTest) -> None:
    durable.start_instance("uncaught", "uncaught-2", "bad input")
    durable.wait_for("uncaught-2")

    reasons = [line.get("reason") for line in durable.log_lines() if line.get("instance_id") == "uncaught-2"]
    assert "Activity function 'failing' failed:  ValueError: bad input" in reasons


def test_credentials_are_hidden_in_failures(durable: HostUnderTest) -> None:
    durable.start_instance("caught", "caught-1", "Password=hunter2")
    output = durable.wait_for("caught-1")["output"]

    assert "hunter2" not in output
    assert output.startswith("Activity function 'failing' failed:  ValueError: [Hidden Credential]")


def test_an_orchestrator_that_raises_fails(durable: HostUnderTest) -> None:
    durable.start_instance("raising", "raising-1")

    assert durable.wait_for("raising-1")["output"] == "Orchestrator function 'raising' failed: wrong from the start"


def test_sub_orchestrations_answer_and_fail_into_the_parent(durable: HostUnderTest) -> None:
    durable.start_instance("parent", "parent-1")
    output = durable.wait_for("parent-1")["output"]

    assert output[0] == ["child"]
    assert output[1].startswith("Orchestrator function 'raising' failed: wrong from the start")
    assert durable.status("parent-1-child")["runtimeStatus"] == "Completed"


def test_continue_as_new_keeps_custom_status_and_only_the_newest_history(durable: HostUnderTest) -> None:
    durable.start_instance("counting", "counting-1", {"count": 0})
    status = durable.wait_for("counting-1")
    history = durable.status("counting-1", "showHistory=true")["historyEvents"]

    assert status["output"] == 3
    assert status["customStatus"] == {"count": 3}
    assert [event["EventType"] for event in history] == ["ExecutionStarted", "TaskCompleted", "ExecutionCompleted"]
    assert history[0]["Generation"] == 3


def test_an_instance_cannot_end_while_a_timer_is_open(durable: HostUnderTest) -> None:
    durable.start_instance("open_timer", "open-1", {"cancel": False, "seconds": 3600})
    wait_until(lambda: "TaskCompleted" in _kinds(durable, "open-1"))

    assert durable.status("open-1")["runtimeStatus"] == "Running"
    durable.manage("POST", "instances/open-1/terminate?reason=enough")
    durable.wait_for("open-1")


def test_an_instance_ends_when_its_open_timer_fires(durable: HostUnderTest) -> None:
    durable.start_instance("open_timer", "open-2", {"cancel": False, "seconds": 1})

    assert durable.wait_for("open-2")["output"] == "over"
    assert {"TimerFired", "TaskCompleted"} <= set(_kinds(durable, "open-2"))


def test_an_instance_ends_before_a_cancelled_timer_fires(durable: HostUnderTest) -> None:
    durable.start_instance("open_timer", "open-3", {"cancel": True, "seconds": 3600})

    assert durable.wait_for("open-3")["output"] == "over"


def test_an_unknown_activity_leaves_the_instance_running(durable: HostUnderTest) -> None:
    durable.start_instance("unknown_activity", "unknown-1")
    durable.wait_for("unknown-1", frozenset({"Running"}))

    # The first episode is over and nothing was scheduled, so nothing can end the instance.
    assert _kinds(durable, "unknown-1") == ["ExecutionStarted"]
    durable.manage("DELETE", "instances/unknown-1")


def test_a_custom_status_over_16_kb_fails_the_instance(durable: HostUnderTest) -> None:
    durable.start_instance("talkative", "talkative-1")
    status = durable.wait_for("talkative-1")

    assert status["runtimeStatus"] == "Failed"
    assert "must not exceed 16 KB" in status["output"]


def test_a_non_deterministic_orchestrator_fails(durable: HostUnderTest) -> None:
    durable.start_instance("fickle", "fickle-1")
    status = durable.wait_for("fickle-1")

    assert status["runtimeStatus"] == "Failed"
    assert status["output"].startswith("Non-Deterministic workflow detected:")


def test_the_second_episode_sees_the_documented_history(durable: HostUnderTest) -> None:
    durable.start_instance("seeing", "seeing-1")

    want: list[Any] = [
        [12, -1, False],
        [0, -1, True],
        [4, 0, False],
        [13, -1, False],
        [12, -1, False],
        [5, -1, False],
    ]
    assert durable.wait_for("seeing-1")["output"] == want
