"""A cluster without a secret: its operators sign in with the tokens of their own service accounts."""

import json
import random

import pytest

from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.identities import Identities
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster

pytestmark = pytest.mark.slow(40)


def test_a_cluster_with_identities_is_created_and_its_delete_leaves_the_identities_alone(
    azure: LocalAzure, rng: random.Random
) -> None:
    """Each operator's identity trusts the cluster's tokens while the cluster lives; no secret of anybody is stored."""
    cluster = Cluster(azure, azure.prepared_customer(unique(rng), with_role=False))
    identities = Identities(cluster)
    identities.make()
    operation = cluster.create(identities.body())
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
    with taken(azure.state) as inventory:
        bundles = [json.loads(value) for value in inventory.secret_values(document_id)]
    assert not any("clientSecret" in bundle for bundle in bundles)
    cluster.succeed(cluster.delete())
    assert not any(identities.federated_credentials().values())
    with taken(azure.state) as inventory:
        assert not inventory.secrets(document_id)
