"""Reads: clusters, lists, operations, versions, health."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, GROUP, LOCATION, NEW, OLD, SUBSCRIPTION, World, body

OF_SUBSCRIPTION = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
OTHER = "dddddddd-0000-0000-0000-000000000002"


def fill(world: World, count: int, group: str = GROUP) -> None:
    """Store some clusters."""
    for number in range(count):
        resource_id = f"{group}/providers/Microsoft.RedHatOpenShift/openShiftClusters/c{number}"
        world.cosmos["OpenShiftClusters"].create_item(
            {
                "id": resource_id,
                "key": resource_id.lower(),
                "partitionKey": SUBSCRIPTION,
                "clientIdKey": resource_id,
                "clusterResourceGroupIdKey": resource_id,
                "openShiftCluster": {"id": resource_id, "name": f"c{number}", "properties": {}},
            }
        )


def test_a_missing_cluster_is_404(world: World) -> None:
    """With its id in the caller's casing."""
    reply = world.send("GET", CLUSTER)
    assert (reply.status, reply.body["error"]["code"]) == (404, "ResourceNotFound")
    assert CLUSTER in reply.body["error"]["message"]


def test_a_cluster_without_a_console_yet_has_its_profile(world: World) -> None:
    """`az aro list -o table` reads the URL in it for every cluster."""
    assert "url" not in world.send("PUT", CLUSTER, body()).body["properties"]["consoleProfile"]
    assert world.send("GET", CLUSTER).body["properties"]["consoleProfile"] == {}


def test_an_empty_list_is_a_list(world: World) -> None:
    """It is never null, and has no next page."""
    assert world.send("GET", OF_SUBSCRIPTION).body == {"value": []}


def test_lists_come_in_pages_of_ten_whose_links_lead_to_the_end(world: World) -> None:
    """On the caller's host, with each cluster once."""
    fill(world, 23)
    names: list[str] = []
    query: dict[str, str] = {}
    headers = {"referer": f"https://arm.example{OF_SUBSCRIPTION}?api-version={NEW}"}
    for want_count in (10, 10, 3):
        page = world.send("GET", OF_SUBSCRIPTION, query=query, headers=headers).body
        names += [cluster["name"] for cluster in page["value"]]
        assert len(page["value"]) == want_count
        link = urlsplit(page.get("nextLink", ""))
        query = {"$skipToken": parse_qs(link.query)["$skipToken"][0]} if link.query else {}
        assert not link.query or link.netloc == "arm.example"
    assert not query
    assert sorted(names) == sorted(f"c{number}" for number in range(23))


def test_a_list_of_a_resource_group_holds_no_neighbour(world: World) -> None:
    """`rg1` is not `rg10`."""
    fill(world, 1)
    fill(world, 2, f"{GROUP}0")
    assert len(world.send("GET", CLUSTERS.upper()).body["value"]) == 1
    assert len(world.send("GET", OF_SUBSCRIPTION).body["value"]) == 3


@pytest.mark.parametrize("token", ["nonsense", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dg=="])
def test_a_skip_token_that_we_did_not_give_is_refused(world: World, token: str) -> None:
    """As the caller's mistake."""
    reply = world.send("GET", OF_SUBSCRIPTION, query={"$skipToken": token})
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", "$skipToken")


def test_an_operation_hides_its_end_until_the_cluster_has_it(world: World) -> None:
    """A client that reads `Succeeded` must find a cluster that agrees."""
    world.send("PUT", CLUSTER, body())
    operation_id = world.document["asyncOperationId"]
    path = f"{LOCATION}/operationsstatus/{operation_id}"
    world.operation(operation_id)["asyncOperation"] |= {"status": "Failed", "endTime": "t", "error": {"code": "x"}}
    running = world.send("GET", path)
    assert running.body["status"] == "Creating"
    assert {"endTime", "error"}.isdisjoint(running.body)
    assert running.headers["Retry-After"] == "15"
    del world.document["asyncOperationId"]
    ended = world.send("GET", path)
    assert (ended.body["status"], ended.body["error"]) == ("Failed", {"code": "x"})
    assert "Retry-After" not in ended.headers


def test_a_poll_of_a_running_operation_reads_it_and_its_progress_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients poll during the whole create, and the cluster's state matters only at the end."""
    world.send("PUT", CLUSTER, body())
    path = f"{LOCATION}/operationsstatus/{world.document['asyncOperationId']}"
    container = type(world.cosmos["OpenShiftClusters"])
    queried, query = [], container.query_items

    def record(self: Any, *args: Any, **options: Any) -> Any:
        queried.append(next(name for name, own in world.cosmos.items() if own is self))
        return query(self, *args, **options)

    monkeypatch.setattr(container, "query_items", record)
    assert world.send("GET", path).body["status"] == "Creating"
    assert queried == ["OperationProgress"]


def test_an_operation_names_itself(world: World) -> None:
    """With the location in lower case, and the namespace as it was typed."""
    world.send("PUT", CLUSTER, body())
    operation_id = world.document["asyncOperationId"]
    found = world.send("GET", f"{LOCATION.upper()}/operationsstatus/{operation_id.upper()}").body
    assert found["id"] == f"{LOCATION}/operationsstatus/{operation_id}"
    assert found["name"] == operation_id


def test_a_result_is_202_then_the_cluster(world: World) -> None:
    """In the requested version, without secrets."""
    world.send("PUT", CLUSTER, body())
    path = f"{LOCATION}/operationresults/{world.document['asyncOperationId']}"
    referer = f"https://arm.example{path}?api-version={OLD}"
    running = world.send("GET", path, headers={"referer": referer})
    assert (running.status, running.headers["Location"], running.text()) == (202, referer, "")
    world.finish()
    result = world.send("GET", path, api_version=OLD)
    assert result.status == 200
    assert result.body == world.send("GET", CLUSTER, api_version=OLD).body


def test_the_result_of_a_delete_is_204(world: World) -> None:
    """There is nothing to show, and the operation outlives the cluster."""
    world.send("PUT", CLUSTER, body())
    world.send("DELETE", CLUSTER)
    operation_id = world.document["asyncOperationId"]
    world.operation(operation_id)["asyncOperation"]["status"] = "Succeeded"
    world.cosmos["OpenShiftClusters"].documents.clear()
    assert world.send("GET", f"{LOCATION}/operationresults/{operation_id}").status == 204
    assert world.send("GET", f"{LOCATION}/operationsstatus/{operation_id}").body["status"] == "Succeeded"


@pytest.mark.parametrize("collection", ["operationsstatus", "operationresults"])
def test_operations_of_other_subscriptions_do_not_exist(world: World, collection: str) -> None:
    """As if they were unknown."""
    world.send("PUT", CLUSTER, body())
    operation_id = world.document["asyncOperationId"]
    foreign = world.send("GET", f"{LOCATION.replace(SUBSCRIPTION, OTHER)}/{collection}/{operation_id}")
    unknown = world.send("GET", f"{LOCATION}/{collection}/{OTHER}")
    for reply in (foreign, unknown):
        assert (reply.status, reply.body["error"]["code"]) == (404, "NotFound")


def test_versions_are_listed_in_their_order(world: World) -> None:
    """Numerically, not alphabetically; disabled ones are left out."""
    world.cosmos["OpenShiftVersions"].create_item({"id": "x", "version": "4.16.1", "enabled": False})
    value = world.send("GET", f"{LOCATION}/openShiftVersions").body["value"]
    assert [version["name"] for version in value] == ["4.9.0", "4.10.67", "4.17.9"]
    assert value[0] == world.send("GET", f"{LOCATION}/openShiftVersions/4.9.0").body
    assert value[0]["properties"] == {"version": "4.9.0"}


def test_an_unknown_openshift_version_is_404(world: World) -> None:
    """The message lists the existing ones."""
    reply = world.send("GET", f"{LOCATION}/openShiftVersions/4.0.0")
    assert (reply.status, reply.body["error"]["code"]) == (404, "ResourceNotFound")
    assert "4.9.0, 4.10.67, 4.17.9" in reply.body["error"]["message"]


def test_an_api_version_without_versions_is_refused(world: World) -> None:
    """The message names those that list them."""
    reply = world.send("GET", f"{LOCATION}/openShiftVersions", api_version=OLD)
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")
    assert NEW in reply.body["error"]["message"]


def test_operations_of_the_provider_need_no_api_version(world: World) -> None:
    """Every name is under our namespace."""
    value = world.send("GET", "/providers/microsoft.redhatopenshift/operations", api_version="").body["value"]
    assert all(operation["name"].startswith("Microsoft.RedHatOpenShift/") for operation in value)
    assert {"name", "display", "origin"} == set(value[0])


def test_the_drill_of_the_paging_key(world: World) -> None:
    """A client in the middle of a list is told to begin again, and does so with the new key."""
    fill(world, 23)
    link = urlsplit(world.send("GET", OF_SUBSCRIPTION).body["nextLink"])
    token = {"$skipToken": parse_qs(link.query)["$skipToken"][0]}
    world.service_secrets.versions["fe-encryption-key"].append("another-key")
    refused = world.send("GET", OF_SUBSCRIPTION, query=token)
    assert (refused.status, refused.body["error"]["target"]) == (400, "$skipToken")
    assert "Begin without it." in refused.body["error"]["message"]
    link = urlsplit(world.send("GET", OF_SUBSCRIPTION).body["nextLink"])
    token = {"$skipToken": parse_qs(link.query)["$skipToken"][0]}
    assert len(world.send("GET", OF_SUBSCRIPTION, query=token).body["value"]) == 10
