"""Operators' dry runs: what is started, what is answered, and that nothing is written."""

import json
from typing import Any

import pytest

from frontend.messages import Reply
from tests.product.unit.frontend.world import (
    CLIENT_SECRET,
    CLUSTER,
    NEW,
    PULL_SECRET,
    World,
    admin_certificate,
    body,
    changed,
)

TRY = f"/sre{CLUSTER}/plans/create/dryRun"
RENDER = f"/sre{CLUSTER}/plans/create/rows/deploy_network_template/render"
RESULT: Any = {
    "rows": [
        {"row": "validate_network", "phase": "validation", "verdict": "refused", "message": "No.", "error": {}},
        {"row": "remove_expired_machines", "phase": "", "verdict": "skipped", "message": "It is new."},
        {"row": "validate_quota", "phase": "validation", "verdict": "checked", "message": ""},
    ],
    "rendered": [],
}


def ask(world: World, path: str = TRY, content: Any = None, version: str = NEW) -> Reply:
    """Send a request as an operator."""
    sent = body() if content is None else content
    return world.send("POST", path, sent, certificate=admin_certificate(), api_version=version)


def error(reply: Reply) -> tuple[int, str]:
    """Return status and code of an error."""
    assert reply.trial is None
    return reply.status, reply.body["error"]["code"]


def test_a_dry_run_starts_with_the_create_without_its_secrets_and_writes_nothing(world: World) -> None:
    """The plan is the one that the PUT would store."""
    trial = ask(world).trial
    assert trial is not None
    assert trial.input is not None
    assert trial.instance_id == f"dry-run-{trial.input['operationId']}"
    assert not any(world.cosmos[name].documents for name in ("OpenShiftClusters", "AsyncOperations", "Domains"))
    assert not world.secrets.versions
    text = json.dumps(trial.input)
    assert CLIENT_SECRET not in text
    assert json.loads(PULL_SECRET)["auths"]["quay.io"]["auth"] not in text
    assert world.send("PUT", CLUSTER, body()).status == 201
    assert trial.input["plan"] == world.plan(world.document["asyncOperationId"])
    assert trial.input["document"]["openShiftCluster"] == world.document["openShiftCluster"]


def test_the_answer_has_the_rows_in_the_order_of_the_plan(world: World) -> None:
    """Whatever order they were told in."""
    trial = ask(world).trial
    assert trial is not None
    reply = trial.answer(RESULT, False)
    assert (reply.status, reply.body["plan"], reply.body["refused"]) == (200, "create", ["validate_network"])
    assert [(row["row"], row["phase"]) for row in reply.body["rows"]] == [
        ("validate_network", "validation"),
        ("validate_quota", "validation"),
        ("remove_expired_machines", "preparation"),
    ]


def test_a_dry_run_that_takes_long_can_be_asked_for_again(world: World) -> None:
    """At the address in the answer, which starts nothing."""
    trial = ask(world).trial
    assert trial is not None
    reply = trial.answer(None, True)
    assert (reply.status, reply.body["status"]) == (202, "Running")
    path = reply.headers["Location"].split("rp.example", 1)[-1].partition("?")[0]
    path = path[path.index("/sre") :]
    again = world.send("GET", path, certificate=admin_certificate()).trial
    assert again is not None
    assert (again.instance_id, again.input) == (trial.instance_id, None)
    assert again.answer(RESULT, False).body["refused"] == ["validate_network"]


@pytest.mark.parametrize(
    ("path", "content", "want"),
    [
        (TRY, changed(body(), "properties.masterProfile.vmSize", "Standard_X"), (400, "InvalidParameter")),
        (TRY.replace("create", "update"), None, (409, "Conflict")),
        (TRY.replace("create", "delete"), None, (404, "ResourceNotFound")),
        (TRY.replace("create", "upgrade"), None, (404, "NotFound")),
        (RENDER.replace("network", "none"), None, (404, "NotFound")),
        (RENDER.replace("deploy_network_template", "remove_expired_machines"), None, (404, "NotFound")),
        (RENDER.replace("deploy_network_template", "a-b"), None, (400, "InvalidParameter")),
    ],
    ids=["a body that a PUT refuses", "no cluster to update", "none to delete", "no plan", "no row", "skipped", "name"],
)
def test_what_cannot_be_tried_is_refused(world: World, path: str, content: Any, want: tuple[int, str]) -> None:
    """As the request would be."""
    assert error(ask(world, path, content)) == want


def test_a_dry_run_needs_a_version(world: World) -> None:
    """That of the PUT."""
    assert error(ask(world, version="2031-01-01")) == (400, "InvalidResourceType")


def test_only_operators_try_plans(world: World) -> None:
    """Azure Resource Manager does not."""
    assert world.send("POST", TRY, body()).status == 403


def test_a_cluster_that_exists_is_updated_with_its_own_secrets_or_none(world: World) -> None:
    """The versioned id of a secret that the request replaces is left out."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.document["openShiftCluster"]["properties"]["provisioningState"] = "Succeeded"
    path = TRY.replace("create", "update")
    same = ask(world, path).trial
    assert same is not None
    assert same.input is not None
    assert set(same.input["document"]["secrets"]) == {"request"}
    other = ask(world, path, changed(body(), "properties.servicePrincipalProfile.clientSecret", "another")).trial
    assert other is not None
    assert other.input is not None
    assert other.input["document"]["secrets"] == {}
    assert len(world.secrets.versions) == 1
    assert error(ask(world)) == (409, "Conflict")
    gone = ask(world, TRY.replace("create", "delete")).trial
    assert gone is not None
    assert gone.input is not None
    assert gone.input["plan"]["name"] == "delete"


def test_a_row_is_rendered_or_says_why_not(world: World) -> None:
    """The answer has what the row would send."""
    trial = ask(world, RENDER).trial
    assert trial is not None
    assert trial.input is not None
    assert trial.input["render"] == "deploy_network_template"
    assert trial.answer({"rows": [], "rendered": [{"properties": {}}]}, False).body == {"value": [{"properties": {}}]}
    later: Any = {"row": "x", "phase": "", "verdict": "later", "message": "Not yet."}
    reply = trial.answer({"rows": [later], "rendered": []}, False)
    assert (reply.status, reply.body["error"]["message"]) == (409, "Not yet.")
    assert trial.answer(None, False).status == 503
