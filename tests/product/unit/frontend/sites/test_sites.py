"""Operators describe sites, look at what they declare, and run it."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from frontend.messages import Reply
from frontend.routes import ROUTES
from shared import deadline
from shared.bundles import archive
from tests.product.unit.blobs_fake import FakeBlobs
from tests.product.unit.frontend.world import World, admin_certificate
from tests.product.unit.phases.bundles import PHASES, write

PROVIDER = "/sre/providers/Microsoft.RedHatOpenShift"
SITE = f"{PROVIDER}/sites/edge-1"


@pytest.fixture(autouse=True)
def blobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the service's account."""
    FakeBlobs().install(monkeypatch)


def send(world: World, method: str, path: str, content: Any = None, **options: Any) -> Reply:
    """Send a request as an operator."""
    return world.send(method, path, content, api_version="", certificate=admin_certificate(), **options)


def stored(world: World, folder: Path, files: dict[str, str | None] | None = None) -> str:
    """Store a bundle; return its digest."""
    write(folder, files or {})
    packed = archive.pack(folder)
    digest = archive.digest(packed)
    reply = send(world, "PUT", f"{PROVIDER}/bundles/{digest}", packed, headers={"content-type": "application/gzip"})
    assert reply.status in (200, 201), reply.body
    return digest


@pytest.fixture
def site(world: World, tmp_path: Path) -> dict[str, Any]:
    """Give the document of a site with a bundle that is right."""
    reply = send(world, "PUT", SITE, {"bundle": stored(world, tmp_path / "site")})
    assert reply.status == 201, reply.body
    return current(world)


def current(world: World) -> dict[str, Any]:
    """Return the document of the site as it is now."""
    found: dict[str, Any] = world.cosmos["Sites"].documents["edge-1", "edge-1"]
    return found


def error(reply: Reply) -> tuple[int, str, str]:
    """Return status, code and message of a refusal."""
    told = reply.body["error"]
    return reply.status, told["code"], told["message"]


def run(world: World, options: Any = None, want: int = 202) -> Any:
    """Run the plan of the site; return the answer."""
    reply = send(world, "POST", f"{SITE}/plans/site/run", {} if options is None else options)
    assert reply.status == want, reply.body
    return reply


def test_a_site_is_written_read_listed_and_deleted(world: World, site: dict[str, Any]) -> None:
    """Its name is in lower case, whatever the path says."""
    told = send(world, "GET", SITE.replace("edge-1", "EDGE-1")).body
    assert (told["name"], told["bundle"], told["metadata"]) == ("edge-1", site["bundle"], "metadata.yaml")
    assert send(world, "GET", f"{PROVIDER}/sites").body == {"value": [told]}
    assert send(world, "PUT", SITE, {"bundle": site["bundle"]}).status == 200
    assert [send(world, "DELETE", SITE).status for _ in range(2)] == [204, 204]
    assert error(send(world, "GET", SITE)) == (404, "ResourceNotFound", "There is no site 'edge-1'.")


def test_names_keep_their_letters(world: World, tmp_path: Path) -> None:
    """Capitals and underscores, which airshipctl takes, are in paths, rows, and items of progress as they are."""
    declared = PHASES.replace("name: policies", "name: kube_apply").replace("{name: site}", "{name: phasePlan}")
    digest = stored(world, tmp_path / "site", {"site/phases/phases.yaml": declared})
    assert send(world, "PUT", SITE, {"bundle": digest}).status == 201
    reply = send(world, "POST", f"{SITE}/plans/phasePlan/run", {"resumeFrom": "kube_apply"})
    assert reply.status == 202, reply.body
    plan = world.plan(current(world)["asyncOperationId"])
    assert [row["name"] for row in plan["rows"]] == ["providers", "kube_apply", "finish_operation"]
    assert send(world, "GET", f"{SITE}/plans/phasePlan/status").status == 200
    assert send(world, "POST", f"{SITE}/phases/kube_apply/validate").status == 200


def test_a_bundle_that_takes_too_long_is_not_called_wrong(world: World, site: dict[str, Any]) -> None:
    """On a busy machine nothing is wrong with it, and the request can be repeated."""
    with deadline.within(0):
        assert error(run(world, want=503))[1:] == (
            "ServiceUnavailable",
            "The service had no time left to answer this request. Nothing is wrong with the request: repeat it.",
        )
    assert current(world) == site


def test_only_requests_about_sites_have_the_time_to_render() -> None:
    """The others are answered within seconds, whatever is silent."""
    seconds = {one.name: one.seconds for one in ROUTES}
    assert seconds["http_sre_site_plan_run"] == deadline.RENDERING_SECONDS
    assert seconds["http_cluster"] == seconds["http_sre_sites"] == deadline.REQUEST_SECONDS


def test_a_condition_on_the_version_of_a_site_is_checked(world: World, site: dict[str, Any]) -> None:
    """Two operators do not overwrite each other."""
    for method, content in (("PUT", {"bundle": site["bundle"]}), ("DELETE", None)):
        reply = send(world, method, SITE, content, headers={"if-match": '"old"'})
        assert error(reply)[:2] == (412, "PreconditionFailed")


def _with_another_plan(world: World, folder: Path, phase: str) -> str:
    """Store the site with a second plan, of one phase; return its digest."""
    return stored(
        world,
        folder,
        {
            "site/phases/more.yaml": (
                f"{{apiVersion: airshipit.org/v1alpha1, kind: PhasePlan, metadata: {{name: b}}, phases: [{phase}]}}"
            ),
            "site/phases/kustomization.yaml": "resources: [phases.yaml, more.yaml]",
        },
    )


def test_a_bundle_that_cannot_be_read_becomes_no_site(world: World, tmp_path: Path) -> None:
    """Every problem is told, with its file and field."""
    reply = send(world, "PUT", SITE, {"bundle": _with_another_plan(world, tmp_path / "site", "5")})
    assert reply.status == 400, reply.body
    [problem] = reply.body["error"]["details"]
    assert problem["target"] == "site/phases/more.yaml PhasePlan/b phases[0]"
    assert not world.cosmos["Sites"].documents


def test_another_plan_that_is_wrong_stops_only_itself(world: World, tmp_path: Path) -> None:
    """It is a warning for all others."""
    digest = _with_another_plan(world, tmp_path / "site", "{name: nowhere}")
    assert send(world, "PUT", SITE, {"bundle": digest}).status == 201
    for path in ("phases/policies", "plans/site"):
        checked = send(world, "POST", f"{SITE}/{path}/validate").body
        assert checked["problems"] == []
        [warning] = checked["warnings"]
        assert warning.startswith("site/phases/more.yaml PhasePlan/b phases[0]: There is no phase 'nowhere'.")
    for path in ("plans/b/validate", "plans/b/run"):
        reply = send(world, "POST", f"{SITE}/{path}", {})
        assert reply.status == 400, reply.body
        [problem] = reply.body["error"]["details"]
        assert problem["target"] == "site/phases/more.yaml PhasePlan/b phases[0]"
    assert run(world).status == 202


@pytest.mark.parametrize(
    ("content", "want"),
    [
        ({"bundle": "0" * 64}, "there is no bundle '000"),
        ({"bundle": "x"}, "'x' does not match"),
        ({}, "'bundle' is a required property"),
        ({"bundle": "0" * 64, "metadata": 5}, "5 is not of type 'string'"),
        ({"bundle": "0" * 64, "color": "red"}, "'color' was unexpected"),
    ],
    ids=["unknown", "no digest", "nothing", "a number for a path", "another member"],
)
def test_a_site_needs_a_stored_bundle(world: World, content: Any, want: str) -> None:
    """The message has the value and what is wrong with it."""
    status, code, message = error(send(world, "PUT", SITE, content))
    assert (status, code) == (400, "InvalidParameter")
    assert want in message


@pytest.mark.parametrize("metadata", ["x" * 300, "a\u0000b", "../metadata.yaml"], ids=["long", "with NUL", "outside"])
def test_a_metadata_file_that_no_folder_can_have_is_not_there(
    world: World, site: dict[str, Any], metadata: str
) -> None:
    """Whatever a file system thinks of the name."""
    status, code, message = error(send(world, "PUT", SITE, {"bundle": site["bundle"], "metadata": metadata}))
    assert (status, code) == (400, "InvalidParameter")
    assert "has no metadata file" in message


def test_a_body_that_is_no_object_is_refused(world: World) -> None:
    """A list is JSON, too."""
    assert error(send(world, "PUT", SITE, []))[:2] == (400, "InvalidRequestContent")


@pytest.mark.parametrize("name", ["-edge", "edge-", "e.1", "e_1", "x" * 64, "\u212a"])
def test_a_name_that_is_none_is_refused(world: World, name: str) -> None:
    """It becomes an id in the database and part of addresses."""
    assert error(send(world, "GET", f"{PROVIDER}/sites/{name}"))[:2] == (400, "InvalidParameter")


@pytest.mark.usefixtures("site")
def test_the_lists_are_those_of_the_command(world: World) -> None:
    """The same members, so the same tools read both."""
    phases = send(world, "GET", f"{SITE}/phases").body["value"]
    assert [one["name"] for one in phases] == ["policies", "providers"]
    assert set(phases[0]) == {"namespace", "name", "clusterName", "executor", "docEntrypoint"}
    assert [one["name"] for one in send(world, "GET", f"{SITE}/plans").body["value"]] == ["site"]
    clusters = send(world, "GET", f"{SITE}/clusters").body["value"]
    assert {one["name"] for one in clusters} == {"management", "managed"}
    assert send(world, "POST", f"{SITE}/phases/policies/tree").body["path"] == "site/policies"
    assert send(world, "POST", f"{SITE}/phases/policies/render").body["value"]
    for path in ("phases/policies", "plans/site"):
        assert send(world, "POST", f"{SITE}/{path}/validate").body == {"problems": [], "warnings": []}
    for path in ("phases/nowhere/validate", "phases/nowhere/run", "plans/nowhere/run"):
        status, _, message = error(send(world, "POST", f"{SITE}/{path}", {}))
        assert (status, "There are: " in message) == (400, True)


def test_a_run_is_an_operation_that_names_its_bundle(world: World, site: dict[str, Any]) -> None:
    """The documents are written before anything is started, and the answer says where to look."""
    reply = run(world)
    operation_id = reply.body["name"]
    operation = world.operation(operation_id)
    assert reply.headers["Location"] == f"https://rp.example{SITE}/operations/{operation_id}"
    assert (operation["siteName"], operation["bundle"]) == ("edge-1", site["bundle"])
    assert "openShiftClusterKey" not in operation
    found = current(world)
    assert (found["asyncOperationId"], found["attempt"], found["runs"]) == (operation_id, 1, {"site": operation_id})
    assert reply.start.instance_id == f"{operation_id}-1"
    assert reply.start.input["clusterKey"] == "/sites/edge-1"
    rows = ["check_plan", "providers", "policies", "finish_operation"]
    assert [row["name"] for row in reply.start.input["plan"]["rows"]] == rows
    told = send(world, "GET", f"{SITE}/operations/{operation_id}").body
    assert (told["status"], told["site"], told["plan"]) == ("Running", "edge-1", "site")
    assert send(world, "GET", f"{SITE}/plans/site/status").body == told


def test_one_operation_runs_at_a_time(world: World, site: dict[str, Any]) -> None:
    """While it does, the site keeps its bundle."""
    operation_id = run(world).body["name"]
    changes = [("PUT", SITE, {"bundle": site["bundle"]}), ("DELETE", SITE, None)]
    for method, path, content in (*changes, ("POST", f"{SITE}/phases/policies/status", {})):
        status, code, message = error(send(world, method, path, content))
        assert (status, code) == (409, "Conflict")
        assert operation_id in message


@pytest.mark.usefixtures("site")
def test_customers_do_not_find_operations_on_sites(world: World) -> None:
    """Neither by its status, nor by its result, nor below a cluster."""
    operation_id = run(world).body["name"]
    cluster = "/subscriptions/00000000-0000-0000-0000-000000000001"
    location = f"{cluster}/providers/Microsoft.RedHatOpenShift/locations/eastus"
    for kind in ("operationsstatus", "operationresults"):
        assert world.send("GET", f"{location}/{kind}/{operation_id}").status == 404
    of_cluster = f"/sre{cluster}/resourceGroups/g/providers/Microsoft.RedHatOpenShift/openShiftClusters/c"
    assert send(world, "GET", f"{of_cluster}/operations/{operation_id}").status == 404
    assert send(world, "GET", f"{PROVIDER}/sites/other/operations/{operation_id}").status == 404


@pytest.mark.usefixtures("site")
def test_a_cancel_is_remembered_and_can_be_repeated(world: World) -> None:
    """It stays even if another attempt takes over; once the operation has ended it is refused."""
    operation_id = run(world).body["name"]
    path = f"{SITE}/operations/{operation_id}/cancel"
    assert [send(world, "POST", path).status for _ in range(2)] == [202, 202]
    assert (current(world)["stopping"], current(world)["canceling"]) == (True, True)
    end(world, "Canceled")
    assert error(send(world, "POST", path)) == (409, "Conflict", f"The operation '{operation_id}' no longer runs.")


@pytest.mark.usefixtures("site")
def test_a_cancel_that_loses_every_race_says_so(world: World) -> None:
    """The operation itself writes the site meanwhile; nothing is broken, and the caller tries again."""
    path = f"{SITE}/operations/{run(world).body['name']}/cancel"
    races = iter(range(10))
    container = world.cosmos["Sites"]
    container.before_write += [lambda: current(world).update({"_etag": f'"other-{next(races)}"'})] * 5
    status, code, message = error(send(world, "POST", path))
    assert (status, code) == (409, "Conflict")
    assert "Try again" in message


def end(world: World, status: str) -> None:
    """End the running operation like the engine."""
    site = current(world)
    operation = world.operation(site["asyncOperationId"])
    operation["asyncOperation"] |= {"status": status, "endTime": operation["asyncOperation"]["startTime"]}
    for member in ("asyncOperationId", "attempt", "stopping", "canceling"):
        site.pop(member, None)


@pytest.mark.usefixtures("site")
def test_a_resume_goes_on_where_the_last_run_of_the_plan_ended(world: World) -> None:
    """What is done is not begun again; operations on single phases between do not matter."""
    first = run(world).body["name"]
    item = {"id": "providers-1", "operationId": first, "step": "providers", "attempt": 1, "status": "Succeeded"}
    world.cosmos["OperationProgress"].create_item({**item, "startTime": "2026-01-01T00:00:00+00:00"})
    end(world, "Canceled")
    send(world, "POST", f"{SITE}/phases/policies/status", {})
    end(world, "Succeeded")
    resumed = run(world, {"resume": True})
    assert resumed.start.input["done"] == ["providers"]
    end(world, "Failed")
    assert run(world, {"resume": True}).start.input["done"] == ["providers"]
    end(world, "Succeeded")
    assert "has succeeded" in error(run(world, {"resume": True}, 409))[2]


@pytest.mark.usefixtures("site")
def test_a_resume_needs_a_former_run_of_the_same_bundle(world: World, tmp_path: Path) -> None:
    """Another bundle may have other phases under the same names."""
    assert error(run(world, {"resume": True}, 404))[1] == "NotFound"
    run(world)
    end(world, "Failed")
    other = stored(world, tmp_path / "other", {"site/notes.yaml": "a: 1\n"})
    assert send(world, "PUT", SITE, {"bundle": other}).status == 200
    assert "has another bundle since" in error(run(world, {"resume": True}, 409))[2]


@pytest.mark.usefixtures("site")
def test_a_resume_needs_the_activities_of_the_former_run(world: World) -> None:
    """The service may have been deployed again since. A run from a phase makes a new plan."""
    first = run(world).body["name"]
    end(world, "Failed")
    world.plan(first)["rows"][1]["executor"] = "from_another_release"
    status, _code, message = error(run(world, {"resume": True}, 409))
    assert status == 409
    assert "from_another_release" in message
    assert "resumeFrom" in message
    assert "asyncOperationId" not in current(world)


@pytest.mark.parametrize(
    ("content", "want"),
    [
        ({"resumeFrom": "nowhere"}, "has no phase 'nowhere'. It has: providers, policies."),
        ({"resume": True, "resumeFrom": "policies"}, "should not be valid"),
        ({"waitTimeoutSeconds": -1}, "-1 is less than the minimum of 0"),
        ({"dryrun": True}, "'dryrun' was unexpected"),
    ],
    ids=["unknown phase", "two ways", "negative", "misspelt"],
)
@pytest.mark.usefixtures("site")
def test_a_wrong_option_starts_nothing(world: World, content: Any, want: str) -> None:
    """The answer has the value and what is allowed."""
    status, code, message = error(run(world, content, 400))
    assert (status, code) == (400, "InvalidParameter")
    assert want in message
    assert "asyncOperationId" not in current(world)


@pytest.mark.usefixtures("site")
def test_options_reach_the_rows(world: World) -> None:
    """A plan may begin in the middle, wait otherwise than its documents say, or only tell."""
    begun = run(world, {"resumeFrom": "policies", "waitTimeoutSeconds": 0}).start.input
    assert begun["done"] == ["providers"]
    assert [row["document"]["timeoutSeconds"] for row in begun["plan"]["rows"] if "document" in row] == [0, 0]
    end(world, "Succeeded")
    runs = current(world)["runs"]
    rows = run(world, {"dryRun": True}).start.input["plan"]["rows"]
    assert [row["executor"] for row in rows] == ["check_plan", "dry_run_phase", "dry_run_phase", "finish_operation"]
    assert [row["needs"] for row in rows] == [[], ["check_plan"], ["check_plan"], ["providers", "policies"]]
    assert rows[2]["document"]["before"] == [{"namespace": "", "name": "providers"}]
    assert current(world)["runs"] == runs


def test_a_cluster_of_the_service_is_not_for_certificates(world: World, tmp_path: Path) -> None:
    """Nobody's role in Azure says that the caller may have its credentials, nor see what was done with them."""
    source = "{type: openShiftCluster, openShiftCluster: {resourceId: /subscriptions/s/resourceGroups/g/c}}"
    clusters = (
        "apiVersion: airshipit.org/v1alpha1\nkind: ClusterMap\nmetadata: {name: clusters}\nmap:\n  management: "
        f"{{kubeconfigSources: [{source}]}}\n  managed: {{parent: management, kubeconfigSources: [{{type: clusterAPI, "
        "clusterAPI: {clusterNamespacedName: {name: m}}}]}\n"
    )
    digest = stored(world, tmp_path / "site", _with_clusters(clusters))
    assert send(world, "PUT", SITE, {"bundle": digest}).status == 201
    operation_id = str(UUID(int=1))
    begun = {
        "id": operation_id,
        "siteName": "edge-1",
        "sourceClusters": ["/subscriptions/s/resourceGroups/g/c"],
        "plan": {},
    }
    world.cosmos["AsyncOperations"].create_item(begun)
    current(world)["runs"] = {"site": operation_id}
    for method, path in (
        ("POST", "plans/site/run"),
        ("GET", "plans/site/status"),
        ("GET", f"operations/{operation_id}"),
        ("POST", f"operations/{operation_id}/cancel"),
    ):
        status, code, message = error(send(world, method, f"{SITE}/{path}", {} if path.endswith("run") else None))
        assert (status, code) == (403, "Forbidden"), path
        assert "call with a token" in message


def _with_clusters(clusters: str) -> dict[str, str | None]:
    """Return the phases of the site with another cluster map."""
    from tests.product.unit.phases.bundles import PHASES  # noqa: PLC0415 - only here

    kept = [one for one in PHASES.split("---\n") if "kind: ClusterMap" not in one]
    return {"site/phases/phases.yaml": "---\n".join([*kept, clusters])}
