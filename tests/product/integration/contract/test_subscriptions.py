"""What becomes of clusters when ARM tells that their subscription is gone."""

from tests.local_azure import LocalAzure, wait_for
from tests.product.integration.contract.provider import Provider


def test_a_deleted_subscription_takes_its_clusters_with_it(azure: LocalAzure) -> None:
    """Nobody sends a DELETE; and nothing leads back."""
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
        seconds=120,
    )
