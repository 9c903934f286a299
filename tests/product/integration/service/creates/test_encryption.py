"""Encryption at host and a customer's own key for disks, on masters and workers, from the create to the last worker."""

import random
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.compute import ComputeManagementClient

from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.kubernetes_api import MACHINE_SETS, MACHINES, KubernetesApi
from tests.product.integration.service.stage import Cluster, prepare

pytestmark = pytest.mark.slow(40)

FEATURE = "providers/Microsoft.Features/providers/Microsoft.Compute/features/EncryptionAtHost"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
BY_CUSTOMER = "EncryptionAtRestWithCustomerKey"


def _switch(cluster: Cluster, verb: str) -> None:
    """Register the subscription for encryption at host, or unregister it."""
    path = f"/subscriptions/{cluster.customer.subscription_id}/{FEATURE}"
    answer = cluster.send("POST", f"{path}/{verb}?api-version=2021-07-01")
    assert answer.ok, answer.text
    if verb == "register":
        wait_for(
            lambda: cluster.send("GET", f"{path}?api-version=2021-07-01").json()["properties"]["state"] == "Registered",
            "the feature",
        )


def _encryption_set(cluster: Cluster) -> str:
    customer = cluster.customer
    key = {
        "keyUrl": "https://keys.vault.azure.net/keys/disks/1",
        "sourceVault": {"id": f"{customer.group_id}/providers/Microsoft.KeyVault/vaults/keys"},
    }
    wish: Any = {
        "location": cluster.azure.endpoints["location"],
        "identity": {"type": "SystemAssigned"},
        "properties": {"activeKey": key},
    }
    sets = customer.client(ComputeManagementClient).disk_encryption_sets
    return str(sets.begin_create_or_update(customer.group, "des", wish).result().id)


def _let_read(cluster: Cluster, scope: str) -> list[str]:
    """Let the resource provider, and then the cluster, read a resource; return the ids of both assignments."""
    customer = cluster.customer
    roles = f"/subscriptions/{customer.subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
    assignments = customer.client(AuthorizationManagementClient).role_assignments
    made = []
    for object_id in (cluster.azure.endpoints["rp_object_id"], customer.principal["object_id"]):
        properties = {"roleDefinitionId": f"{roles}/{READER}", "principalId": object_id}
        body: Any = {"properties": properties | {"principalType": "ServicePrincipal"}}
        made.append(str(assignments.create(scope, str(uuid4()), body).id))
    return made


def test_machines_of_both_roles_are_encrypted_as_the_customer_asks(
    own_azure: LocalAzure, rng: random.Random, tmp_path: Path
) -> None:
    """At the host, and on disks with the customer's key; a worker that the cluster adds by itself is encrypted too."""
    (cluster,) = prepare(own_azure, unique(rng))
    _switch(cluster, "register")
    try:
        _live_encrypted(cluster, tmp_path)
    finally:
        _switch(cluster, "unregister")


def _live_encrypted(cluster: Cluster, folder: Path) -> None:
    encryption_set = _encryption_set(cluster)
    (_, role) = _let_read(cluster, encryption_set)
    body = cluster.body
    asked = {"encryptionAtHost": "Enabled", "diskEncryptionSetId": encryption_set}
    body["properties"]["masterProfile"] |= asked
    body["properties"]["workerProfiles"][0] |= asked
    cluster.succeed(cluster.create(body))
    api = KubernetesApi(cluster.customer, folder)
    wait_for(lambda: set(api.workers().values()) == {"Running"}, "all workers")
    _expect_encrypted(cluster, encryption_set, machines=6)

    for machine_set in api.list(MACHINE_SETS):
        spec = machine_set["spec"]["template"]["spec"]["providerSpec"]["value"]
        assert spec["securityProfile"]["encryptionAtHost"]
        assert spec["osDisk"]["managedDisk"]["diskEncryptionSet"]["id"].lower() == encryption_set.lower()
    api.scale_up()
    wait_for(lambda: list(api.workers().values()).count("Running") == 4, "one more worker")
    _expect_encrypted(cluster, encryption_set, machines=7)

    # Azure refuses a machine to a principal that may not read the set, and machine-api passes on what it says.
    cluster.customer.client(AuthorizationManagementClient).role_assignments.delete_by_id(role)
    names = set(api.workers())
    api.scale_up()
    refused = wait_for(lambda: _new_failures(api, names), "a machine that Azure refuses")
    assert "LinkedAuthorizationFailed" in refused[0]
    assert "Microsoft.Compute/diskEncryptionSets/read" in refused[0]


def _new_failures(api: KubernetesApi, known: set[str]) -> list[str]:
    """Return the messages of failed worker machines; add another worker while the last one is not refused.

    A role that was removed still works for a while.
    """
    machines = [one for one in api.list(MACHINES) if one["metadata"]["name"] not in known]
    workers = [one for one in machines if "-worker-" in one["metadata"]["name"]]
    phases = [(one.get("status") or {}).get("phase") for one in workers]
    if workers and set(phases) == {"Running"}:
        known |= {one["metadata"]["name"] for one in workers}
        api.scale_up()
    return [one["status"]["errorMessage"] for one in workers if one["status"].get("phase") == "Failed"]


def _expect_encrypted(cluster: Cluster, encryption_set: str, machines: int) -> None:
    """Check every virtual machine of the cluster and its disk."""
    compute, group = cluster.customer.client(ComputeManagementClient), f"aro-{cluster.customer.cluster}"
    found = list(compute.virtual_machines.list(group))
    disks = {str(disk.id).lower(): disk for disk in compute.disks.list_by_resource_group(group)}
    assert len(found) == len(disks) == machines
    for machine in found:
        assert machine.security_profile.encryption_at_host, machine.name
        managed = machine.storage_profile.os_disk.managed_disk
        assert managed.disk_encryption_set.id.lower() == encryption_set.lower(), machine.name
        encryption = disks[managed.id.lower()].encryption
        assert encryption.type == BY_CUSTOMER, machine.name
        assert encryption.disk_encryption_set_id.lower() == encryption_set.lower(), machine.name
