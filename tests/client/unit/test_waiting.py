"""Waiting for an operation: what is shown, and what the command bears."""

import pytest
import requests

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import (
    BEGUN,
    CLUSTER,
    OPERATION,
    STATUS,
    FakeService,
    Reply,
    cluster,
    operation,
    refusal,
    status,
    step,
)

DETAILS = f"{CLUSTER}/operations/{OPERATION}"
DONE = step("decide_names", "Succeeded", 0, 1.5)
WAITS = step("deploy_machines_template", "Running", 2, 3.0, waitsFor="the deployment of the machines")


@pytest.fixture(autouse=True)
def running(service: FakeService) -> None:
    """Let a create run, which succeeds at the second look."""
    service.on("GET", CLUSTER, Reply(200, cluster("Creating")))
    service.on("GET", f"{CLUSTER}/operations", Reply(200, {"value": [operation("Running", DONE, WAITS).body]}))
    service.on("GET", STATUS, status("Running"), status("Succeeded"))
    ended = step("deploy_machines_template", "Succeeded", 2, 10.0)
    service.on("GET", DETAILS, operation("Running", DONE, WAITS), operation("Succeeded", DONE, ended))


def test_an_operation_that_somebody_else_began_is_followed(run: Run, service: FakeService) -> None:
    """In a pipe each event is a line, and none is told twice."""
    done = run("watch", "c1")
    assert done.code == 0
    assert done.err.splitlines() == [
        "        12 s  decide_names: done in 1.5 s",
        "        12 s  deploy_machines_template: waits for the deployment of the machines",
        "        12 s  deploy_machines_template: done in 10 s",
        "create of c1: Succeeded after 12 s; longest: Deploy machines, 10 s",
    ]
    assert service.slept == [7]


def test_a_failed_operation_says_cause_step_remedy_and_how_to_go_on(run: Run, service: FakeService) -> None:
    """Whole, however long the message is: nothing is folded in a pipe."""
    message = "The quota is too small: " + "x" * 300
    details = [
        {"code": "Step", "message": "validate_quota"},
        {"code": "Remedy", "message": "Ask for more."},
        {"code": "CorrelationId", "message": "c0ffee"},
        {"code": "Owner", "message": "customer"},
    ]
    error = {"code": "ResourceQuotaExceeded", "message": message, "details": details}
    service.on("GET", STATUS, status("Failed", error=error))
    done = run("watch", "c1")
    assert done.code == Exit.FAILED
    assert done.err.endswith(
        f"error: ResourceQuotaExceeded: {message}\n  step: validate_quota\n  correlation id: c0ffee\n"
        "Ask for more.\nTo repeat the request: aroctl resume c1\n"
    )


def test_after_a_delete_the_cluster_is_gone_and_its_operations_too(run: Run, service: FakeService) -> None:
    """Its end is read where a poller reads it."""
    service.on("DELETE", CLUSTER, Reply(202, None, BEGUN))
    service.on("GET", DETAILS, operation("Running", WAITS, plan="delete"), refusal(404, "ResourceNotFound", "Gone."))
    service.on("GET", STATUS, status("Running"), status("Succeeded", endTime="2026-03-01T12:02:05Z"))
    done = run("delete", "c1", "--yes")
    assert done.code == 0, done.err
    assert done.err.endswith("delete of c1: Succeeded after 2 min 5 s\n")


def test_a_delete_asks_first(run: Run, service: FakeService) -> None:
    """Whoever cannot be asked says so."""
    done = run("delete", "c1")
    assert done.code == Exit.WRONG
    assert "--yes" in done.err
    assert service.sent == []


def test_the_delete_of_no_cluster_is_told(run: Run, service: FakeService) -> None:
    """A script learns it by the exit code."""
    service.on("DELETE", CLUSTER, Reply(204))
    assert run("delete", "c1", "--yes").code == Exit.NOT_FOUND


@pytest.mark.parametrize(
    ("met", "told"),
    [
        (
            refusal(429, "TooManyRequests", "Slow down.", headers={"Retry-After": "21"}),
            "is throttling (429); asking again in 21",
        ),
        (refusal(503, "ServiceUnavailable", "Later."), "has a problem (503); asking again in"),
        (requests.ConnectionError("refused"), "does not answer; asking again in"),
        (requests.ReadTimeout("slow"), "does not answer; asking again in"),
    ],
    ids=["throttled", "unavailable", "away", "slow"],
)
def test_a_service_in_trouble_is_told_and_waited_for(
    run: Run, service: FakeService, met: Reply | Exception, told: str
) -> None:
    """For as long as it takes: a wait changes nothing."""
    service.on("GET", STATUS, status("Running"), *[met] * 40, status("Succeeded"))
    done = run("watch", "c1")
    assert done.code == 0, done.err
    assert f"The service {told}" in done.err
    assert max(service.slept) <= 30


def test_a_command_gives_up_on_a_service_that_stays_away(run: Run, service: FakeService) -> None:
    """Nothing waits for its end, so it says what it has met, and exits."""
    service.on("GET", CLUSTER, requests.ConnectionError("refused"))
    done = run("show", "c1")
    assert done.code == Exit.AWAY
    assert done.err.count("asking again in") == 4
    assert "does not answer at https://service.example" in done.err


def test_a_sign_in_that_ends_in_the_middle_is_waited_for(run: Run, service: FakeService) -> None:
    """Somebody signs in again in another terminal, and the wait goes on."""
    service.on("GET", STATUS, *[status("Running")] * 2, status("Succeeded"))
    moments = iter([False, False, True])

    def later() -> None:
        service.signed_in = next(moments, True)

    service.on_sleep = later
    done = run("watch", "c1")
    assert done.code == 0, done.err
    assert done.err.count("Your sign-in has ended. Run `az login`") == 2


def test_a_token_that_the_service_no_longer_takes_is_replaced(run: Run, service: FakeService) -> None:
    """The service says 401, and the next token is asked for."""
    service.on(
        "GET", STATUS, status("Running"), refusal(401, "Unauthorized", "The token has expired."), status("Succeeded")
    )
    done = run("watch", "c1")
    assert done.code == 0, done.err
    assert "Your sign-in has ended" in done.err


def test_a_caller_who_loses_the_right_to_read_learns_that_the_operation_goes_on(run: Run, service: FakeService) -> None:
    """With the command that follows it later."""
    service.on("GET", DETAILS, refusal(403, "AuthorizationFailed", "The client may not read."))
    done = run("watch", "c1")
    assert done.code == Exit.REFUSED
    assert f"The create goes on. Follow it: aroctl watch c1 {OPERATION}" in done.err


def test_ctrl_c_while_a_request_is_under_way_says_what_is_open(run: Run, service: FakeService) -> None:
    """Nobody knows whether it has arrived."""

    def interrupt() -> Reply:
        raise KeyboardInterrupt

    service.on("DELETE", CLUSTER, interrupt)
    done = run("delete", "c1", "--yes")
    assert done.code == Exit.INTERRUPTED
    assert "may have arrived" in done.err


def test_ctrl_c_leaves_the_operation_running(run: Run, service: FakeService) -> None:
    """Nothing is canceled, and the command that follows it is told."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    service.on_sleep = interrupt
    done = run("watch", "c1")
    assert done.code == Exit.INTERRUPTED
    assert done.err.endswith(f"The create of 'c1' goes on.\nFollow it: aroctl watch c1 {OPERATION}\n")
    assert {each.method for each in service.sent} == {"GET"}
