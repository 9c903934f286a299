"""A cluster's life: it is created, read, listed and deleted through ARM with the public SDK."""

import json
import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.core.pipeline.policies import SansIOHTTPPolicy

from demo.customer import Customer, begin_create, begin_delete
from shared.json_object import Json
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service import rights
from tests.product.integration.service.inventory import WORLD, Inventory, taken
from tests.product.integration.service.stage import RECORDS, Cluster

pytestmark = pytest.mark.slow(30)

SEVEN_DAYS = 604_800
# The purpose of each secret, and the members of its bundle.
SECRETS = {
    "request": {"clientSecret", "pullSecret"},
    "install": {"sshKey"},
    "registry": {"password", "name", "operationId"},
    "graph": {"key"},
    "adminsigner": {"certificate", "key"},
    "credentials": {"aroServiceKubeconfig", "userAdminKubeconfig", "kubeadminPassword"},
}


def test_a_cluster_is_created_as_designed_and_its_delete_leaves_nothing(azure: LocalAzure, rng: random.Random) -> None:
    """Everything that a create makes exists after it, and is gone after the delete."""
    customer = azure.prepared_customer(unique(rng))
    listener = _Listener()
    listening = replace(customer, options={**customer.options, "per_call_policies": [listener]})
    create, poller = begin_create(listening)
    assert poller.result().properties.provisioning_state == "Succeeded"
    operation = azure.operations(customer).get(create)
    _expect_progress(listener.polled, {step["name"] for step in operation["steps"]})
    assert operation["status"] == "Succeeded"
    assert operation["percentComplete"] == 100
    wait_for(lambda: _all_succeeded(azure.operations(customer).get(create)), "the last step to be closed")
    Cluster(azure, customer).expect_one_of_each(create)
    with taken(azure.state) as inventory:
        document = inventory.cluster(customer)
        assert document is not None
        _expect_document(document, customer, create)
        _expect_secrets(inventory, document)
        _expect_resources(inventory, document["openShiftCluster"]["properties"], customer)
        (finished,) = inventory.operations(customer)
        assert finished["ttl"] == SEVEN_DAYS
        assert finished["openShiftCluster"]["properties"]["provisioningState"] == "Succeeded"
        assert finished["asyncOperation"]["endTime"]

    clusters = customer.clusters()
    assert [each.name for each in clusters.list_by_resource_group(customer.group)] == [customer.cluster]
    assert clusters.get(customer.group, customer.cluster).properties.service_principal_profile.client_secret is None

    delete, deletion = begin_delete(customer)
    deletion.result()
    assert azure.operations(customer).get(delete)["status"] == "Succeeded"
    for read in (clusters.get, clusters.list_credentials):
        with pytest.raises(ResourceNotFoundError):
            read(customer.group, customer.cluster)
    Cluster(azure, customer).expect_nothing_left(document["id"])
    with taken(azure.state) as inventory:
        assert document["openShiftCluster"]["properties"]["registryProfiles"][0]["username"] not in inventory.tokens()
        assert len(inventory.resources(f"{customer.vnet_id}/subnets/")) == 2
        (billing,) = inventory.billing(document["id"])
        assert billing["billing"]["deletionTime"] >= billing["billing"]["creationTime"]
        assert [each["id"] for each in inventory.operations(customer)] == [create, delete]
        assert "openShiftCluster" not in inventory.operations(customer)[1]
        correlation_ids = [each["correlationData"]["correlationId"] for each in inventory.operations(customer)]
    actions = rights.used(azure, correlation_ids)
    assert actions <= rights.granted()
    # Nothing is granted that nobody uses, and the list of exceptions has no more than it needs.
    assert rights.granted() - actions == rights.elsewhere()


def _all_succeeded(operation: Json) -> bool:
    """Tell whether every step has succeeded. The last one closes its progress item after the operation has ended."""
    return {step["status"] for step in operation["steps"]} == {"Succeeded"}


class _Listener(SansIOHTTPPolicy[Any, Any]):
    """Records the body of every poll of an operation that the SDK sends."""

    def __init__(self) -> None:
        self.polled: list[Json] = []

    def on_response(self, request: Any, response: Any) -> None:
        """Record the body of one answer."""
        if "/operationsstatus/" in request.http_request.url:
            self.polled.append(json.loads(response.http_response.text()))


def _expect_progress(polled: list[Json], rows: set[str]) -> None:
    """Check the customer's polls: the percentage never falls, and reaches 100 only when the operation has succeeded."""
    figures = [each["percentComplete"] for each in polled]
    assert figures == sorted(figures)
    assert figures[0] < figures[-1] == 100
    assert [each["status"] for each in polled if each["percentComplete"] == 100] == ["Succeeded"]
    assert all(rows.issuperset(each["properties"]["currentSteps"]) for each in polled[:-1])


def _expect_document(document: Json, customer: Customer, operation_id: str) -> None:
    """Check a finished cluster document against `docs/documents.md`."""
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["id"])
    assert document["key"] == customer.cluster_id.lower()
    assert document["partitionKey"] == customer.subscription_id
    assert document["clientIdKey"] == customer.principal["client_id"]
    assert document["clusterResourceGroupIdKey"].endswith(f"/resourcegroups/aro-{customer.cluster}")
    assert 0 <= document["bucket"] < 256
    assert document["lastAsyncOperationId"] == operation_id
    assert not {"asyncOperationId", "attempt", "stopping", "supersededOperationId"} & set(document)
    properties = document["openShiftCluster"]["properties"]
    assert re.fullmatch(rf"{customer.cluster}-[bcdfghjklmnpqrstvwxz2456789]{{5}}", properties["infraId"])
    assert re.fullmatch(r"[bcdfghjklmnpqrstvwxyz0123456789]{5}", properties["storageSuffix"])
    assert properties["servicePrincipalProfile"]["objectId"] == customer.principal["object_id"]
    assert "clientSecret" not in properties["servicePrincipalProfile"]
    names = {name: properties["servicePrincipalProfile"][name] for name in ("clientId", "objectId")}
    assert document["principal"] == {"worked": names | {"secretId": document["secrets"]["request"]}}
    assert re.fullmatch(r"token-[0-9a-f-]{36}", properties["registryProfiles"][0]["username"])
    assert datetime.fromisoformat(properties["install"]["now"]) <= datetime.now(UTC)
    assert len(properties["zones"]) in (0, 3)


def _expect_secrets(inventory: Inventory, document: Json) -> None:
    """Check that each purpose has its bundle, named after the document's id."""
    assert set(document["secrets"]) == set(SECRETS)
    assert set(inventory.secrets(document["id"])) == {f"{document['id']}-{purpose}" for purpose in SECRETS}
    bundles = [set(json.loads(value)) for value in inventory.secret_values(document["id"])]
    for members in SECRETS.values():
        assert any(bundle <= members for bundle in bundles)
    assert len(bundles) == len(SECRETS)


def _expect_resources(inventory: Inventory, properties: Json, customer: Customer) -> None:
    """Check the names of resources and records, and that each subnet has its network security group."""
    resources = inventory.resources(f"{properties['clusterProfile']['resourceGroupId']}/")
    names = {each["name"].rsplit("/", 1)[-1] for each in resources}
    infra_id = properties["infraId"]
    groups = {f"{infra_id}-controlplane-nsg", f"{infra_id}-node-nsg"}
    masters = {f"{infra_id}-master-{number}" for number in range(3)}
    assert names >= {f"cluster{properties['storageSuffix']}", "aro"} | groups | masters
    assert (
        not {f"{infra_id}-bootstrap", f"{infra_id}-bootstrap_OSDisk", f"{infra_id}-bootstrap-nic", "ignition"} & names
    )
    workers = {name for name in names if name.startswith(f"{infra_id}-worker-{WORLD.location}")}
    assert len(workers) >= properties["workerProfiles"][0]["count"]
    assert {attached.rsplit("/", 1)[-1] for attached in inventory.attached(customer)} == groups
    addresses = {
        each["name"].removesuffix(f".{customer.cluster}"): each["properties"]["ARecords"][0]["ipv4Address"]
        for each in inventory.records(customer)
    }
    assert addresses == {"api": properties["apiserverProfile"]["ip"], "*.apps": properties["ingressProfiles"][0]["ip"]}
    assert tuple(addresses) == RECORDS or tuple(addresses) == RECORDS[::-1]


def test_a_running_create_is_cancelled_by_a_delete(azure: LocalAzure, rng: random.Random) -> None:
    """DELETE fences the create off, the waiting client gets an error, and what the create had begun is removed."""
    customer = azure.prepared_customer(unique(rng))
    operation_id, poller = begin_create(customer)
    cluster = Cluster(azure, customer)
    document_id = cluster.document_id()
    begin_delete(customer)[1].result()
    with pytest.raises(HttpResponseError):
        poller.result()
    assert azure.operations(customer).get(operation_id)["status"] == "Canceled"
    cluster.expect_nothing_left(document_id)
