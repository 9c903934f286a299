"""An equal PUT resumes a failed create: it reuses what exists, or replaces all of it if that is too old."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.network import NetworkManagementClient

from shared.json_object import Json
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.forbidden_changes import Inside
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, fault, prepare

pytestmark = pytest.mark.slow

MACHINES = "/providers/Microsoft.Compute/virtualMachines/"


@pytest.fixture
def cluster(own_azure: LocalAzure, rng: random.Random) -> Cluster:
    """Give a cluster that does not exist yet."""
    return prepare(own_azure, unique(rng))[0]


def _document(cluster: Cluster) -> Json:
    with taken(cluster.azure.state) as inventory:
        found = inventory.cluster(cluster.customer)
    assert found is not None
    return found


def _change(cluster: Cluster, change: Callable[[Json], object]) -> None:
    """Change a cluster's document without the product."""
    with taken(cluster.azure.state) as inventory:
        document = _document(cluster)
        change(document)
        inventory.items("OpenShiftClusters").replace(document["id"], document, document["partitionKey"])


def _age(document: Json) -> None:
    """Make the install so old that its certificates do not last for another bootstrap."""
    began = (datetime.now(UTC) - timedelta(hours=21)).strftime("%Y-%m-%dT%H:%M:%SZ")
    document["openShiftCluster"]["properties"]["install"]["now"] = began


def _forget(document: Json) -> None:
    """Make the create one that failed at its end, so long ago that its operation has expired."""
    _age(document)
    document["openShiftCluster"]["properties"] |= {
        "provisioningState": "Failed",
        "failedProvisioningState": "Creating",
    }
    document["lastAsyncOperationId"] = str(uuid4())


def _machine_ids(cluster: Cluster) -> set[str]:
    """Return the `vmId` of each machine in the cluster's group; a replacement with the same name has another `vmId`."""
    group = f"/subscriptions/{cluster.customer.subscription_id}/resourceGroups/aro-{cluster.customer.cluster}"
    with taken(cluster.azure.state) as inventory:
        return {each["properties"]["vmId"] for each in inventory.resources(f"{group}{MACHINES}")}


def _expect_all_new(before: Json, after: Json) -> None:
    """Check that graph, keys and credentials are new, and that permanent decisions are unchanged."""
    for purpose in ("graph", "adminsigner", "credentials", "registry"):
        assert before["secrets"][purpose] != after["secrets"][purpose]
    old, new = (each["openShiftCluster"]["properties"] for each in (before, after))
    for name in ("infraId", "storageSuffix", "registryProfiles", "zones"):
        assert old[name] == new[name]
    assert set(new["install"]) == {"now", "oneBlob"}
    assert old["install"]["now"] != new["install"]["now"]


def test_a_bootstrap_that_is_too_old_is_made_anew(cluster: Cluster) -> None:
    """The resume makes another graph, and repeats only the rows that depend on it."""
    refused: Json = {"service": "arm", "operation": "PUT Microsoft.Resources/deployments", "status_code": 400}
    with fault(cluster.azure, step="deploy_machines_template", code="InvalidTemplate", **refused):
        cluster.fail(cluster.create())
    _change(cluster, _age)
    before = _document(cluster)
    resumed = cluster.create()
    assert _document(cluster)["openShiftCluster"]["properties"]["install"]["beginsAgain"]
    cluster.succeed(resumed)
    with taken(cluster.azure.state) as inventory:
        steps = inventory.steps(resumed)
    assert {"remove_expired_machines", "ensure_graph", "deploy_machines_template"} <= set(steps)
    assert not {"decide_names", "decide_zones", "create_dns"} & set(steps)
    _expect_all_new(before, _document(cluster))
    cluster.expect_one_of_each(resumed, versions=2)
    _expect_closed_group(cluster)


def _expect_closed_group(cluster: Cluster) -> None:
    """Check that the cluster's principal may write to its group, and that the subscription's owner may only read it."""
    inside = Inside(cluster)
    name = f"{inside.infra_id}-node-nsg"
    wish: Any = {"location": "eastus"}
    owners, own = (
        client(NetworkManagementClient).network_security_groups for client in (cluster.customer.client, inside.client)
    )
    assert owners.get(inside.group, name).name == name
    with pytest.raises(HttpResponseError, match="DenyAssignmentAuthorizationFailed"):
        owners.begin_create_or_update(inside.group, name, wish)
    group: Any = own.get(inside.group, name)
    own.begin_create_or_update(inside.group, name, group).result()


@pytest.mark.thorough
def test_a_policy_that_refuses_the_group_is_named_and_the_create_goes_on_without_it(cluster: Cluster) -> None:
    """The error names assignment, definition and the way out. Setting tags on the cluster would also tag its group."""
    subscription = f"/subscriptions/{cluster.customer.subscription_id}"
    assignment = f"{subscription}/providers/Microsoft.Authorization/policyAssignments/tags"
    definition = "/providers/Microsoft.Authorization/policyDefinitions/96670d01-0a4d-4649-9c89-2d3abc0a5025"
    wanted = {"policyDefinitionId": definition, "parameters": {"tagName": {"value": "costCenter"}}}
    path = f"{assignment}?api-version=2022-06-01"
    assert cluster.send("PUT", path, {"properties": wanted | {"displayName": "House rule"}}).status_code == 201
    try:
        error = cluster.fail(cluster.create())
    finally:
        assert cluster.send("DELETE", path).status_code == 200
    assert error["code"] == "RequestDisallowedByPolicy"
    for text in ("House rule", assignment, definition, "az policy exemption create"):
        assert text.lower() in error["message"].lower()
    assert {"code": "Step", "message": "ensure_resource_group", "target": "bootstrap"} in error["details"]
    resumed = cluster.create()
    cluster.succeed(resumed)
    cluster.expect_one_of_each(resumed, versions=2)


@pytest.mark.thorough
def test_a_create_that_nobody_remembers_is_made_anew_with_other_machines(own_cluster: Cluster) -> None:
    """Masters and workers still exist; the bootstrap machine, its interface and its ignition are already gone."""
    cluster = own_cluster
    machines = _machine_ids(cluster)
    _change(cluster, _forget)
    before = _document(cluster)
    resumed = cluster.create()
    cluster.succeed(resumed)
    assert not machines & _machine_ids(cluster)
    _expect_all_new(before, _document(cluster))
    cluster.expect_one_of_each(resumed, versions=2)


@pytest.mark.thorough
def test_a_machine_that_did_not_boot_is_replaced_by_a_resume(cluster: Cluster) -> None:
    """Azure has given up on that machine; those that booted stay as they are."""
    name = rf"boot {cluster.customer.cluster}-.....-master-1"
    with fault(cluster.azure, service="machines", operation=name, message="no init found"):
        cluster.fail(cluster.create())
    before = _machine_ids(cluster)
    resumed = cluster.create()
    cluster.succeed(resumed)
    # The bootstrap machine is gone, three workers are new, and so is one of the masters.
    assert len(before & _machine_ids(cluster)) == 2
    cluster.expect_one_of_each(resumed, versions=2)
