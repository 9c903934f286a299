"""Each row of create, run twice with one effect, and what it refuses."""

import json
from typing import Any
from unittest.mock import Mock

import pytest
from azure.core.exceptions import ServiceResponseError
from cryptography.hazmat.primitives.asymmetric import rsa

from shared.clusters.secrets import Purpose
from tests.product.unit.activities.calls import DONE, call, control, error_of, twice
from tests.product.unit.azure_fake import Request
from tests.product.unit.product_world import CLUSTER_GROUP, CLUSTER_ID, CUSTOMER, NETWORK, World

RP = "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourcegroups"
API_RECORD = f"{RP}/rp/providers/microsoft.network/dnszones/eastus.aroapp.io/a/api.c1"
TOKENS = f"{RP}/global/providers/microsoft.containerregistry/registries/arosvc/tokens"


def test_names_are_decided_once(accepted: World) -> None:
    """The second run reads back what the first decided."""
    call("decide_names")
    first = accepted.properties["infraId"], accepted.properties["storageSuffix"]
    call("decide_names")
    assert (accepted.properties["infraId"], accepted.properties["storageSuffix"]) == first
    assert first[0].startswith("c1-")
    assert accepted.cluster["writtenByANewerBuild"] == {"deep": True}


def test_secrets_are_made_once_and_stand_in_the_vault_alone(accepted: World) -> None:
    """The document holds a versioned id; nothing else refers to it."""
    twice("ensure_cluster_secrets")
    versions = accepted.vault("rp-cls").versions["doc-1-install"]
    assert len(versions) == 1
    assert "BEGIN RSA PRIVATE KEY" in json.loads(versions[0])["sshKey"]
    assert accepted.cluster["secrets"]["install"].endswith("/doc-1-install/1")
    assert "PRIVATE KEY" not in json.dumps([container.writes for container in accepted.cosmos.values()])


def test_a_secret_whose_answer_was_lost_is_not_stored_again(accepted: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outage of the vault would leave a version for each call of the row. Nor is another one made."""
    vault = accepted.vault("rp-cls")
    put, made = vault.set_secret, Mock(wraps=rsa.generate_private_key)
    monkeypatch.setattr(rsa, "generate_private_key", made)

    def lose(*args: Any, **kwargs: Any) -> Any:
        put(*args, **kwargs)
        raise ServiceResponseError("the connection was closed")

    monkeypatch.setattr(vault, "set_secret", lose)
    assert call("ensure_cluster_secrets")["outcome"] != "done"
    assert call("ensure_cluster_secrets", polls=1) == DONE
    assert len(vault.versions["doc-1-install"]) == 1
    made.assert_called_once()
    assert accepted.cluster["secrets"]["install"].endswith("/doc-1-install/1")


def test_the_resource_group_is_made_once_and_managed_by_the_cluster(accepted: World) -> None:
    """Location, managedBy and tags; the second run sends nothing."""
    twice("ensure_resource_group")
    group = accepted.azure.resources[CLUSTER_GROUP.lower()]
    assert (group["managedBy"], group["location"], group["tags"]) == (CLUSTER_ID, "eastus", {"team": "a"})
    assert accepted.azure.changes() == ["PUT resourcegroups/aro-c1"]


def test_an_update_keeps_the_tags_of_the_group_in_step(accepted: World) -> None:
    """What the service has set and the cluster has no more goes; what somebody else has put there stays."""
    accepted.cluster["openShiftCluster"]["tags"] = {"Team": "a", "old": "1"}
    call("ensure_resource_group")
    group = accepted.azure.resources[CLUSTER_GROUP.lower()]
    group["tags"] |= {"costs": "4711", "OLD": group["tags"].pop("old")}
    accepted.cluster["openShiftCluster"]["tags"] = {"team": "b", "new": ""}
    twice("update_group_tags")
    assert accepted.azure.resources[CLUSTER_GROUP.lower()]["tags"] == {"team": "b", "new": "", "costs": "4711"}
    assert accepted.azure.changes() == ["PUT resourcegroups/aro-c1"] * 2
    accepted.cluster["openShiftCluster"]["tags"] = {}
    twice("update_group_tags")
    assert accepted.azure.resources[CLUSTER_GROUP.lower()]["tags"] == {"costs": "4711"}


def test_an_update_leaves_the_tags_of_a_group_that_is_not_the_clusters_alone(accepted: World) -> None:
    """Other rows report what has become of it."""
    call("update_group_tags")
    accepted.azure.resources[CLUSTER_GROUP.lower()] = {"location": "eastus", "tags": {"a": "b"}}
    call("update_group_tags")
    assert accepted.azure.changes() == []


@pytest.mark.parametrize("group_location", ["East US", "EASTUS"])
def test_a_location_is_the_same_however_it_is_written(accepted: World, group_location: str) -> None:
    """ARM ignores case and spaces."""
    accepted.azure.resources[CLUSTER_GROUP.lower()] = {
        "location": group_location,
        "managedBy": CLUSTER_ID,
        "tags": {"team": "a"},
    }
    assert call("ensure_resource_group") == DONE
    assert accepted.azure.changes() == []


@pytest.mark.parametrize(
    "existing",
    [
        {"location": "eastus"},
        {"location": "eastus", "managedBy": "/x"},
        {"location": "westus", "managedBy": CLUSTER_ID},
    ],
    ids=["managed by nobody", "managed by another", "elsewhere"],
)
def test_a_group_that_is_not_the_clusters_is_refused(accepted: World, existing: dict[str, str]) -> None:
    """The error names it, and nothing is sent."""
    accepted.azure.resources[CLUSTER_GROUP.lower()] = existing
    error = error_of(call("ensure_resource_group"))
    assert error["code"] == "ClusterResourceGroupAlreadyExists"
    assert error["target"] == "properties.clusterProfile.resourceGroupId"
    assert accepted.azure.changes() == []


def test_a_group_of_a_former_cluster_is_waited_for_until_it_is_gone(accepted: World) -> None:
    """Azure deletes it for minutes; meanwhile nothing is sent, and then the group is made again."""
    former = {"location": "eastus", "managedBy": CLUSTER_ID, "properties": {"provisioningState": "Deleting"}}
    accepted.azure.resources[CLUSTER_GROUP.lower()] = former
    outcome = call("ensure_resource_group")
    assert (outcome["retryClass"], error_of(outcome)["code"]) == ("busy", "Conflict")
    assert "of a former cluster is being deleted" in error_of(outcome)["message"]
    assert accepted.azure.changes() == []
    del accepted.azure.resources[CLUSTER_GROUP.lower()]
    twice("ensure_resource_group")
    assert accepted.azure.changes() == ["PUT resourcegroups/aro-c1"]


def test_a_policy_that_refuses_the_group_is_named(accepted: World) -> None:
    """The policy's own text is the cause."""
    accepted.azure.fails(
        "PUT", "/resourcegroups/aro-c1$", 403, "RequestDisallowedByPolicy", "Policy 'no-tags' said no."
    )
    error = error_of(call("ensure_resource_group"))
    assert error["code"] == "RequestDisallowedByPolicy"
    assert error["details"][0] == {"code": "RequestDisallowedByPolicy", "message": "Policy 'no-tags' said no."}
    assert {"code": "AzureResource", "message": f"/subscriptions/{CUSTOMER}/resourcegroups/aro-c1"} in error["details"]


def test_the_domain_is_claimed_once(accepted: World) -> None:
    """A record with the cluster's id and no address."""
    twice("create_dns")
    record = accepted.azure.resources[API_RECORD]
    assert record["properties"]["metadata"] == {"resourceId": CLUSTER_ID}
    assert accepted.azure.changes() == ["PUT A/api.c1"]


def test_a_domain_of_another_cluster_is_refused(accepted: World) -> None:
    """The cluster that claimed it first keeps it."""
    accepted.azure.resources[API_RECORD] = {"properties": {"metadata": {"resourceId": "/other"}}}
    error = error_of(call("create_dns"))
    assert (error["code"], error["target"]) == ("DuplicateDomain", "properties.clusterProfile.domain")


def test_of_two_creates_that_race_for_a_domain_one_wins(accepted: World) -> None:
    """The record appears between the check and the claim."""

    def look(request: Request) -> Any:
        answer = accepted.azure._resource(request)
        accepted.azure.resources.setdefault(API_RECORD, {"properties": {"metadata": {"resourceId": "/other"}}})
        return answer

    accepted.azure.on("GET", "/A/api.c1$", look)
    assert error_of(call("create_dns"))["code"] == "DuplicateDomain"


def test_a_failure_in_the_services_own_subscription_is_the_platforms(accepted: World) -> None:
    """No customer can restore a role on the service's registry."""
    accepted.azure.fails("GET", "/registries/arosvc/tokens/", 403, "AuthorizationFailed")
    assert {"code": "Owner", "message": "platform"} in error_of(call("ensure_acr_token"))["details"]


def test_the_billing_record_is_made_once(accepted: World) -> None:
    """The time of the first run stays."""
    call("decide_names")
    twice("ensure_billing_record")
    (record,) = accepted.cosmos["Billing"].documents.values()
    assert record["id"] == "doc-1"
    assert record["billing"]["location"] == "eastus"
    assert len(accepted.cosmos["Billing"].writes) == 1


def subnets(world: World, **attached: str) -> None:
    """Let the customer's subnets exist."""
    for name in ("master", "worker"):
        group = {"networkSecurityGroup": {"id": attached[name]}} if name in attached else {}
        world.azure.resources[f"{NETWORK}/subnets/{name}".lower()] = {
            "name": name,
            "properties": {"addressPrefix": "10.0.0.0/24", "provisioningState": "Succeeded", "kept": 1} | group,
        }


def until_done(step: str) -> int:
    """Run a row until it is done, as the engine would, and count."""
    for count in range(1, 10):
        outcome = call(step)
        if outcome == DONE:
            return count
        assert outcome["outcome"] == "wait"
    raise AssertionError("it never ended")


def test_both_subnets_get_their_groups_one_after_the_other(accepted: World) -> None:
    """Other properties of the subnet stay, and subnets that are already right are left alone."""
    call("decide_names")
    subnets(accepted)
    assert until_done("attach_nsgs") == 3
    assert call("attach_nsgs") == DONE
    assert accepted.azure.changes() == ["PUT subnets/master", "PUT subnets/worker"]
    master = accepted.azure.resources[f"{NETWORK}/subnets/master".lower()]["properties"]
    infra_id = accepted.properties["infraId"]
    assert master["networkSecurityGroup"]["id"].endswith(f"/networkSecurityGroups/{infra_id}-controlplane-nsg")
    assert master["kept"] == 1


def test_a_subnet_that_azure_still_changes_is_waited_for(accepted: World) -> None:
    """It has its group only when Azure says so."""
    call("decide_names")
    subnets(accepted)
    until_done("attach_nsgs")
    master = accepted.azure.resources[f"{NETWORK}/subnets/master".lower()]["properties"]
    master["provisioningState"] = "Updating"
    outcome = call("attach_nsgs")
    assert (outcome["outcome"], outcome["message"]) == ("wait", "subnet master is Updating")
    master["provisioningState"] = "Succeeded"
    assert call("attach_nsgs") == DONE


def test_a_subnet_with_a_foreign_group_is_refused(accepted: World) -> None:
    """It is the customer's, and nothing is changed."""
    call("decide_names")
    subnets(accepted, worker="/subscriptions/x/foreign")
    call("attach_nsgs")
    error = error_of(call("attach_nsgs"))
    assert error["code"] == "InvalidLinkedVNet"
    assert error["target"] == 'properties.workerProfiles["worker"].subnetId'


def test_the_end_of_a_create_is_written_once(accepted: World) -> None:
    """Async operation first, then the cluster, which drops what belonged to the operation."""
    assert call("finish") == DONE
    assert call("finish") == DONE
    assert accepted.operation["asyncOperation"]["status"] == "Succeeded"
    assert accepted.operation["openShiftCluster"]["properties"]["provisioningState"] == "Succeeded"
    assert accepted.properties["provisioningState"] == "Succeeded"
    assert not {"asyncOperationId", "attempt", "correlationData", "stopping"} & accepted.cluster.keys()
    assert accepted.cluster["writtenByANewerBuild"] == {"deep": True}


def test_a_failed_create_says_so_in_both_documents(accepted: World) -> None:
    """The error stands on the operation, the state that failed on the cluster."""
    error = {"code": "DuplicateDomain", "message": "It is taken."}
    assert control("finish_operation", error=error) == DONE
    assert accepted.operation["asyncOperation"]["status"] == "Failed"
    assert accepted.operation["asyncOperation"]["error"] == error
    assert accepted.properties["provisioningState"] == "Failed"
    assert accepted.properties["failedProvisioningState"] == "Creating"


def test_the_steps_of_dead_attempts_end_with_the_operation(accepted: World) -> None:
    """Nothing else would end them. The step that writes the end is recorded by its own call."""
    for step, status, attempt in (("a", "Running", 0), ("b", "Succeeded", 0), ("c", "Running", 1)):
        item = {"id": f"{step}-{attempt}", "operationId": "op", "step": step, "attempt": attempt, "status": status}
        accepted.cosmos["OperationProgress"].upsert_item(item | {"startTime": "2026-03-01T09:00:00+00:00"})
    assert call("finish") == DONE
    found = {each["step"]: each["status"] for each in accepted.store.progress.list("op")}
    assert found == {"a": "Canceled", "b": "Succeeded", "c": "Canceled", "finish": "Succeeded"}


def test_an_end_that_crashed_between_its_two_writes_is_followed(accepted: World) -> None:
    """The next attempt succeeds, but the operation already says Failed, so the cluster follows it."""
    accepted.operation["asyncOperation"]["status"] = "Failed"
    assert call("finish") == DONE
    assert accepted.properties["provisioningState"] == "Failed"


def test_every_purpose_of_a_secret_is_known() -> None:
    """A delete removes everything that the plan writes."""
    principal = {"request", "install", "registry", "graph", "credentials"}
    assert principal | {"signing", "identity", "ignition", "adminsigner"} == set(Purpose)


def test_a_canceled_create_runs_no_further_row_and_leaves_a_failed_cluster_that_can_be_resumed(
    accepted: World,
) -> None:
    """The operation has ended as canceled, with what to do next, and nothing of the cancel is left."""
    accepted.cluster.update({"stopping": True, "canceling": True})
    assert call("ensure_resource_group")["outcome"] == "stopped"
    assert accepted.azure.changes() == []
    error = {"code": "OperationCanceled", "message": "Step 'ensure_resource_group' was stopped before it ended."}
    control("stop_operation", error=error, failedStep="ensure_resource_group")
    for _ in range(2):
        assert control("finish_operation", error=error) == DONE
    ended = accepted.operation["asyncOperation"]
    assert ended["status"] == "Canceled"
    assert "Repeat the request" in ended["error"]["details"][0]["message"]
    assert (accepted.properties["provisioningState"], accepted.properties["failedProvisioningState"]) == (
        "Failed",
        "Creating",
    )
    assert not {"asyncOperationId", "stopping", "canceling"} & accepted.cluster.keys()
