"""What clients see of a cluster's conditions."""

import pytest

from shared.cluster_conditions.calendar import BY_NAME
from shared.json_object import Json
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, World, body

OWN = VERSIONS[-1]
CONDITION = {
    "type": "Available",
    "status": "True",
    "reason": "AsExpected",
    "message": "All is well.",
    "lastTransitionTime": "2026-03-01T12:00:00+00:00",
}
SHOWN = CONDITION | {"lastTransitionTime": "2026-03-01T12:00:00Z"}


@pytest.fixture
def made() -> World:
    """Give a cluster that is up, with one condition."""
    world = World()
    assert world.send("PUT", CLUSTER, body(OWN), api_version=OWN).status == 201
    world.finish()
    store(world, world.document)
    return world


def store(world: World, cluster: Json) -> None:
    """Store a condition of a cluster."""
    head = {name: cluster[name] for name in ("id", "partitionKey", "key")}
    conditions = {"observedAt": "2026-03-01T12:00:00+00:00", "conditions": [CONDITION]}
    world.cosmos["ClusterConditions"].upsert_item(head | conditions)


def test_a_get_and_a_list_show_conditions(made: World) -> None:
    """The list has read them with one query."""
    shown = made.send("GET", CLUSTER, api_version=OWN).body
    assert shown["properties"]["conditions"] == [SHOWN]
    (listed,) = made.send("GET", CLUSTERS, api_version=OWN).body["value"]
    assert listed["properties"]["conditions"] == [SHOWN]


def test_older_versions_do_not_know_them(made: World) -> None:
    """And do not read them."""
    made.cosmos["ClusterConditions"].documents.clear()
    for version in VERSIONS[:-1]:
        assert "conditions" not in made.send("GET", CLUSTER, api_version=version).body["properties"]


def test_a_cluster_that_was_never_asked_has_none(made: World) -> None:
    """The member is absent then, like every empty one."""
    made.cosmos["ClusterConditions"].documents.clear()
    assert "conditions" not in made.send("GET", CLUSTER, api_version=OWN).body["properties"]


def test_what_cannot_be_read_is_not_shown(made: World) -> None:
    """The cluster is."""
    (stored,) = made.cosmos["ClusterConditions"].documents.values()
    stored["conditions"] = [7]
    assert "conditions" not in made.send("GET", CLUSTER, api_version=OWN).body["properties"]


def test_the_body_of_a_get_may_be_sent_back(made: World) -> None:
    """Whatever the conditions have become since; none of it is stored."""
    shown = made.send("GET", CLUSTER, api_version=OWN).body
    changed = [SHOWN | {"status": "False"}, SHOWN | {"type": "Degraded"}]
    for conditions in (shown["properties"]["conditions"], changed):
        sent = shown | {"properties": shown["properties"] | {"conditions": conditions}}
        reply = made.send("PUT", CLUSTER, sent, api_version=OWN)
        assert reply.status == 200, reply.body
        assert "conditions" not in made.document["openShiftCluster"]["properties"]
        made.finish()


def test_a_new_condition_is_another_answer(made: World) -> None:
    """So a client that asks with the ETag of the last answer gets it, and may still write with that ETag."""
    etag = made.send("GET", CLUSTER, api_version=OWN).headers["ETag"]
    assert made.send("GET", CLUSTER, api_version=OWN, headers={"if-none-match": etag}).status == 304
    (stored,) = made.cosmos["ClusterConditions"].documents.values()
    stored["conditions"] = [CONDITION | {"status": "False"}]
    again = made.send("GET", CLUSTER, api_version=OWN, headers={"if-none-match": etag})
    assert again.body["properties"]["conditions"][0]["status"] == "False"
    assert made.send("PATCH", CLUSTER, {}, api_version=OWN, headers={"if-match": etag}).status == 200


EXPIRATIONS = f"{CLUSTER}/expirations"


def test_expirations_say_who_renews_what_and_when(made: World) -> None:
    """With the dates from which it is renewed, and warned of."""
    assert made.send("GET", EXPIRATIONS, api_version=OWN).body == {"value": []}
    (stored,) = made.cosmos["ClusterConditions"].documents.values()
    stored["expirationsReadAt"] = "2026-03-01T11:10:00+00:00"
    end = {"name": "user-kubeconfig", "end": "2027-03-01T12:00:00+00:00", "detail": ""}
    stored["expirations"] = [end, {"name": "of-a-newer-build", "end": "2027-03-01T12:00:00+00:00", "detail": "x"}]
    shown = made.send("GET", EXPIRATIONS, api_version=OWN)
    assert shown.body == {
        "value": [
            {
                "name": "user-kubeconfig",
                "what": "admin kubeconfig that `listAdminCredentials` answers",
                "end": "2027-03-01T12:00:00Z",
                "renewedBy": "Service",
                "renewed": BY_NAME["user-kubeconfig"].renewed,
                "renewedFrom": "2026-05-30T12:00:00Z",
                "warnedFrom": "2027-01-30T12:00:00Z",
            }
        ],
        "readAt": "2026-03-01T11:10:00Z",
    }


def test_older_versions_have_no_expirations(made: World) -> None:
    """Nor has a cluster that does not exist."""
    assert made.send("GET", EXPIRATIONS, api_version=VERSIONS[-2]).status == 400
    assert made.send("GET", f"{CLUSTERS}/other/expirations", api_version=OWN).status == 404
