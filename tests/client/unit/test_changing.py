"""`update`, `resume` and `cancel`: what is sent, and when nothing is."""

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import (
    BEGUN,
    CLUSTER,
    OPERATION,
    STATUS,
    FakeService,
    Json,
    Reply,
    cluster,
    operation,
    refusal,
    status,
    step,
)

DETAILS = f"{CLUSTER}/operations/{OPERATION}"


def stands(service: FakeService, state: str, last: str = "create") -> Json:
    """Let there be a cluster in a state; return it."""
    found = {**cluster(state), "etag": '"tag-1.0123456789abcdef"'}
    service.on("GET", CLUSTER, Reply(200, found), Reply(200, cluster()))
    service.on("GET", STATUS, status("Succeeded"))
    service.on("GET", DETAILS, operation("Succeeded", plan=last))
    service.on("GET", f"{CLUSTER}/operations", Reply(200, {"value": [operation(state, plan=last).body]}))
    for method in ("PUT", "PATCH"):
        service.on(method, CLUSTER, Reply(200, found, BEGUN))
    return found


def test_an_update_sends_what_changes_alone(run: Run, service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other tags stay; whoever changes them at the same time is not overwritten."""
    stands(service, "Succeeded")
    monkeypatch.setenv("CLIENT_SECRET", "new")
    done = run("update", "c1", "--tag", "env=test", "--remove-tag", "team")
    assert done.code == 0, done.err
    (sent,) = (each for each in service.sent if each.method == "PATCH")
    assert sent.body == {"tags": {"env": "test"}}
    assert sent.headers["If-Match"] == '"tag-1.0123456789abcdef"'


def test_a_secret_changes_only_if_asked(run: Run, service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable may still be there from the create."""
    stands(service, "Succeeded")
    monkeypatch.setenv("CLIENT_SECRET", "new")
    assert run("update", "c1", "--new-secret").code == 0
    assert service.bodies("PATCH") == [{"properties": {"servicePrincipalProfile": {"clientSecret": "new"}}}]


def test_an_update_of_nothing_is_refused(run: Run, service: FakeService) -> None:
    """Nothing is sent."""
    done = run("update", "c1")
    assert (done.code, service.sent) == (Exit.WRONG, [])


def test_a_tag_that_is_not_there_cannot_be_removed(run: Run, service: FakeService) -> None:
    """A misspelt name is told."""
    stands(service, "Succeeded")
    done = run("update", "c1", "--remove-tag", "tema")
    assert done.code == Exit.WRONG
    assert "has no tag tema. It has: team." in done.err.replace("\n", " ")


@pytest.mark.parametrize("state", ["Failed", "Canceled"])
def test_a_resume_sends_the_cluster_as_it_is_described(run: Run, service: FakeService, state: str) -> None:
    """The service has kept its secrets; a cluster that was changed in between is not resumed."""
    found = stands(service, state)
    done = run("resume", "c1")
    assert done.code == 0, done.err
    (sent,) = (each for each in service.sent if each.method == "PUT")
    assert sent.body == found
    assert sent.headers["If-Match"] == found["etag"]
    assert "create of c1: Succeeded" in done.err


@pytest.mark.parametrize("state", ["Succeeded", "Creating"])
def test_only_what_has_stopped_is_resumed(run: Run, service: FakeService, state: str) -> None:
    """A PUT on a cluster that works would be an update."""
    stands(service, state)
    done = run("resume", "c1")
    assert done.code == Exit.REFUSED
    assert f"the state of 'c1' is {state}" in done.err
    assert ("aroctl watch c1" in done.err) == (state == "Creating")
    assert service.bodies("PUT") == []


def test_a_failed_delete_is_repeated_by_a_delete(run: Run, service: FakeService) -> None:
    """A PUT would not continue it."""
    stands(service, "Failed", last="delete")
    done = run("resume", "c1")
    assert done.code == Exit.REFUSED
    assert "aroctl delete c1" in done.err
    assert service.bodies("PUT") == []


def test_a_cancel_waits_for_the_end(run: Run, service: FakeService) -> None:
    """What runs finishes first; then the command that continues is told."""
    stands(service, "Creating")
    service.on("GET", STATUS, status("Running"), status("Canceled"))
    service.on("GET", DETAILS, operation("Running"), operation("Canceled", step("ensure_graph", "Canceled", 3, 1.0)))
    service.on("POST", f"{DETAILS}/cancel", Reply(202, operation("Running").body))
    done = run("cancel", "c1", "--yes")
    assert done.code == 0, done.err
    assert "ensure_graph: canceled" in done.err
    assert done.err.endswith("Canceled. To continue it: aroctl resume c1\n")


def test_a_cancel_that_comes_too_late_is_told(run: Run, service: FakeService) -> None:
    """Whoever wanted it stopped must know that it was not."""
    stands(service, "Creating")
    service.on("POST", f"{DETAILS}/cancel", Reply(202, operation("Running").body))
    done = run("cancel", "c1", "--yes")
    assert done.code == Exit.FAILED
    assert "had ended before it could be canceled: Succeeded" in done.err


def test_a_cancel_asks_first(run: Run, service: FakeService) -> None:
    """And the service decides what can be canceled."""
    stands(service, "Deleting", last="delete")
    done = run("cancel", "c1")
    assert done.code == Exit.WRONG
    assert "Cancel the delete of" in done.err
    service.on("POST", f"{DETAILS}/cancel", refusal(409, "Conflict", "A delete cannot be canceled."))
    done = run("cancel", "c1", "--yes")
    assert done.code == Exit.REFUSED
    assert "A delete cannot be canceled." in done.err
