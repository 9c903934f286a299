"""PUT and PATCH of the number of workers, in the one version that may change it, and beside machine sets in replies."""

from typing import Any

import pytest

from shared.clusters import worker_count
from tests.api_versions import VERSIONS
from tests.product.unit.clusters.test_live import machine_set
from tests.product.unit.frontend.clusters.test_enrichment import make_reachable
from tests.product.unit.frontend.clusters.test_openshift_cluster_put_or_patch import created, refusal
from tests.product.unit.frontend.world import CLUSTER, NEW, OLD, World, body, changed

SCALES = "2019-12-31-preview"
TARGET = "properties.workerProfiles['worker'].count"
COUNT = "properties.workerProfiles.0.count"
ROWS = {"validate_worker_quota", "scale_workers", "workers_scaled"}


OWNERS = "gpu"
# The versions whose replies show machine sets as `workerProfiles`.
SHOW_SETS = VERSIONS[: VERSIONS.index("2023-09-04")]


@pytest.fixture
def running(world: World) -> World:
    """Give a cluster that runs with three workers, and a machine set of its owner's."""
    created(world)
    make_reachable(world, world.document)
    world.live.objects["MachineSet"] = sets(1, 1, 1)
    return world


def count(world: World) -> int:
    """Return the number of workers in the document."""
    return worker_count.wanted(world.document["openShiftCluster"])


def named(profile_count: int, **more: Any) -> Any:
    """Make the body of a PATCH that names the profile."""
    return {"properties": {"workerProfiles": [{"name": "worker", "count": profile_count, **more}]}}


def sets(*counts: int) -> list[Any]:
    """Make the machine sets of a cluster's zones, and one that its owner has made."""
    found = [machine_set(f"c1-x7k2p-worker-eastus{zone}", count) for zone, count in enumerate(counts, 1)]
    return [*found, machine_set(OWNERS, 9)]


def shown(world: World, api_version: str, path: str = "", value: Any = None) -> Any:
    """Return the body of a GET, with a change to its `workerProfiles`."""
    found = world.send("GET", CLUSTER, api_version=api_version).body
    return changed(found, f"properties.workerProfiles.{path}", value) if path else found


def rows(world: World) -> set[str]:
    """Return the rows of the running operation that scale workers."""
    plan = world.plan(world.document["asyncOperationId"])
    return ROWS & {row["name"] for row in plan["rows"]}


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_count_changes_in_the_version_that_may_change_it(running: World, method: str) -> None:
    """The reply has the new number, and the update has the rows that bring the cluster to it."""
    content = named(5) if method == "PATCH" else changed(body(OLD), COUNT, 5)
    reply = running.send(method, CLUSTER, content, api_version=SCALES)
    assert reply.status == 200
    assert reply.body["properties"]["workerProfiles"][0]["count"] == count(running) == 5
    assert running.document["scaling"] == {"before": 3, "begun": False}
    assert rows(running) == ROWS


@pytest.mark.parametrize("wanted", [-1, 0, 1, 51])
def test_a_count_out_of_range_is_refused_on_an_update_too(running: World, wanted: int) -> None:
    """Two to fifty."""
    reply = running.send("PATCH", CLUSTER, named(wanted), api_version=SCALES)
    assert refusal(reply) == (400, "InvalidParameter", TARGET)
    assert "from 2 to 50" in reply.body["error"]["message"]


@pytest.mark.parametrize("api_version", [OLD, NEW])
def test_the_count_is_fixed_in_other_versions(running: World, api_version: str) -> None:
    """The stored number may be repeated."""
    for content in (changed(body(api_version), COUNT, 5), named(5)):
        reply = running.send("PATCH", CLUSTER, content, api_version=api_version)
        assert refusal(reply) == (400, "PropertyChangeNotAllowed", TARGET)
    assert running.send("PATCH", CLUSTER, named(3), api_version=api_version).status == 200
    assert rows(running) == set()


def test_the_rest_of_the_profile_stays_fixed(running: World) -> None:
    """A number does not bring another size."""
    reply = running.send("PATCH", CLUSTER, named(5, vmSize="Standard_D8s_v3"), api_version=SCALES)
    assert refusal(reply) == (400, "PropertyChangeNotAllowed", "properties.workerProfiles['worker'].vmSize")


def test_an_update_of_anything_else_scales_nothing(running: World) -> None:
    """Even if it repeats the number."""
    for content in ({"tags": {"a": "1"}}, named(3)):
        assert running.send("PATCH", CLUSTER, content, api_version=SCALES).status == 200
        assert (rows(running), "scaling" in running.document) == (set(), False)
        running.finish()


@pytest.mark.parametrize(("begun", "want"), [(False, 3), (True, 5)])
def test_after_a_failure_a_patch_of_tags_goes_on_only_if_machine_sets_were_changed(
    running: World, begun: bool, want: int
) -> None:
    """A refused number is nobody's wish any more."""
    running.send("PATCH", CLUSTER, named(5), api_version=SCALES)
    if begun:
        worker_count.note_begun(running.document)
    running.finish(failed=True)
    assert running.send("PATCH", CLUSTER, {"tags": {}}).status == 200
    assert count(running) == want
    assert rows(running) == (ROWS if begun else set())


def test_what_a_get_shows_after_a_failure_can_be_put_back(running: World) -> None:
    """It has the failed number, and asks for it again. Machine sets say nothing of it, even if they add up to it."""
    running.send("PATCH", CLUSTER, named(5), api_version=SCALES)
    running.finish(failed=True)
    running.live.objects["MachineSet"] = [machine_set("c1-x7k2p-worker-eastus1", 3), machine_set(OWNERS, 2)]
    assert running.send("PUT", CLUSTER, shown(running, OLD), api_version=OLD).status == 200
    assert (count(running), rows(running)) == (3, set())
    running.finish()
    running.send("PATCH", CLUSTER, named(5), api_version=SCALES)
    running.finish(failed=True)
    running.live.objects.clear()
    for api_version in (OLD, NEW):
        content = running.send("GET", CLUSTER, api_version=api_version).body
        assert running.send("PUT", CLUSTER, content, api_version=api_version).status == 200
        assert rows(running) == ROWS
        running.finish(failed=True)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("api_version", SHOW_SETS)
def test_machine_sets_that_a_get_shows_now_are_an_echo(running: World, api_version: str, method: str) -> None:
    """Also if the owner has scaled them: then the document has another number, and keeps it."""
    running.live.objects["MachineSet"] = sets(1, 2, 4)
    before = running.document["openShiftCluster"]["properties"]["workerProfiles"]
    content = shown(running, api_version)
    assert (
        content["properties"]["workerProfiles"][0]["name"] == OWNERS
        or len(content["properties"]["workerProfiles"]) == 4
    )
    assert running.send(method, CLUSTER, content, api_version=api_version).status == 200
    assert running.document["openShiftCluster"]["properties"]["workerProfiles"] == before
    assert (rows(running), "scaling" in running.document) == (set(), False)


CHANGES = [
    ("0.vmSize", "Standard_D8s_v3", "['c1-x7k2p-worker-eastus1'].vmSize"),
    ("1.diskSizeGB", 512, "['c1-x7k2p-worker-eastus2'].diskSizeGB"),
    ("2.subnetId", "nonsense", "['c1-x7k2p-worker-eastus3'].subnetId"),
    ("0.vmSize", "", "['c1-x7k2p-worker-eastus1'].vmSize"),
    ("3.count", 10, "['gpu'].count"),
    ("3.name", "gpus", ""),
    ("0.name", "", ""),
    ("0.name", "worker", ""),
]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("api_version", SHOW_SETS)
@pytest.mark.parametrize(
    ("path", "value", "want_target"), [*CHANGES, ("1.count", 4, "['c1-x7k2p-worker-eastus2'].count")]
)
def test_another_value_of_a_machine_set_is_refused_by_name(  # noqa: PLR0917 - one case
    running: World, api_version: str, method: str, path: str, value: Any, want_target: str
) -> None:
    """No update carries it out, except another total in a PUT of the version that may change it."""
    reply = running.send(method, CLUSTER, shown(running, api_version, path, value), api_version=api_version)
    if api_version == SCALES and path == "1.count" and method == "PUT":
        assert (reply.status, count(running), rows(running)) == (200, 6, ROWS)
    elif api_version == SCALES and path.endswith("count") and method == "PATCH":
        assert refusal(reply) == (400, "InvalidParameter", "properties.workerProfiles")
    else:
        assert refusal(reply) == (400, "PropertyChangeNotAllowed", f"properties.workerProfiles{want_target}")
        assert "asyncOperationId" not in running.document


@pytest.mark.parametrize("api_version", SHOW_SETS)
@pytest.mark.parametrize("wanted", [0, 1, 3, 5])
def test_one_machine_set_more_or_fewer_is_refused(running: World, api_version: str, wanted: int) -> None:
    """In a PUT; what a PATCH leaves out stays. One left out once scaled a cluster to the sum of the others."""
    found = running.send("GET", CLUSTER, api_version=api_version).body
    profiles = [*found["properties"]["workerProfiles"], {"name": "more", "count": 1}][:wanted]
    content = changed(found, "properties.workerProfiles", profiles)
    reply = running.send("PUT", CLUSTER, content, api_version=api_version)
    assert refusal(reply) == (400, "PropertyChangeNotAllowed", "properties.workerProfiles")
    assert count(running) == 3
    if wanted == 3:
        assert running.send("PATCH", CLUSTER, content, api_version=api_version).status == 200


def test_a_put_of_machine_sets_asks_for_their_total_where_the_count_may_change(running: World) -> None:
    """Even for the one that the document has, if the owner has scaled the cluster since; a failure goes back."""
    running.live.objects["MachineSet"] = sets(1, 1, 2)
    content = shown(running, SCALES, "2.count", 1)
    assert running.send("PUT", CLUSTER, content, api_version=SCALES).status == 200
    assert (count(running), rows(running)) == (3, ROWS)
    assert running.document["scaling"] == {"before": 4, "begun": False}


def test_counts_of_machine_sets_are_not_exchanged(running: World) -> None:
    """The service spreads the total, so a request that leaves it alone changes nothing."""
    content = changed(shown(running, SCALES, "0.count", 2), "properties.workerProfiles.1.count", 0)
    reply = running.send("PUT", CLUSTER, content, api_version=SCALES)
    assert refusal(reply) == (
        400,
        "PropertyChangeNotAllowed",
        "properties.workerProfiles['c1-x7k2p-worker-eastus1'].count",
    )
    assert "spreads the total" in reply.body["error"]["message"]


def test_a_patch_of_machine_sets_has_to_name_the_profile_where_the_count_may_change(running: World) -> None:
    """It may leave some out; the error says what to send."""
    profiles = {"workerProfiles": [{"name": "c1-x7k2p-worker-eastus1", "count": 5}]}
    reply = running.send("PATCH", CLUSTER, {"properties": profiles}, api_version=SCALES)
    assert refusal(reply) == (400, "InvalidParameter", "properties.workerProfiles")
    message = reply.body["error"]["message"]
    assert "c1-x7k2p-worker-eastus1" in message
    assert '[{"name": "worker", "count": <total>}]' in message


def test_machine_sets_are_a_change_in_a_version_that_shows_none(running: World) -> None:
    """Its `workerProfiles` are what the customer sent."""
    content = changed(
        shown(running, NEW), "properties.workerProfiles", shown(running, OLD)["properties"]["workerProfiles"]
    )
    reply = running.send("PUT", CLUSTER, content)
    assert refusal(reply) == (400, "PropertyChangeNotAllowed", "properties.workerProfiles")
