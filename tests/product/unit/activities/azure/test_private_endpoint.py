"""The private endpoint: made once, approved, and gone at the end."""

import pytest

from tests.product.unit.activities.azure import network_fake
from tests.product.unit.activities.azure.network_fake import ENDPOINT
from tests.product.unit.activities.calls import call
from tests.product.unit.product_world import CLUSTER_GROUP, World

DONE = {"outcome": "done"}
SUBNET = (
    "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourceGroups/rp/providers/Microsoft.Network"
    "/virtualNetworks/rp/subnets/endpoints"
)


@pytest.fixture
def laid(accepted: World) -> World:
    """Let the deployment of the network be done."""
    network_fake.lay(accepted)
    return accepted


def test_the_endpoint_is_made_once_and_leads_to_the_clusters_link(laid: World) -> None:
    """In the service's own network, in the cluster's region."""
    assert call("create_private_endpoint")["outcome"] == "wait"
    sent = laid.azure.resources[ENDPOINT]
    assert sent["location"] == "eastus"
    assert sent["properties"]["subnet"]["id"] == SUBNET
    (connection,) = sent["properties"]["manualPrivateLinkServiceConnections"]
    link = f"{CLUSTER_GROUP}/providers/Microsoft.Network/privateLinkServices/{laid.properties['infraId']}-pls"
    assert connection == {"name": "rp-plsconnection", "properties": {"privateLinkServiceId": link}}
    network_fake.endpoint(laid, "Updating")
    assert call("create_private_endpoint")["message"] == "private endpoint is Updating"
    network_fake.endpoint(laid, "Succeeded", "Pending")
    assert call("create_private_endpoint", "status")["message"] == "private endpoint is Pending"
    network_fake.endpoint(laid, "Succeeded")
    assert call("create_private_endpoint", "status") == DONE
    assert call("create_private_endpoint") == DONE
    assert laid.azure.changes() == ["PUT privateEndpoints/rp-pe-doc-1"]


def test_an_endpoint_that_failed_or_went_away_is_made_again(laid: World) -> None:
    """The failure may pass. It is the platform's, and the next run begins again."""
    outcome = call("create_private_endpoint", "status")
    assert outcome["retryClass"] == "given-up"
    assert {"code": "Owner", "message": "platform"} in outcome["error"]["details"]
    network_fake.endpoint(laid, "Failed")
    assert call("create_private_endpoint", "status")["retryClass"] == "given-up"
    assert call("create_private_endpoint")["outcome"] == "wait"
    assert laid.azure.changes() == ["PUT privateEndpoints/rp-pe-doc-1"]


def test_an_endpoint_that_the_link_refuses_fails(laid: World) -> None:
    """The cluster's private link service no longer lists the service's subscription."""
    network_fake.endpoint(laid, "Succeeded", "Rejected")
    outcome = call("create_private_endpoint", "status")
    assert outcome["retryClass"] == "none"
    assert "is Rejected by the cluster's private link service" in outcome["error"]["message"]


def test_a_cancel_waits_for_an_endpoint_on_its_way(laid: World) -> None:
    """Its creation cannot be cancelled, and a deletion would be refused meanwhile."""
    assert call("create_private_endpoint", "cancel") == {"outcome": "stopped"}
    network_fake.endpoint(laid, "Updating")
    assert call("create_private_endpoint", "cancel")["outcome"] == "wait"
    network_fake.endpoint(laid, "Succeeded")
    assert call("create_private_endpoint", "cancel") == {"outcome": "stopped"}


def test_the_endpoint_is_deleted_once_and_awaited(laid: World) -> None:
    """A second delivery finds it on its way, or gone."""
    network_fake.endpoint(laid, "Deleting")
    assert call("delete_private_endpoint")["outcome"] == "wait"
    assert laid.azure.changes() == []
    network_fake.endpoint(laid, "Succeeded")
    assert call("delete_private_endpoint")["outcome"] == "wait"
    assert call("delete_private_endpoint", "status") == DONE
    assert call("delete_private_endpoint") == DONE
    assert laid.azure.changes() == ["DELETE privateEndpoints/rp-pe-doc-1"]


def test_an_endpoint_without_an_address_says_so(laid: World) -> None:
    """Not as a bug in code that reads it."""
    network_fake.endpoint(laid, "Succeeded")
    laid.azure.resources[ENDPOINT]["properties"]["networkInterfaces"] = []
    assert "has no network interface" in call("update_api_address")["error"]["message"]
