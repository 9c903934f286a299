"""One stored cluster for the tests that need none that runs."""

import json
import os
import random
from dataclasses import dataclass

import pytest

from tests.conftest import SEED
from tests.entra_azure import EntraAzure
from tests.local_azure import unique, wait_for
from tests.product.integration.own.stage import Tenant, prepare
from tests.product.integration.service.inventory import Inventory, taken

CREDENTIALS = {"kubeadminPassword": "canary", "userAdminKubeconfig": "clusters: []"}


@dataclass(frozen=True)
class Stored:
    """A cluster that exists for the service only.

    Args:
        azure: the platform.
        owner: its owner, a Contributor of its group.
        operation_id: id of the operation that created it.
    """

    azure: EntraAzure
    owner: Tenant
    operation_id: str


@pytest.fixture(scope="session")
def stored(entra_azure: EntraAzure, worker_id: str) -> Stored:
    """Give a cluster that was never installed: its create failed, and its documents say that it succeeded."""
    azure = entra_azure
    name = unique(random.Random(f"{os.environ[SEED]}/stored/{worker_id}"), "s")  # noqa: S311 - for repeatable tests
    user = azure.user(name)
    owner = prepare(azure, name, user)
    begun = user.send("PUT", owner.cluster_id, owner.body_that_fails())
    assert begun.status_code == 201, begun.text
    operation_id = begun.headers["Azure-AsyncOperation"].split("?")[0].rsplit("/", 1)[-1]
    with taken(azure.state) as inventory:
        wait_for(lambda: inventory.has_ended(operation_id), f"the end of operation {operation_id}")
        _pretend(inventory, azure, owner, operation_id)
    return Stored(azure, owner, operation_id)


def _pretend(inventory: Inventory, azure: EntraAzure, owner: Tenant, operation_id: str) -> None:
    """Write credentials into the vault, and a success into the cluster's and the operation's documents."""
    cluster, operation = inventory.cluster(owner), inventory.operation(operation_id)
    assert cluster is not None
    properties = cluster["openShiftCluster"]["properties"]
    properties |= {"provisioningState": "Succeeded", "failedProvisioningState": ""}
    secret = f"https://{inventory.vault}.vault.azure.net/secrets/{cluster['id']}-credentials?api-version=7.6"
    cluster["secrets"]["credentials"] = azure.administrate("PUT", secret, {"value": json.dumps(CREDENTIALS)})["id"]
    operation["asyncOperation"] |= {"status": "Succeeded"}
    operation["asyncOperation"].pop("error", None)
    operation["openShiftCluster"] = cluster["openShiftCluster"]
    inventory.items("OpenShiftClusters").replace(cluster["id"], cluster, cluster["partitionKey"])
    inventory.items("AsyncOperations").replace(operation_id, operation, operation_id)
