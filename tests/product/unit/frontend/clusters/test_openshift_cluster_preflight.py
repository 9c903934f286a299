"""Preflight of templates: always 200, and never a refusal of what a PUT might accept."""

import json
from typing import Any

import pytest
from azure.core.exceptions import ResourceNotFoundError, ServiceRequestError
from hypothesis import HealthCheck, given, settings

from frontend.dry_runs.openshift_cluster_preflight import _MAX_CLUSTERS
from frontend.messages import Reply
from tests.fuzz.mutations import mutated_bodies
from tests.fuzz.strategies import ANY_JSON
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.clusters.test_enrichment import OBJECTS, bring_up
from tests.product.unit.frontend.identities_world import FROM_ARM, offer
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, GROUP, NEW, OLD, World, body, changed

PREFLIGHT = f"{GROUP}/providers/Microsoft.RedHatOpenShift/deployments/d1/preflight"
TYPE = "Microsoft.RedHatOpenShift/openShiftClusters"
CP, WORKER = "properties.clusterProfile", "properties.workerProfiles['worker']"
LATER = "[reference('network').outputs.x.value]"
PASSED = {"status": "Succeeded"}
# Places of a body where an expression may be, as `changed` takes them.
PLACES = (
    "tags",
    "tags.team",
    "location",
    "properties",
    "properties.clusterProfile",
    "properties.clusterProfile.pullSecret",
    "properties.clusterProfile.domain",
    "properties.clusterProfile.version",
    "properties.clusterProfile.resourceGroupId",
    "properties.servicePrincipalProfile",
    "properties.servicePrincipalProfile.clientId",
    "properties.servicePrincipalProfile.clientSecret",
    "properties.networkProfile",
    "properties.networkProfile.podCidr",
    "properties.masterProfile.vmSize",
    "properties.masterProfile.subnetId",
    "properties.masterProfile.diskEncryptionSetId",
    "properties.workerProfiles",
    "properties.workerProfiles.0",
    "properties.workerProfiles.0.name",
    "properties.workerProfiles.0.count",
    "properties.workerProfiles.0.subnetId",
    "properties.workerProfiles.0.diskEncryptionSetId",
    "properties.apiserverProfile.visibility",
    "properties.ingressProfiles.0.visibility",
)


def resource(sent: dict[str, Any] | None = None, name: str = "C1", api_version: str = NEW, **more: Any) -> Any:
    """Return a cluster as a template has it."""
    found = {"name": name, "type": TYPE, "apiVersion": api_version, **(body(api_version) if sent is None else sent)}
    return {**found, **more}


def ask(world: World, *resources: Any) -> Reply:
    """Send resources to preflight."""
    return world.send("POST", PREFLIGHT, {"resources": list(resources)})


def refusal(reply: Reply) -> Any:
    """Return the error of a template that would be refused."""
    assert (reply.status, reply.body["status"]) == (200, "Failed"), reply.body
    return reply.body["error"]


def targets(error: Any) -> list[str]:
    """Return the target of every failure."""
    return [detail["target"] for detail in error.get("details") or [error]]


def create(world: World, api_version: str = NEW) -> None:
    """Create a cluster."""
    assert world.send("PUT", CLUSTER, body(api_version), api_version=api_version).status == 201


@pytest.mark.parametrize("api_version", [NEW, OLD])
def test_what_a_put_would_accept_passes_and_leaves_nothing_behind(world: World, api_version: str) -> None:
    """No document, no secret, no orchestration."""
    reply = ask(world, resource(api_version=api_version, dependsOn=["vnet"], id=CLUSTER))
    assert (reply.status, reply.body, reply.start) == (200, PASSED, None)
    assert not any(world.cosmos[name].documents for name in ("OpenShiftClusters", "AsyncOperations", "Domains"))
    assert not world.secrets.versions


def test_what_a_put_would_refuse_fails_with_the_error_of_the_put(world: World) -> None:
    """With every failure, and its target."""
    wrong = changed(body(), "properties.masterProfile.vmSize", "Standard_X")
    wrong = changed(wrong, "properties.clusterProfile.version", "4.1.1")
    error = refusal(ask(world, resource(wrong)))
    assert error == world.send("PUT", CLUSTER, wrong).body["error"]
    assert set(targets(error)) == {f"{CP}.version", "properties.masterProfile.vmSize"}


@pytest.mark.parametrize("api_version", [OLD, NEW])
def test_machine_sets_are_left_to_the_put(world: World, api_version: str) -> None:
    """It reads the live cluster, which is not done here."""
    bring_up(world)
    world.live.objects["MachineSet"] = OBJECTS["MachineSet"]
    shown = world.send("GET", CLUSTER, api_version=api_version).body
    assert "c1-worker-eastus1" in str(shown)
    asked = len(world.live.asked)
    assert ask(world, resource(shown, api_version=api_version)).body == PASSED
    assert len(world.live.asked) == asked


def test_half_a_workload_identity_is_refused_by_name(world: World) -> None:
    """As by a PUT: beside a service principal, without a cluster identity and without the operators'."""
    path = "properties.platformWorkloadIdentityProfile"
    error = refusal(ask(world, resource(changed(body(), f"{path}.upgradeableTo", "4.18.1"))))
    assert targets(error) == ["identity", f"{path}.platformWorkloadIdentities", "properties.servicePrincipalProfile"]


@pytest.mark.parametrize("raw", [b"{", b"\xff", b"[]", b"1", b"null", b"", b'{"resources": 1}', b'{"resources": [1]}'])
def test_a_body_that_cannot_be_read_fails(world: World, raw: bytes) -> None:
    """Azure Resource Manager shows the reason to whoever deploys."""
    error = refusal(world.send("POST", PREFLIGHT, raw))
    assert error["code"] == "InvalidRequestContent"
    assert error["message"]


def test_a_body_that_is_too_large_or_no_json_fails(world: World) -> None:
    """The limits are those of every request."""
    assert refusal(world.send("POST", PREFLIGHT, b" " * 1_048_577))["code"] == "InvalidResource"
    reply = world.send("POST", PREFLIGHT, b"<xml/>", headers={"content-type": "text/xml"})
    assert refusal(reply)["code"] == "UnsupportedMediaType"


@pytest.mark.parametrize("content", [{}, {"resources": None}, {"resources": []}, {"resources": [{}, {"type": 1}]}])
def test_a_template_without_clusters_passes(world: World, content: Any) -> None:
    """Resources of other types are none of the service's business."""
    other = {"type": "Microsoft.Network/virtualNetworks", "name": 1}
    assert world.send("POST", PREFLIGHT, content).body == PASSED
    assert ask(world, other, resource(type=f"{TYPE}/syncSets", name="c1/x")).body == PASSED


@pytest.mark.parametrize(
    ("more", "want_code", "want"),
    [
        pytest.param({"api_version": "2031-01-01"}, "InvalidResourceType", "'2031-01-01' is not served", id="unknown"),
        pytest.param({"api_version": "admin"}, "InvalidResourceType", "'admin' is not served", id="admin"),
        pytest.param({"apiVersion": None}, "InvalidRequestContent", "'apiVersion'", id="no version"),
        pytest.param({"apiVersion": 2}, "InvalidRequestContent", "'apiVersion'", id="a number as version"),
        pytest.param({"name": ""}, "InvalidRequestContent", "'name'", id="no name"),
        pytest.param({"name": {}}, "InvalidRequestContent", "'name'", id="an object as name"),
        pytest.param({"name": "a/b"}, "ResourceNotFound", "'a/b'", id="a wrong name"),
        pytest.param({"properties": 1}, "InvalidRequestContent", "'properties'", id="a number as properties"),
        pytest.param({"id": CLUSTERS}, "MismatchingResourceID", "'id'", id="an id of something else"),
    ],
)
def test_a_cluster_that_no_put_could_have_fails(world: World, more: dict[str, Any], want_code: str, want: str) -> None:
    """Never with a crash."""
    sent = body()
    error = refusal(ask(world, resource(sent, **more)))
    assert error["code"] == want_code
    assert want in error["message"]


def test_the_version_of_each_resource_counts_not_that_of_the_request(world: World) -> None:
    """2020-04-30 does not know `fipsValidatedModules`, and ignores it."""
    wrong = changed(body(OLD), "properties.clusterProfile.fipsValidatedModules", "Maybe")
    content = {"resources": [resource(wrong, api_version=OLD)]}
    for version in (NEW, "2031-01-01", ""):
        assert world.send("POST", PREFLIGHT, content, api_version=version).body == PASSED
    wrong = changed(body(NEW), "properties.clusterProfile.fipsValidatedModules", "Maybe")
    assert targets(refusal(ask(world, resource(wrong)))) == [f"{CP}.fipsValidatedModules"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("api_version", [NEW, OLD])
def test_a_value_that_is_not_known_yet_fails_nothing(world: World, api_version: str, place: str) -> None:
    """Neither a new cluster, nor one that exists, nor one whose creation failed."""
    sent = resource(changed(body(api_version), place, LATER), api_version=api_version)
    assert ask(world, sent).body == PASSED
    create(world, api_version)
    world.finish(failed=True)
    assert ask(world, sent).body == PASSED
    world.document["openShiftCluster"]["properties"] |= {
        "provisioningState": "Succeeded",
        "failedProvisioningState": "",
    }
    assert ask(world, sent).body == PASSED


@pytest.mark.parametrize("place", PLACES)
def test_what_is_known_is_checked_all_the_same(world: World, place: str) -> None:
    """A wrong member beside one that is not known yet is found."""
    wrong = {"tags": 1} if place.startswith("properties") else {"properties": 1}
    error = refusal(ask(world, resource({**changed(body(), place, LATER), **wrong})))
    assert (error["code"], targets(error)) == ("InvalidRequestContent", list(wrong))


@pytest.mark.parametrize("member", ["name", "apiVersion", "type"])
def test_a_resource_that_is_not_known_yet_is_left_to_its_put(world: World, member: str) -> None:
    """Nobody can tell which rules hold for it."""
    assert ask(world, resource({}, **{member: LATER})).body == PASSED


def test_a_check_of_two_members_needs_both(world: World) -> None:
    """Sizes that need a later version, and subnets in one network."""
    newer = changed(body(), "properties.masterProfile.vmSize", "Standard_D8s_v6")
    assert targets(refusal(ask(world, resource(newer)))) == ["properties.masterProfile.vmSize"]
    assert ask(world, resource(changed(newer, "properties.clusterProfile.version", LATER))).body == PASSED
    elsewhere = changed(
        body(),
        "properties.workerProfiles.0.subnetId",
        f"{GROUP}/providers/Microsoft.Network/virtualNetworks/other/subnets/worker",
    )
    assert targets(refusal(ask(world, resource(elsewhere)))) == [f"{WORKER}.subnetId"]
    assert ask(world, resource(changed(elsewhere, "properties.masterProfile.subnetId", LATER))).body == PASSED


def test_a_text_in_brackets_is_a_value_if_its_first_bracket_is_doubled(world: World) -> None:
    """As in the template language. In a PUT, brackets mean nothing at all."""
    assert targets(refusal(ask(world, resource(changed(body(), f"{CP}.domain", "[[x]"))))) == [f"{CP}.domain"]
    assert world.send("PUT", CLUSTER, changed(body(), f"{CP}.domain", LATER)).status == 400


def test_a_change_of_a_fixed_member_fails(world: World) -> None:
    """A cluster that exists is compared; what a PUT may repeat passes, secrets included."""
    create(world)
    world.finish()
    assert ask(world, resource()).body == PASSED
    assert ask(world, resource(world.send("GET", CLUSTER).body)).body == PASSED
    assert ask(world, resource(changed(body(), "tags", {"team": "two"}))).body == PASSED
    error = refusal(ask(world, resource(changed(body(), f"{CP}.domain", "other"), name="c1")))
    assert (error["code"], error["target"]) == ("PropertyChangeNotAllowed", f"{CP}.domain")


@pytest.mark.parametrize("state", ["Creating", "Updating", "AdminUpdating"])
def test_an_operation_that_runs_is_no_obstacle(world: World, state: str) -> None:
    """It may have ended when the template runs; a fixed member stays fixed."""
    create(world)
    world.document["openShiftCluster"]["properties"]["provisioningState"] = state
    assert ask(world, resource()).body == PASSED
    error = refusal(ask(world, resource(changed(body(), f"{CP}.domain", "other"))))
    assert error["code"] == "PropertyChangeNotAllowed"


def test_a_cluster_that_is_being_deleted_counts_as_new(world: World) -> None:
    """Whatever it was, its name is free when the deletion has ended."""
    create(world)
    world.document["openShiftCluster"]["properties"]["provisioningState"] = "Deleting"
    assert ask(world, resource(changed(body(), f"{CP}.domain", "other"))).body == PASSED
    error = refusal(ask(world, resource(changed(body(), f"{CP}.version", "4.1.1"))))
    assert targets(error) == [f"{CP}.version"]


def test_a_cluster_whose_secrets_a_delete_has_removed_counts_as_new(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The delete began after the document was read."""
    create(world)
    world.finish()

    def gone(_: str) -> Any:
        raise ResourceNotFoundError

    monkeypatch.setattr(world.services.vault, "get_secret", gone)
    assert ask(world, resource(changed(body(), f"{CP}.domain", "other"))).body == PASSED


def test_a_failed_operation_that_only_its_owner_can_mend_fails(world: World) -> None:
    """A failed creation resumes only with its own body; after a failed deletion only a DELETE helps."""
    create(world)
    world.finish(failed=True)
    assert ask(world, resource()).body == PASSED
    error = refusal(ask(world, resource(changed(body(), "tags", {}))))
    assert error["code"] == "RequestNotAllowed"
    assert "tags" in error["message"]
    world.document["openShiftCluster"]["properties"]["failedProvisioningState"] = "Deleting"
    assert refusal(ask(world, resource()))["code"] == "RequestNotAllowed"


def test_every_cluster_of_a_template_that_would_be_refused_is_told(world: World) -> None:
    """Each under its id, with the details that its PUT would have."""
    wrong = changed(changed(body(), f"{CP}.domain", "-"), "properties.masterProfile.vmSize", "x")
    older = changed(body(OLD), "properties.networkProfile.podCidr", "x")
    error = refusal(
        ask(world, resource(name="good"), resource(wrong, name="a"), resource(older, name="b", api_version=OLD))
    )
    assert (error["code"], error["target"]) == ("InvalidParameter", f"{CLUSTERS}/a")
    assert error["message"].startswith("2 of the template's clusters would be refused")
    assert {detail["target"]: [each["target"] for each in detail["details"]] for detail in error["details"]} == {
        f"{CLUSTERS}/a": [f"{CP}.domain", "properties.masterProfile.vmSize"],
        f"{CLUSTERS}/b": ["properties.networkProfile.podCidr"],
    }


def test_the_work_for_one_template_is_bounded(world: World) -> None:
    """A hundred clusters are checked; those beyond are left to their PUT."""
    bad = resource(changed(body(), f"{CP}.domain", "-"), name="bad")
    good = [resource(name=f"c{number}") for number in range(_MAX_CLUSTERS)]
    assert targets(refusal(ask(world, *good[1:], bad))) == [f"{CLUSTERS}/bad"]
    assert ask(world, *good, bad).body == PASSED
    many = changed(body(), "tags", {str(number): LATER for number in range(20_000)})
    assert targets(refusal(ask(world, resource(many)))) == ["tags"]
    assert len(refusal(ask(world, *[bad] * 200))["details"]) == _MAX_CLUSTERS


def test_that_a_dependency_is_away_says_nothing_about_the_template(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is that of every request: 503, and when to try again."""

    def away(*_: Any) -> Any:
        raise ServiceRequestError("no route")

    monkeypatch.setattr(world.services.store.clusters, "named", away)
    reply = ask(world, resource())
    assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
    assert reply.headers["Retry-After"]


def test_only_azure_resource_manager_asks(world: World, own: CallersWorld) -> None:
    """Without it in front of the service, templates know nothing about clusters."""
    assert world.send("POST", PREFLIGHT, {}, certificate=b"").status == 403
    assert world.send("GET", PREFLIGHT).status == 405
    assert own.call("POST", PREFLIGHT, {}).status == 404


@settings(derandomize=True, max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated_bodies())
def test_a_mutated_cluster_passes_exactly_if_its_put_would(drawn: tuple[str, bytes]) -> None:
    """Except for texts that look like expressions, which the mutations do not have."""
    api_version, raw = drawn
    world, sent = World(), json.loads(raw)
    offer(world)
    reply = ask(world, {**sent, "name": "C1", "type": TYPE, "apiVersion": api_version})
    named = {**sent, "name": "C1", "type": TYPE}
    put = world.send("PUT", CLUSTER, named, api_version=api_version, headers=FROM_ARM)
    assert reply.status == 200
    assert (reply.body["status"] == "Succeeded") == (put.status == 201), (reply.body, put.body)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(ANY_JSON)
def test_any_body_is_answered_with_200(content: Any) -> None:
    """Whatever it is."""
    world = World()
    for sent in (
        content,
        {"resources": content},
        {"resources": [content]},
        {"resources": [resource(properties=content)]},
    ):
        raw = json.dumps(sent).encode()
        assert world.send("POST", PREFLIGHT, raw).status == 200
