"""A cluster with workload identity in one's own subscription: the service itself acts on the identities."""

import json
import random
from pathlib import Path

import pytest

from tests.entra_azure import EntraAzure
from tests.local_azure import unique
from tests.product.integration.own.stage import OwnCluster, create_records, network_role, tenant
from tests.product.integration.service.identities import Identities
from tests.product.integration.service.identity_changes import ADDED, SUCCESSOR, add_one, replace_one, trusted
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi

pytestmark = pytest.mark.slow(100)

# Only a first party gets a certificate of the cluster identity.
HOSTED_ONLY = "ensure_identity_certificate"


def test_a_user_creates_changes_and_deletes_a_cluster_without_a_secret(
    entra_azure: EntraAzure, rng: random.Random, tmp_path: Path
) -> None:
    """The service writes what the identities trust by the role that their owner gives it, and needs nobody's secret."""
    azure, name = entra_azure, unique(rng)
    caller = azure.user(name)
    owner = tenant(azure, name, caller)
    azure.assign(azure.endpoints["rp_object_id"], network_role(azure), owner.vnet_id, kind="ServicePrincipal")
    azure.assign(caller.object_id, "Contributor", owner.group_id, kind="User")
    # Role sets belong to the subscription, as versions do.
    azure.assign(caller.object_id, "Reader", azure.subscription, kind="User")
    cluster = OwnCluster(azure, owner)
    identities = Identities(cluster, service=azure.endpoints["rp_object_id"])
    identities.make()
    operation = cluster.create(identities.body())
    cluster.succeed(operation)
    with taken(azure.state) as inventory:
        skipped = {each["name"]: each["reason"] for each in inventory.plan(operation)["skipped"]}
        bundles = [json.loads(value) for value in inventory.secret_values(cluster.document_id())]
    assert "FP_CLIENT_ID is empty" in skipped[HOSTED_ONLY]
    assert not any("clientSecret" in bundle for bundle in bundles)
    create_records(azure, owner, cluster.send("GET").json())
    api = KubernetesApi(owner, tmp_path)
    assert api.degraded() == {}
    replace_one(identities, api)
    add_one(identities, api)
    document_id = cluster.document_id()
    cluster.succeed(cluster.delete())
    cluster.expect_nothing_left(document_id)
    assert not any(trusted(identities, each) for each in (*identities.roles(), SUCCESSOR, ADDED))
