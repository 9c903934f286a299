"""A cluster without a secret: its operators sign in with the tokens of their own service accounts."""

import json
import random
import time
from pathlib import Path

import pytest
from azure.mgmt.resource.resources import ResourceManagementClient

from demo.customer import register_provider
from shared.json_object import Json
from tests.examples import example
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.identities import Identities
from tests.product.integration.service.identity_changes import ADDED, SUCCESSOR, add_one, replace_one, trusted
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster

pytestmark = pytest.mark.slow(90)

TEMPLATE, LOST = "2025-07-25/template-workload-identity.json", "machine-api"


def test_a_cluster_with_identities_is_created_and_changed_and_its_delete_leaves_the_identities_alone(
    azure: LocalAzure, rng: random.Random, tmp_path: Path
) -> None:
    """Each operator's identity trusts the cluster's tokens while the cluster lives; no secret of anybody is stored.

    A template makes network, identities, roles and cluster at once. An identity that loses its role in the middle of
    the create delays it, and the step says so.
    """
    cluster = Cluster(azure, azure.customer(unique(rng)))
    identities = Identities(cluster)
    operation = _deploy(identities)
    _lose_a_role_and_get_it_back(identities, operation)
    cluster.succeed(operation)
    document_id = cluster.document_id()
    shown = cluster.send("GET").json()
    issuer = shown["properties"]["clusterProfile"]["oidcIssuer"]
    (ids,) = shown["identity"]["userAssignedIdentities"].values()
    assert ids["clientId"]
    assert ids["principalId"]
    operators = shown["properties"]["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    assert operators.keys() == identities.roles().keys()
    assert all(each["clientId"] and each["objectId"] for each in operators.values())
    for credentials in identities.federated_credentials().values():
        assert {each["properties"]["issuer"] for each in credentials} == {issuer}
    api = KubernetesApi(cluster.customer, tmp_path)
    assert api.degraded() == {}
    assert not [name for name, data in api.secrets().items() if "azure_client_secret" in data]
    replace_one(identities, api)
    add_one(identities, api)
    with taken(azure.state) as inventory:
        bundles = [json.loads(value) for value in inventory.secret_values(document_id)]
    assert not any("clientSecret" in bundle for bundle in bundles)
    cluster.succeed(cluster.delete())
    assert not any(trusted(identities, each) for each in (*identities.roles(), SUCCESSOR, ADDED))
    cluster.expect_nothing_left(document_id)
    with taken(azure.state) as inventory:
        assert not inventory.secrets(document_id)


def _deploy(identities: Identities) -> str:
    """Deploy a template with everything that a cluster needs; return the id of the create's operation."""
    cluster, customer = identities.cluster, identities.cluster.customer
    register_provider(customer, lambda: time.sleep(0.1))
    identities.register()
    location = customer.endpoints["location"]
    customer.client(ResourceManagementClient).resource_groups.create_or_update(customer.group, {"location": location})
    values = {"cluster": customer.cluster, "service": customer.endpoints["rp_object_id"]}
    properties = {
        "mode": "Incremental",
        "template": example(TEMPLATE),
        "parameters": {name: {"value": value} for name, value in values.items()},
    }
    path = f"{customer.group_id}/providers/Microsoft.Resources/deployments/cluster?api-version=2025-04-01"
    answer = cluster.send("PUT", path, {"properties": properties})
    assert answer.ok, answer.text

    def begun() -> list[Json]:
        state = cluster.send("GET", path).json()["properties"]
        assert state["provisioningState"] != "Failed", state
        with taken(cluster.azure.state) as inventory:
            return inventory.operations(customer)

    (operation,) = wait_for(begun, "the deployment to begin the cluster")
    return str(operation["id"])


def _lose_a_role_and_get_it_back(identities: Identities, operation: str) -> None:
    """Take away the role of the operator that makes machines while masters start; give it back when a step names it."""
    cluster = identities.cluster
    lost = (identities.object_id(LOST), identities.roles()[LOST], f"{cluster.customer.vnet_id}/subnets/worker")
    cluster.wait_for_step(operation, "deploy_machines_template")
    identities.withdraw(*lost)
    said = f"the operator '{LOST}' acts in Azure as the identity '{identities.resource_id(LOST)}', which lacks"

    def is_said() -> bool:
        with taken(cluster.azure.state) as inventory:
            return said in str(inventory.steps(operation).get("workers_ready", {}).get("message", ""))

    wait_for(is_said, f"workers_ready to say: {said}")
    assert cluster.status(operation)["status"] == "Creating"
    identities.assign(*lost)
