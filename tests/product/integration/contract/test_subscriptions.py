"""The clusters of a subscription after ARM reports that it is deleted."""

import pytest

from tests.local_azure import LocalAzure, wait_for
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.contract.provider import Provider

pytestmark = pytest.mark.slow


def test_a_deleted_subscription_takes_its_clusters_with_it(azure: LocalAzure) -> None:
    """The clusters go although nobody sends a DELETE, and the subscription cannot be registered again."""
    provider = Provider(azure)
    provider.register()
    answer = provider.send("PUT", provider.cluster("left"), json=provider.body("left"))
    assert answer.status_code == 201, answer.text
    provider.register("Deleted")
    refused = provider.send("PUT", provider.subscription, json={"state": "Registered"})
    assert refused.json()["error"]["code"] == "InvalidSubscriptionState"
    wait_for(
        lambda: provider.send("GET", provider.cluster("left")).status_code == 404,
        "the cluster of a deleted subscription to go",
        PATIENCE_SECONDS,
    )
