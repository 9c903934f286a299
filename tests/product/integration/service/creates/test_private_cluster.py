"""A private cluster: only addresses of its own network lead to it."""

import random

import pytest

from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster

pytestmark = pytest.mark.slow


def test_a_private_cluster_is_named_by_addresses_of_its_own_network(azure: LocalAzure, rng: random.Random) -> None:
    """The API has an address of the masters' subnet; the router has one of the workers' subnet, which it asked for."""
    cluster = Cluster(azure, azure.prepared_customer(unique(rng)))
    body = cluster.body
    for profile in (body["properties"]["apiserverProfile"], *body["properties"]["ingressProfiles"]):
        profile["visibility"] = "Private"
    cluster.succeed(cluster.create(body))

    properties = cluster.send("GET").json()["properties"]
    api, router = properties["apiserverProfile"]["ip"], properties["ingressProfiles"][0]["ip"]
    assert api.startswith("10.0.0.")
    assert router.startswith("10.0.2.")
    with taken(azure.state) as inventory:
        records = inventory.records(cluster.customer)
    addresses = {record["name"].split(".")[0]: record["properties"]["ARecords"] for record in records}
    assert addresses == {"api": [{"ipv4Address": api}], "*": [{"ipv4Address": router}]}
    cluster.succeed(cluster.delete())
