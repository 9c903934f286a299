"""Each row of delete, run twice, and after creates that stopped half-way."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest

from tests.product.unit.activities.calls import call, control
from tests.product.unit.product_world import CLUSTER_GROUP, CLUSTER_ID, NETWORK, World

RP = "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourcegroups"
ZONE = f"{RP}/rp/providers/microsoft.network/dnszones/eastus.aroapp.io/a"
DONE = {"outcome": "done"}
BEGAN = "2026-03-01T09:00:00+00:00"
GROUP = CLUSTER_GROUP.lower()


@pytest.fixture
def deleting(accepted: World) -> World:
    """A cluster whose create was superseded by a DELETE."""
    accepted.cosmos["AsyncOperations"].create_item(
        accepted.operation | {"id": "old", "asyncOperation": {"status": "Creating", "name": "old"}}
    )
    accepted.cluster["supersededOperationId"] = "old"
    accepted.properties["provisioningState"] = "Deleting"
    return accepted


def group(world: World, managed_by: str = CLUSTER_ID, state: str = "Succeeded") -> None:
    """Let the cluster's resource group exist."""
    world.azure.resources[GROUP] = {
        "name": "aro-c1",
        "location": "eastus",
        "managedBy": managed_by,
        "properties": {"provisioningState": state},
    }


@pytest.mark.parametrize(
    "step",
    [
        "cancel_superseded",
        "delete_dns",
        "detach_nsgs",
        "delete_private_endpoint",
        "delete_resource_group",
        "delete_acr_token",
        "delete_secrets",
        "end_billing",
    ],
)
def test_every_row_is_content_where_nothing_was_made(deleting: World, step: str) -> None:
    """A create that failed in its first row can be deleted."""
    assert call(step) == DONE
    assert call(step) == DONE
    assert deleting.azure.changes() == []


def old_item(world: World, seconds_ago: float, *, changing: bool = True) -> None:
    """Make a step of the superseded operation run; its last sign of life was so long ago, before or after a change."""
    seen = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat()
    world.cosmos["OperationProgress"].upsert_item(
        {"id": "a-1", "operationId": "old", "step": "a", "attempt": 1, "status": "Running", "startTime": BEGAN}
        | {"lastProgressTime": seen}
        | ({"changing": True} if changing else {})
    )


def test_the_superseded_operation_ends_canceled(deleting: World) -> None:
    """Its client is told, and its steps that died are marked."""
    old_item(deleting, 71)
    assert call("cancel_superseded") == DONE
    old = deleting.cosmos["AsyncOperations"].documents["old", "old"]["asyncOperation"]
    assert (old["status"], old["error"]["code"]) == ("Canceled", "OperationCanceled")
    assert [each["code"] for each in old["error"]["details"]] == ["Remedy", "CorrelationId", "Owner"]
    assert old["error"]["details"][-1]["message"] == "customer"
    assert deleting.cosmos["OperationProgress"].documents["old", "a-1"]["status"] == "Canceled"
    assert "supersededOperationId" not in deleting.cluster


def test_what_the_superseded_operation_has_in_flight_is_waited_for(deleting: World) -> None:
    """A request sent before the fence moved could make something after the delete has looked for it."""
    old_item(deleting, 5)
    assert call("cancel_superseded")["message"] == "step 'a' of the superseded operation is in flight"
    assert deleting.cluster["supersededOperationId"] == "old"
    deleting.cosmos["OperationProgress"].documents["old", "a-1"]["status"] = "Canceled"
    assert call("cancel_superseded") == DONE


def test_a_step_of_the_superseded_operation_that_is_between_two_calls_is_not_waited_for(deleting: World) -> None:
    """Its next call finds the fence moved before it changes anything. A failed check may wait for others like this."""
    old_item(deleting, 0, changing=False)
    assert call("cancel_superseded") == DONE
    assert deleting.cosmos["OperationProgress"].documents["old", "a-1"]["status"] == "Canceled"


def test_running_deployments_of_the_superseded_create_are_cancelled_and_awaited(deleting: World) -> None:
    """Those that have ended are left alone."""
    group(deleting)
    states = {"storage": "Running", "network": "Succeeded"}

    def listed(_request: Any) -> Any:
        value = [{"name": name, "properties": {"provisioningState": state}} for name, state in states.items()]
        return 200, {"value": value}, {}

    deleting.azure.on("GET", "/deployments/?$", listed)
    deleting.azure.on("POST", "/deployments/storage/cancel$", lambda _request: (204, None, {}))
    assert call("cancel_superseded")["outcome"] == "wait"
    states["storage"] = "Canceled"
    assert call("cancel_superseded", "status") == DONE
    assert deleting.azure.changes() == ["POST storage/cancel"]


def test_deployments_that_we_may_not_see_any_more_are_let_go(deleting: World) -> None:
    """Without access nothing of ours can run there, and the old operation ends even so."""
    deleting.azure.fails("GET", "/resourcegroups/aro-c1$", 403, "AuthorizationFailed")
    assert call("cancel_superseded") == DONE
    old = deleting.cosmos["AsyncOperations"].documents["old", "old"]["asyncOperation"]
    assert old["status"] == "Canceled"


def test_a_zone_that_is_gone_has_no_records(deleting: World) -> None:
    """Nothing is left to take away."""
    deleting.azure.fails("GET", "/dnsZones/", 404, "ParentResourceNotFound")
    assert call("delete_dns") == DONE


def test_our_records_go_and_the_owners_record_goes_last(deleting: World) -> None:
    """The API server's record says whose all of them are."""
    mine = {"etag": "e7", "properties": {"metadata": {"resourceId": CLUSTER_ID.upper()}}}
    deleting.azure.resources |= {f"{ZONE}/api.c1": mine, f"{ZONE}/*.apps.c1": {"properties": {}}}
    assert call("delete_dns") == DONE
    assert call("delete_dns") == DONE
    assert deleting.azure.changes() == ["DELETE A/%2A.apps.c1", "DELETE A/api.c1"] or deleting.azure.changes() == [
        "DELETE A/*.apps.c1",
        "DELETE A/api.c1",
    ]


def _record(owner: str = "") -> dict[str, Any]:
    return {"etag": "e7", "properties": {"metadata": {"resourceId": owner} if owner else {}}}


@pytest.mark.parametrize(
    ("api", "apps", "reserved_by", "want"),
    [
        (None, _record(CLUSTER_ID), "", ["*.apps.c1"]),
        (None, _record(), CLUSTER_ID, ["*.apps.c1"]),
        (None, _record(), "", []),
        (None, _record(), "/other", []),
        (None, _record("/other"), CLUSTER_ID, []),
        (_record(CLUSTER_ID), None, CLUSTER_ID, ["api.c1"]),
        (_record(CLUSTER_ID), _record(), "", ["*.apps.c1", "api.c1"]),
        (_record("/other"), _record(CLUSTER_ID), "", ["*.apps.c1"]),
        (_record("/other"), _record(), CLUSTER_ID, []),
    ],
    ids=[
        "the owner's record was removed by hand",
        "so it was, and an earlier release wrote the other one",
        "so it was, and nobody has the domain",
        "so it was, and another cluster has the domain",
        "so it was, and the other one is another cluster's",
        "the other one was removed by hand",
        "an earlier release wrote both",
        "another cluster took the name of the API server by hand",
        "another cluster has both",
    ],
)
def test_each_record_is_looked_for_by_itself(
    deleting: World, api: Any, apps: Any, reserved_by: str, want: list[str]
) -> None:
    """A record that stays in the zone points to an address that somebody else may get."""
    found = {"api.c1": api, "*.apps.c1": apps}
    deleting.azure.resources |= {f"{ZONE}/{name}": record for name, record in found.items() if record}
    if reserved_by:
        claim = {"id": "c1.eastus.aroapp.io", "openShiftClusterKey": reserved_by.lower(), "clusterDocumentId": "x"}
        claim["reservedAt"] = "2026-03-01T09:00:00+00:00"
        deleting.cosmos["Domains"].create_item(claim)
    assert call("delete_dns") == DONE
    assert call("delete_dns") == DONE
    assert [unquote(one) for one in deleting.azure.changes()] == [f"DELETE A/{name}" for name in want]


def test_a_record_of_another_cluster_stays(deleting: World) -> None:
    """A create that lost the race for a domain deletes nothing of the winner's."""
    deleting.azure.resources[f"{ZONE}/api.c1"] = {"properties": {"metadata": {"resourceId": "/other"}}}
    assert call("delete_dns") == DONE
    assert deleting.azure.changes() == []


def test_the_resource_group_is_deleted_once_and_awaited(deleting: World) -> None:
    """A second delivery finds it on its way."""
    group(deleting)

    def begin(_request: Any) -> Any:
        group(deleting, state="Deleting")
        return 202, None, {"Location": "https://management.azure.com/operationresults/1"}

    deleting.azure.on("DELETE", "/resourcegroups/aro-c1$", begin)
    assert call("delete_resource_group")["outcome"] == "wait"
    assert call("delete_resource_group")["outcome"] == "wait"
    assert call("delete_resource_group", "status")["outcome"] == "wait"
    del deleting.azure.resources[GROUP]
    assert call("delete_resource_group", "status") == DONE
    assert deleting.azure.changes() == ["DELETE resourcegroups/aro-c1"]


@pytest.mark.parametrize("managed_by", ["", "/subscriptions/x/other"], ids=["nobody", "another"])
def test_a_foreign_group_is_never_deleted(deleting: World, managed_by: str) -> None:
    """The create failed because the group existed; its owner keeps it."""
    group(deleting, managed_by)
    assert call("delete_resource_group") == DONE
    assert call("delete_resource_group", "status") == DONE
    assert deleting.azure.changes() == []


def test_a_group_that_is_locked_says_so(deleting: World) -> None:
    """The customer has to remove the lock."""
    group(deleting)
    deleting.azure.fails("DELETE", "/resourcegroups/aro-c1$", 409, "ScopeLocked", "The scope is locked: lock-1.")
    outcome = call("delete_resource_group")
    assert (outcome["error"]["code"], outcome["retryClass"]) == ("ScopeLocked", "none")
    assert "lock-1" in outcome["error"]["message"]


def test_a_group_that_azure_did_not_delete_is_tried_again(deleting: World) -> None:
    """ARM gives up and the group is as before."""
    group(deleting)
    assert call("delete_resource_group", "status")["retryClass"] == "given-up"


def test_a_group_that_we_may_not_see_any_more_is_let_go(deleting: World) -> None:
    """The customer took our access away."""
    deleting.azure.fails("GET", "/resourcegroups/aro-c1$", 403, "AuthorizationFailed")
    assert call("delete_resource_group") == DONE


def test_subnets_let_go_of_our_groups_and_keep_others(deleting: World) -> None:
    """This includes a subnet to which the customer attached one of our groups."""
    groups = f"{CLUSTER_GROUP}/providers/Microsoft.Network/networkSecurityGroups"
    for name, attached in (("master", f"{groups}/a"), ("worker", "/foreign"), ("extra", f"{groups}/b")):
        deleting.azure.resources[f"{NETWORK}/subnets/{name}".lower()] = {
            "properties": {"provisioningState": "Succeeded", "networkSecurityGroup": {"id": attached}}
        }
    listed = {"value": [{"id": f"{groups}/b", "properties": {"subnets": [{"id": f"{NETWORK}/subnets/extra"}]}}]}
    deleting.azure.on("GET", "/networkSecurityGroups$", lambda _request: (200, listed, {}))
    assert call("detach_nsgs")["outcome"] == "wait"
    assert call("detach_nsgs")["outcome"] == "wait"
    assert call("detach_nsgs") == DONE
    assert deleting.azure.changes() == ["PUT subnets/master", "PUT subnets/extra"]
    assert "networkSecurityGroup" not in deleting.azure.resources[f"{NETWORK}/subnets/master".lower()]["properties"]


@pytest.mark.parametrize(("status", "code"), [(403, "AuthorizationFailed"), (404, "ResourceGroupNotFound")])
def test_a_group_that_goes_while_we_delete_it_is_let_go(deleting: World, status: int, code: str) -> None:
    """Somebody else deleted it, or closed it to us, between our check and our request."""
    group(deleting)

    def refuse(_request: Any) -> Any:
        deleting.azure.fails("GET", "/resourcegroups/aro-c1$", status, code)
        return status, {"error": {"code": code, "message": "It failed."}}, {}

    deleting.azure.on("DELETE", "/resourcegroups/aro-c1$", refuse)
    assert call("delete_resource_group") == DONE


def test_a_group_that_stays_although_we_may_not_delete_it_stops_the_delete(deleting: World) -> None:
    """A delete that reports success and leaves the machines costs the customer money."""
    group(deleting)
    deleting.azure.fails("DELETE", "/resourcegroups/aro-c1$", 403, "AuthorizationFailed")
    failed = call("delete_resource_group")
    assert (failed["outcome"], failed["error"]["details"][0]["code"]) == ("failed", "AuthorizationFailed")


def test_a_group_that_is_closed_to_us_while_it_goes_is_let_go(deleting: World) -> None:
    """Nothing more can be found out about it."""
    deleting.azure.fails("GET", "/resourcegroups/aro-c1$", 403, "AuthorizationFailed")
    assert call("delete_resource_group", "status") == DONE


def test_subnets_are_let_go_when_all_is_closed_to_us(deleting: World) -> None:
    """The customer removed our access to network and group, so nothing there is ours to delete."""
    deleting.azure.fails("GET", "/virtualNetworks/", 403, "AuthorizationFailed")
    deleting.azure.fails("GET", "/networkSecurityGroups$", 403, "AuthorizationFailed")
    assert call("detach_nsgs") == DONE


def test_subnets_that_alone_are_closed_to_us_stop_the_delete(deleting: World) -> None:
    """They still use the group's network security groups. A role that is spreading is waited for."""
    deleting.azure.fails("GET", "/virtualNetworks/", 403, "AuthorizationFailed")
    deleting.azure.on("GET", "/networkSecurityGroups$", lambda _request: (200, {"value": []}, {}))
    outcome = call("detach_nsgs")
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "authorization")
    assert "/virtualNetworks/vnet/subnets/master" in str(outcome["error"])


def test_a_network_that_goes_while_we_let_go_of_it_is_no_obstacle(deleting: World) -> None:
    """Its owner deleted it before our request."""
    attached = f"{CLUSTER_GROUP}/providers/Microsoft.Network/networkSecurityGroups/a"
    deleting.azure.resources[f"{NETWORK}/subnets/master".lower()] = {
        "properties": {"provisioningState": "Succeeded", "networkSecurityGroup": {"id": attached}}
    }
    deleting.azure.fails("PUT", "/subnets/master$", 404, "ParentResourceNotFound")
    assert call("detach_nsgs") == DONE


def test_a_lock_on_the_network_says_so(deleting: World) -> None:
    """In Azure's words, which name the lock."""
    attached = f"{CLUSTER_GROUP}/providers/Microsoft.Network/networkSecurityGroups/a"
    deleting.azure.resources[f"{NETWORK}/subnets/master".lower()] = {
        "properties": {"provisioningState": "Succeeded", "networkSecurityGroup": {"id": attached}}
    }
    deleting.azure.fails("PUT", "/subnets/master$", 409, "ScopeLocked", "The scope is locked: lock-1.")
    outcome = call("detach_nsgs")
    assert (outcome["error"]["code"], outcome["retryClass"]) == ("ScopeLocked", "none")
    assert "lock-1" in outcome["error"]["message"]


def test_a_private_endpoint_on_its_way_out_is_awaited(deleting: World) -> None:
    """A second delivery deletes nothing twice."""
    endpoint = f"{RP}/rp/providers/microsoft.network/privateendpoints/rp-pe-doc-1"
    deleting.azure.resources[endpoint] = {"properties": {"provisioningState": "Deleting"}}
    assert call("delete_private_endpoint")["outcome"] == "wait"
    del deleting.azure.resources[endpoint]
    assert call("delete_private_endpoint", "status") == DONE
    assert deleting.azure.changes() == []


def test_a_token_that_goes_while_we_delete_it_is_let_go(deleting: World) -> None:
    """So is a token whose registry is gone."""
    deleting.properties["registryProfiles"] = [{"name": "r", "username": "t1"}]
    token = f"{RP}/global/providers/microsoft.containerregistry/registries/arosvc/tokens/t1"
    deleting.azure.resources[token] = {"properties": {"provisioningState": "Succeeded"}}
    deleting.azure.fails("DELETE", "/tokens/t1$", 404, "ParentResourceNotFound")
    assert call("delete_acr_token")["outcome"] == "wait"
    del deleting.azure.resources[token]
    assert call("delete_acr_token") == DONE


def test_the_registry_token_is_deleted_and_awaited(deleting: World) -> None:
    """The document has its name, whether or not it was made."""
    deleting.properties["registryProfiles"] = [{"name": "r", "username": "t1"}, {"name": "r", "username": "t2"}]
    token = f"{RP}/global/providers/microsoft.containerregistry/registries/arosvc/tokens/t2"
    deleting.azure.resources[token] = {"properties": {"provisioningState": "Succeeded"}}
    assert call("delete_acr_token")["outcome"] == "wait"
    assert call("delete_acr_token") == DONE
    assert deleting.azure.changes() == ["DELETE tokens/t2"]


def test_every_secret_goes(deleting: World) -> None:
    """Those of the request included."""
    call("ensure_cluster_secrets")
    assert call("delete_secrets") == DONE
    assert call("delete_secrets") == DONE
    assert deleting.vault("rp-cls").versions == {}


def test_billing_ends_once_and_its_record_stays(deleting: World) -> None:
    """The second run keeps the first run's time."""
    deleting.cosmos["Billing"].create_item({"id": "doc-1", "billing": {"creationTime": 1}})
    assert call("end_billing") == DONE
    first = deleting.cosmos["Billing"].documents["doc-1", "doc-1"]["billing"]["deletionTime"]
    assert call("end_billing") == DONE
    assert deleting.cosmos["Billing"].documents["doc-1", "doc-1"]["billing"]["deletionTime"] == first


def test_the_steps_of_dead_attempts_end_with_a_delete(deleting: World) -> None:
    """As with every operation."""
    item = {"id": "a-0", "operationId": "op", "step": "a", "attempt": 0, "status": "Running", "startTime": BEGAN}
    deleting.cosmos["OperationProgress"].upsert_item(item | {"lastProgressTime": BEGAN})
    assert control("finish_delete", step="finish") == DONE
    assert deleting.cosmos["OperationProgress"].documents["op", "a-0"]["status"] == "Canceled"


@pytest.mark.parametrize(
    ("key", "want_left"),
    [pytest.param(CLUSTER_ID.lower(), 0, id="its own"), pytest.param("/another", 1, id="another cluster's")],
)
def test_a_delete_frees_the_clusters_domain(deleting: World, key: str, want_left: int) -> None:
    """The domain is freed before the cluster is removed, so that anybody who sees it gone can have the domain."""
    domain = "c1.eastus.aroapp.io"
    deleting.cosmos["Domains"].create_item(
        {"id": domain, "openShiftClusterKey": key, "clusterDocumentId": "doc-1", "reservedAt": "2026-03-01T00:00:00Z"}
    )
    assert control("finish_delete", step="finish") == DONE
    assert len(deleting.cosmos["Domains"].documents) == want_left


def test_a_delete_ends_without_a_snapshot_and_without_a_cluster(deleting: World) -> None:
    """The missing snapshot marks the result as that of a delete."""
    assert control("finish_delete", step="finish") == DONE
    assert control("finish_delete", step="finish") == DONE
    assert deleting.operation["asyncOperation"]["status"] == "Succeeded"
    assert "openShiftCluster" not in deleting.operation
    assert deleting.cosmos["OpenShiftClusters"].documents == {}
