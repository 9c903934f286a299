"""PUT and PATCH of the number of workers, in the one version that may change it, and beside machine sets in replies."""

from typing import Any

import pytest

from shared.clusters import worker_count
from tests.product.unit.frontend.test_openshift_cluster_put_or_patch import created, refusal
from tests.product.unit.frontend.world import CLUSTER, NEW, OLD, World, body, changed

SCALES = "2019-12-31-preview"
TARGET = "properties.workerProfiles['worker'].count"
COUNT = "properties.workerProfiles.0.count"
ROWS = {"validate_worker_quota", "scale_workers", "workers_scaled"}


@pytest.fixture
def running(world: World) -> World:
    """Give a cluster that runs with three workers."""
    return created(world)


def count(world: World) -> int:
    """Return the number of workers in the document."""
    return worker_count.wanted(world.document["openShiftCluster"])


def named(profile_count: int, **more: Any) -> Any:
    """Make the body of a PATCH that names the profile."""
    return {"properties": {"workerProfiles": [{"name": "worker", "count": profile_count, **more}]}}


def sets(*counts: int, owners: str = "") -> list[dict[str, Any]]:
    """Make the machine sets that a GET shows, and one that the cluster's owner has made."""
    found = [{"name": f"c1-x7k2p-worker-eastus{zone}", "count": each} for zone, each in enumerate(counts, 1)]
    return [*found, *([{"name": owners, "count": 9}] if owners else [])]


def shown(world: World, api_version: str, profiles: list[dict[str, Any]]) -> Any:
    """Return the body of a GET that shows machine sets."""
    found = world.send("GET", CLUSTER, api_version=api_version).body
    return changed(found, "properties.workerProfiles", profiles)


def rows(world: World) -> set[str]:
    """Return the rows of the running operation that scale workers."""
    plan = world.operation(world.document["asyncOperationId"])["plan"]
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
    """It has the failed number, and asks for it again."""
    running.send("PATCH", CLUSTER, named(5), api_version=SCALES)
    running.finish(failed=True)
    for api_version in (OLD, NEW):
        content = running.send("GET", CLUSTER, api_version=api_version).body
        assert running.send("PUT", CLUSTER, content, api_version=api_version).status == 200
        assert rows(running) == ROWS
        running.finish(failed=True)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_machine_sets_that_a_reply_has_shown_stand_for_the_profile(running: World, method: str) -> None:
    """Where the count is fixed they change by themselves, so whatever they are, nothing changes."""
    before = running.document["openShiftCluster"]["properties"]["workerProfiles"]
    content = shown(running, OLD, sets(1, 2, 4, owners="gpu"))
    assert running.send(method, CLUSTER, content, api_version=OLD).status == 200
    assert running.document["openShiftCluster"]["properties"]["workerProfiles"] == before
    assert "scaling" not in running.document


def test_a_put_of_machine_sets_asks_for_their_total_where_the_count_may_change(running: World) -> None:
    """Machine sets of the owner's do not count."""
    content = shown(running, SCALES, sets(2, 1, 3, owners="gpu"))
    assert running.send("PUT", CLUSTER, content, api_version=SCALES).status == 200
    assert (count(running), rows(running)) == (6, ROWS)


def test_a_patch_of_machine_sets_has_to_name_the_profile_where_the_count_may_change(running: World) -> None:
    """It may leave some out; the error says what to send."""
    reply = running.send("PATCH", CLUSTER, {"properties": {"workerProfiles": sets(5)}}, api_version=SCALES)
    assert refusal(reply) == (400, "InvalidParameter", "properties.workerProfiles")
    message = reply.body["error"]["message"]
    assert "c1-x7k2p-worker-eastus1" in message
    assert '[{"name": "worker", "count": <total>}]' in message


@pytest.mark.parametrize(
    ("api_version", "profiles"),
    [
        (NEW, sets(1, 1, 1)),
        (OLD, [{"name": "workers", "count": 3}]),
        (OLD, [*sets(1), {"name": "worker", "count": 3}]),
        (OLD, [{"count": 3}]),
    ],
    ids=["a version that shows no sets", "a misspelt name", "both", "no name"],
)
def test_other_profiles_are_a_change(running: World, api_version: str, profiles: list[dict[str, Any]]) -> None:
    """Only a list that can have come from a GET stands for the profile."""
    content = shown(running, api_version, profiles)
    reply = running.send("PUT", CLUSTER, content, api_version=api_version)
    assert refusal(reply) == (400, "PropertyChangeNotAllowed", "properties.workerProfiles")
