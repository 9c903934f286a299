"""The list of all clusters, for operators."""

import copy
import uuid
from typing import Any
from urllib.parse import parse_qs, urlsplit

from frontend.admin import sre_clusters
from tests.product.unit.frontend.callers_world import CallersWorld, application_token
from tests.product.unit.frontend.world import CLUSTER, NOW, SUBSCRIPTION, World, admin_certificate, body

OTHER = "eeeeeeee-0000-0000-0000-000000000002"
LIST = "/providers/Microsoft.RedHatOpenShift/openShiftClusters"


def copies(world: World, *subscriptions: str) -> None:
    """Put a copy of the one cluster into each subscription."""
    original = world.document
    for index, subscription in enumerate(subscriptions):
        found, cluster_id = copy.deepcopy(original), CLUSTER.replace(SUBSCRIPTION, subscription) + f"-{index:04}"
        found |= {"id": str(uuid.uuid4()), "key": cluster_id.lower(), "partitionKey": subscription}
        found |= dict.fromkeys(("clusterResourceGroupIdKey", "clientIdKey"), found["id"])
        found["openShiftCluster"] |= {"id": cluster_id, "name": f"C1-{index:04}"}
        world.cosmos["OpenShiftClusters"].documents[subscription, found["id"]] = found


def pages(world: World) -> list[list[dict[str, Any]]]:
    """Return all pages, by following their links."""
    found, query = [], dict[str, str]()
    while True:
        reply = world.send("GET", f"/sre{LIST}", api_version="", query=query, certificate=admin_certificate())
        assert reply.status == 200, reply.body
        found.append(reply.body["value"])
        if "nextLink" not in reply.body:
            return found
        query = {"$skipToken": parse_qs(urlsplit(reply.body["nextLink"]).query)["$skipToken"][0]}


def test_an_operator_sees_the_clusters_of_all_subscriptions_in_pages(world: World) -> None:
    """Each once, in the order of their ids; the members are those of the operators' view, without secrets."""
    world.send("PUT", CLUSTER, body())
    copies(world, *[SUBSCRIPTION, OTHER] * 120)
    found = pages(world)
    assert [len(page) for page in found] == [100, 100, 41]
    ids = [cluster["id"].lower() for page in found for cluster in page]
    assert ids == sorted(ids)
    assert len(set(ids)) == 241
    first = found[0][0]
    assert first["properties"]["servicePrincipalProfile"].keys() == {"clientId"}
    assert "pullSecret" not in first["properties"]["clusterProfile"]


def test_conditions_of_several_subscriptions_are_shown(world: World) -> None:
    """They are in one query."""
    world.send("PUT", CLUSTER, body())
    copies(world, SUBSCRIPTION, OTHER)
    for document in list(world.cosmos["OpenShiftClusters"].documents.values()):
        about = {name: document[name] for name in ("id", "partitionKey", "key")}
        found = [{"type": "Degraded", "status": "True", "reason": "A", "message": document["key"]}]
        world.cosmos["ClusterConditions"].upsert_item({**about, "observedAt": NOW.isoformat(), "conditions": found})
    (page,) = pages(world)
    assert [cluster["properties"]["conditions"][0]["message"] for cluster in page] == [
        cluster["id"].lower() for cluster in page
    ]


def test_a_cluster_that_cannot_be_read_hides_no_other(world: World) -> None:
    """It is left out, and noted."""
    world.send("PUT", CLUSTER, body())
    copies(world, SUBSCRIPTION, OTHER)
    next(iter(world.cosmos["OpenShiftClusters"].documents.values()))["openShiftCluster"] = {"id": "x"}
    (page,) = pages(world)
    assert len(page) == 2


def test_no_cluster_is_an_empty_list(world: World) -> None:
    """Also then."""
    assert pages(world) == [[]]


def test_a_page_of_another_list_is_refused(world: World) -> None:
    """A token is this list's alone."""
    reply = world.send(
        "GET", f"/sre{LIST}", api_version="", query={"$skipToken": "AAAA"}, certificate=admin_certificate()
    )
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidParameter")


def test_nobody_else_sees_it(world: World, own: CallersWorld) -> None:
    """Neither ARM, nor a caller without the role."""
    assert world.send("GET", f"/sre{LIST}", api_version="").status == 403
    assert own.call("GET", f"/sre{LIST}", api_version="").status == 403
    operator = application_token(roles=["Operator"])
    reply = own.call("GET", f"/sre{LIST}", api_version="", token=operator)
    assert (reply.status, reply.body) == (200, {"value": []})


def test_one_page_reads_keys_and_its_own_documents(world: World) -> None:
    """Not all documents: there may be thousands."""
    world.send("PUT", CLUSTER, body())
    copies(world, *[OTHER] * 150)
    documents, following = world.services.store.clusters.following("", sre_clusters._SIZE)
    assert (len(documents), following) == (100, documents[-1]["key"])
