"""Dry runs: what is started, what is answered, and that nothing is written."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from frontend.messages import Reply, Trial
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.callers.test_admission import WRITE
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.world import (
    CLIENT_SECRET,
    CLUSTER,
    GROUP,
    NEW,
    PULL_SECRET,
    SUBSCRIPTION,
    VNET,
    World,
    admin_certificate,
    body,
    changed,
)

OWN = VERSIONS[-1]
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


def test_a_dry_run_of_a_create_needs_no_secret(world: World) -> None:
    """Nobody has to say one for what leaves it out; the PUT wants it."""
    sent = body()
    del sent["properties"]["servicePrincipalProfile"]["clientSecret"]
    trial = ask(world, content=sent).trial
    assert trial is not None
    assert trial.input is not None
    assert "clientSecret" not in json.dumps(trial.input)
    assert "left out" not in json.dumps(trial.input)
    assert world.send("PUT", CLUSTER, sent).status == 400


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


OF_PUT = f"{CLUSTER}/dryRun"


def ask_put(world: World, content: Any = None, path: str = OF_PUT, version: str = OWN, method: str = "POST") -> Reply:
    """Send a request as whoever may write the cluster."""
    sent = body() if content is None and method == "POST" else content
    return world.send(method, path, sent, api_version=version)


def later(trial: Trial) -> str:
    """Return the path at which a dry run that takes long can be asked for again."""
    reply = trial.answer(None, True)
    assert (reply.status, reply.body["status"]) == (202, "Running")
    path = urlsplit(reply.headers["Location"]).path
    assert path.endswith(f"/dryRuns/{reply.body['id']}")
    return path


def test_a_customer_tries_a_put_and_gets_what_operators_get(world: World) -> None:
    """The plan follows from the cluster's state. Nothing is written, nothing rendered, and no secret is in it."""
    trial, operators = ask_put(world).trial, ask(world).trial
    assert trial is not None
    assert operators is not None
    assert trial.input is not None
    assert operators.input is not None
    differ = {name for name in trial.input if trial.input.get(name) != operators.input.get(name)}
    assert differ <= {"operationId", "correlationId", "traceparent", "document"}
    assert trial.answer(RESULT, False).body == operators.answer(RESULT, False).body
    assert not any(world.cosmos[name].documents for name in ("OpenShiftClusters", "AsyncOperations", "Domains"))
    assert CLIENT_SECRET not in json.dumps(trial.input)
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.finish()
    updated = ask_put(world).trial
    assert updated is not None
    assert updated.input is not None
    assert updated.input["plan"]["name"] == "update"
    assert updated.answer({"rows": [], "rendered": []}, False).body == {"plan": "update", "refused": [], "rows": []}


def test_what_a_put_is_refused_for_its_dry_run_is_refused_for(world: World) -> None:
    """Also for its state."""
    refused = ask_put(world, changed(body(), "properties.masterProfile.vmSize", "Standard_X"))
    assert error(refused) == (400, "InvalidParameter")
    assert error(ask_put(world, [])) == (400, "InvalidRequestContent")
    for empty in ({}, {"location": "eastus", "properties": None}):
        assert error(ask_put(world, empty)) == error(world.send("PUT", CLUSTER, empty, api_version=OWN))
    assert error(ask_put(world, {"tags": "x" * 2_000_000})) == (400, "InvalidResource")
    assert world.send("PUT", CLUSTER, body()).status == 201
    assert error(ask_put(world)) == (400, "RequestNotAllowed")
    world.register(SUBSCRIPTION, "Warned")
    assert error(ask_put(world)) == (400, "InvalidSubscriptionState")


def test_a_dry_run_of_a_put_that_takes_long_can_be_asked_for_again_below_its_cluster_alone(world: World) -> None:
    """Not below another one, nor by an operator's path, nor with another plan: each of these is another instance."""
    trial = ask_put(world).trial
    assert trial is not None
    path = later(trial)
    again = ask_put(world, path=path, method="GET").trial
    assert again is not None
    assert (again.instance_id, again.input) == (trial.instance_id, None)
    assert again.answer(RESULT, False).body["plan"] == "create"
    assert again.answer(None, False).status == 404
    instances = {again.instance_id}
    elsewhere = path.replace(SUBSCRIPTION, SUBSCRIPTION.replace("1", "2"))
    for other in (path.replace("/C1/", "/C2/"), elsewhere, path.replace("create-", "update-")):
        found = ask_put(world, path=other, method="GET").trial
        assert found is not None
        instances.add(found.instance_id)
    operators = world.send(
        "GET", f"/sre{CLUSTER}/plans/create/dryRuns/{path[-36:]}", certificate=admin_certificate()
    ).trial
    assert operators is not None
    assert len(instances | {operators.instance_id}) == 5


@pytest.mark.parametrize(
    "forged", ["x", "create-x", f"{SUBSCRIPTION}", f"-{SUBSCRIPTION}", f"a/{SUBSCRIPTION}", "a" * 9000]
)
def test_what_is_no_id_of_a_dry_run_is_refused(world: World, forged: str) -> None:
    """Before the task hub is asked."""
    reply = ask_put(world, path=f"{CLUSTER}/dryRuns/{forged}", method="GET")
    assert error(reply)[0] == (404 if "/" in forged else 400)


@pytest.mark.parametrize("version", VERSIONS)
def test_only_the_providers_own_version_tries_a_put(world: World, version: str) -> None:
    """Microsoft's API has no such path."""
    reply = ask_put(world, body(version), version=version)
    assert (reply.trial is not None) == (version == OWN)
    assert reply.status == (202 if version == OWN else 400)


def test_whoever_may_only_read_tries_nothing(own: CallersWorld) -> None:
    """Nor gets a result."""
    own.rights.deny(WRITE, GROUP)
    assert error(own.call("POST", OF_PUT, body(), api_version=OWN)) == (403, "AuthorizationFailed")
    path = f"{CLUSTER}/dryRuns/create-{SUBSCRIPTION}"
    assert error(own.call("GET", path, api_version=OWN)) == (403, "AuthorizationFailed")


@pytest.mark.parametrize("member", ["masterProfile.subnetId", "workerProfiles.0.subnetId"])
def test_a_dry_run_looks_at_nothing_that_the_caller_may_not_use(own: CallersWorld, member: str) -> None:
    """The service may read it, and its answer would tell the caller about it."""
    theirs = f"{VNET}/subnets/theirs"
    own.rights.deny("Microsoft.Network/virtualNetworks/subnets/join/action", theirs)
    reply = own.call("POST", OF_PUT, changed(body(), f"properties.{member}", theirs), api_version=OWN)
    assert error(reply) == (403, "LinkedAuthorizationFailed")
    own.arm.groups["aro-c1"] = {"managedBy": ""}
    reply = own.call("POST", OF_PUT, body(), api_version=OWN)
    assert error(reply) == (400, "ClusterResourceGroupAlreadyExists")
    own.arm.groups.clear()
    assert error(own.call("POST", OF_PUT, body(), api_version=OWN)) == (404, "ResourceGroupNotFound")
