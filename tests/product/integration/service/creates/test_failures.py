"""A failed create says what failed, why, and what to do; after that is done, the same PUT creates the cluster."""

import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient

from demo.customer import assign_roles, create_network, register_provider
from shared.json_object import Json
from tests.conftest import SEED
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, fault, prepare, with_principal

pytestmark = pytest.mark.slow(30)

WRONG_SECRET = "wrong~secret~of~nobody"  # noqa: S105 - no application has this secret


@dataclass(frozen=True)
class Mistake:
    """A mistake that customers make.

    Args:
        step: the step that finds it.
        code: code of the error.
        says: further texts of the error, with names of the cluster in braces.
        make: makes the mistake.
        mend: corrects the mistake; returns the cluster to continue with.
    """

    step: str
    code: str
    says: tuple[str, ...]
    make: Callable[[Cluster], Cluster]
    mend: Callable[[Cluster], Cluster]


def _without_role(cluster: Cluster, *object_ids: str) -> Cluster:
    customer = cluster.customer
    register_provider(customer, lambda: None)
    create_network(customer)
    assign_roles(customer, list(object_ids))
    return cluster


def _object_ids(cluster: Cluster) -> list[str]:
    return [cluster.azure.endpoints["rp_object_id"], cluster.customer.principal["object_id"]]


def _grant(cluster: Cluster) -> Cluster:
    assign_roles(cluster.customer, _object_ids(cluster))
    return cluster


def _groups(cluster: Cluster) -> Any:
    return cluster.customer.client(ResourceManagementClient).resource_groups


def _taken_group(cluster: Cluster) -> Cluster:
    _without_role(cluster, *_object_ids(cluster))
    _groups(cluster).create_or_update(f"aro-{cluster.customer.cluster}", {"location": "eastus"})
    return cluster


def _free_group(cluster: Cluster) -> Cluster:
    _groups(cluster).begin_delete(f"aro-{cluster.customer.cluster}").result()
    return cluster


def _set_foreign_group(cluster: Cluster, *, attached: bool) -> Cluster:
    """Attach a network security group of the customer to the master subnet, or detach it."""
    customer = cluster.customer
    network, vnet = customer.client(NetworkManagementClient), customer.vnet_id.rsplit("/", 1)[1]
    wish: Any = {"location": "eastus"}
    own = network.network_security_groups.begin_create_or_update(customer.group, "own-nsg", wish).result()
    subnet = network.subnets.get(customer.group, vnet, "master")
    subnet.network_security_group = own if attached else None
    network.subnets.begin_create_or_update(customer.group, vnet, "master", subnet).result()
    return cluster


MISTAKES = {
    "the cluster's principal has no role": Mistake(
        step="validate_service_principal_permissions",
        code="InvalidServicePrincipalPermissions",
        says=("subnets/join/action", "{vnet_id}", "az role assignment create", "Network Contributor"),
        make=lambda cluster: _without_role(cluster, cluster.azure.endpoints["rp_object_id"]),
        mend=_grant,
    ),
    "the resource provider has no role": Mistake(
        step="validate_resource_provider_permissions",
        code="InvalidResourceProviderPermissions",
        says=("subnets/write", "{vnet_id}", "az role assignment create", "Network Contributor"),
        make=lambda cluster: _without_role(cluster, cluster.customer.principal["object_id"]),
        mend=_grant,
    ),
    "the group exists and is the customer's own": Mistake(
        step="ensure_resource_group",
        code="ClusterResourceGroupAlreadyExists",
        says=("aro-{cluster}", "properties.clusterProfile.resourceGroupId"),
        make=_taken_group,
        mend=_free_group,
    ),
    "a subnet has another network security group": Mistake(
        step="validate_network",
        code="InvalidLinkedVNet",
        says=("own-nsg", "{vnet_id}/subnets/master", "properties.masterProfile.subnetId"),
        make=lambda cluster: _set_foreign_group(_without_role(cluster, *_object_ids(cluster)), attached=True),
        mend=lambda cluster: _set_foreign_group(cluster, attached=False),
    ),
}


def _expect_explained(error: Json, step: str, code: str, correlation_id: str) -> None:
    """Check that an error names everything that a person needs to continue."""
    assert error["code"] == code
    details = {each["code"]: each["message"] for each in error["details"]}
    assert details["Step"] == step
    assert step in error["message"]
    assert details["Remedy"]
    assert details["CorrelationId"] == correlation_id
    assert details["Owner"] in ("customer", "azure", "platform")


@pytest.fixture(scope="session")
def failed(azure: LocalAzure, worker_id: str) -> dict[str, tuple[Cluster, str]]:
    """Give each mistake's cluster and operation. All are started at once, because some take a while."""
    numbers = random.Random(f"{os.environ[SEED]}/{__name__}/{worker_id}")  # noqa: S311 - for repeatable tests
    clusters = [Cluster(azure, azure.customer(unique(numbers, "f"))) for _ in MISTAKES]
    with ThreadPoolExecutor(len(clusters)) as pool:
        made = list(pool.map(lambda pair: pair[0].make(pair[1]), zip(MISTAKES.values(), clusters, strict=True)))
    return {name: (cluster, cluster.create()) for name, cluster in zip(MISTAKES, made, strict=True)}


# The other mistakes are reported and corrected in the same ways.
THOROUGH = ("the resource provider has no role", "a subnet has another network security group")


@pytest.mark.xdist_group("mistakes")
@pytest.mark.parametrize(
    "mistake", [pytest.param(name, marks=pytest.mark.thorough) if name in THOROUGH else name for name in MISTAKES]
)
def test_a_create_explains_its_failure_and_is_resumed_after(
    failed: dict[str, tuple[Cluster, str]], mistake: str
) -> None:
    """The error names step, resource, cause, remedy and correlation id; after the correction, an equal PUT succeeds."""
    cluster, operation_id = failed[mistake]
    expected = MISTAKES[mistake]
    error = cluster.fail(operation_id)
    report = cluster.report(operation_id)
    _expect_explained(error, expected.step, expected.code, report["correlationId"])
    for text in expected.says:
        names = {"vnet_id": cluster.customer.vnet_id, "cluster": cluster.customer.cluster}
        assert text.format(**names).lower() in str(error).lower()
    assert cluster.send("GET").json()["properties"]["provisioningState"] == "Failed"
    with taken(cluster.azure.state) as inventory:
        done = {name for name, item in inventory.steps(operation_id).items() if item["status"] == "Succeeded"}
    assert done

    resumed = expected.mend(cluster).create()
    cluster.succeed(resumed)
    with taken(cluster.azure.state) as inventory:
        again = set(inventory.steps(resumed)) & done
    # Until a graph carries the token's password, each attempt makes a new one.
    assert again <= {"finish", "ensure_acr_token"}
    cluster.expect_one_of_each(resumed, versions=2)
    cluster.succeed(cluster.delete())


def test_a_wrong_client_secret_fails_the_create_and_the_cluster_can_be_deleted(
    azure: LocalAzure, rng: random.Random
) -> None:
    """The error quotes Entra ID but not the secret, and the customer's subscription has nothing of the cluster."""
    (good,) = prepare(azure, unique(rng))
    cluster = with_principal(good, client_secret=WRONG_SECRET)
    operation_id = cluster.create()
    error = cluster.fail(operation_id)
    code = "InvalidServicePrincipalCredentials"
    _expect_explained(error, "validate_service_principal", code, cluster.report(operation_id)["correlationId"])
    assert "AADSTS7000215" in str(error)
    assert WRONG_SECRET not in str(error)
    with taken(azure.state) as inventory:
        assert inventory.groups(cluster.customer) == []
    refused = good.send("PUT", body=good.body)
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "RequestNotAllowed"
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)
    # Its name is free again.
    good.create()
    good.succeed(good.delete())


@pytest.mark.thorough
def test_an_authority_that_refuses_a_certificate_is_quoted_and_asked_again(
    own_azure: LocalAzure, rng: random.Random
) -> None:
    """The error quotes the authority. A repeated PUT orders again, and retries by itself if the authority allows it."""
    (cluster,) = prepare(own_azure, unique(rng))
    said = "The CAA record of the domain forbids it"
    with fault(own_azure, service="keyvault", operation="issue .*", code="Request rejected", message=f"{said}."):
        operation_id = cluster.create()
        error = cluster.fail(operation_id)
    details = {each["code"]: each["message"] for each in error["details"]}
    assert details["Step"] in ("create_api_server_certificate", "create_ingress_certificate")
    _expect_explained(error, details["Step"], "DeploymentFailed", cluster.report(operation_id)["correlationId"])
    assert details["Request rejected"] == said
    assert said in error["message"]
    with fault(own_azure, service="keyvault", operation="issue .*", code="FailedCanRetry", message="Busy."):
        again = cluster.create()
        cluster.succeed(again)
    cluster.expect_one_of_each(again, versions=3)
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)


def test_a_failed_deployment_names_the_resource_and_its_cause(own_azure: LocalAzure, rng: random.Random) -> None:
    """The error quotes what Azure said about the resource; a repeated PUT deploys it again."""
    (cluster,) = prepare(own_azure, unique(rng))
    cause = {"code": "RequestDisallowedByPolicy", "message": "Policy 'no-storage' forbids this account."}
    with fault(own_azure, service="arm", operation="PUT Microsoft.Storage/storageAccounts", status_code=403, **cause):
        operation_id = cluster.create()
        error = cluster.fail(operation_id)
    correlation_id = cluster.report(operation_id)["correlationId"]
    _expect_explained(error, "deploy_storage_template", "RequestDisallowedByPolicy", correlation_id)
    assert "Policy 'no-storage' forbids this account." in error["message"]
    assert "/providers/Microsoft.Storage/storageAccounts/cluster" in str(error["details"])
    resumed = cluster.create()
    cluster.succeed(resumed)
    # If no graph carries the registry's password yet, a resume rotates it.
    cluster.expect_one_of_each(resumed, versions=2)


def test_a_policy_that_refuses_a_resource_is_named_with_the_way_out(own_azure: LocalAzure, rng: random.Random) -> None:
    """Azure refuses the whole deployment; the error has the policy, the resource, and what its owner can do."""
    (cluster,) = prepare(own_azure, unique(rng))
    authorization = f"/subscriptions/{cluster.customer.subscription_id}/providers/Microsoft.Authorization"
    definition = f"{authorization}/policyDefinitions/no-storage-{cluster.customer.cluster}"
    assignment = f"{authorization}/policyAssignments/{cluster.customer.cluster}"
    theirs = [
        {"field": "type", "equals": "Microsoft.Storage/storageAccounts"},
        {"field": "id", "like": f"*/resourceGroups/aro-{cluster.customer.cluster}/*"},
    ]
    rule = {"policyRule": {"if": {"allOf": theirs}, "then": {"effect": "deny"}}, "displayName": "No storage accounts"}
    version = "?api-version=2023-04-01"
    assert cluster.send("PUT", definition + version, {"properties": rule}).status_code == 201
    wanted = {"policyDefinitionId": definition, "displayName": "House rule"}
    assert cluster.send("PUT", assignment + version, {"properties": wanted}).status_code == 201
    operation_id = cluster.create()
    error = cluster.fail(operation_id)
    correlation_id = cluster.report(operation_id)["correlationId"]
    _expect_explained(error, "deploy_storage_template", "RequestDisallowedByPolicy", correlation_id)
    for text in ("House rule", "No storage accounts", assignment, definition, "az policy exemption create"):
        assert text.lower() in error["message"].lower(), error["message"]
    cluster.succeed(cluster.delete())


@pytest.mark.thorough
def test_a_wait_that_ends_says_what_it_waited_for_and_what_it_saw(own_azure: LocalAzure, rng: random.Random) -> None:
    """The error names the step, its deadline, what it waited for, and what it saw last. A DELETE removes everything."""
    (cluster,) = prepare(own_azure, unique(rng))
    never = {"service": "blobs", "operation": "get container properties .*", "status_code": 403, "count": 100_000}
    with fault(own_azure, code="AuthorizationFailure", **never):
        operation_id = cluster.create()
        error = cluster.fail(operation_id)
    correlation_id = cluster.report(operation_id)["correlationId"]
    _expect_explained(error, "storage_containers_ready", "DeploymentFailed", correlation_id)
    assert "did not end within 60 seconds" in error["message"]
    assert "It waited for the blob containers to answer" in error["message"]
    assert "container 'ignition'" in error["message"]
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)
