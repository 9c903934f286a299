"""The router's address: published in the managed zone, and stored with the cluster's URLs."""

from datetime import UTC, datetime
from typing import Any

import pytest

from activities.runtime.wrapper import perform
from tests.product.unit.activities.calls import as_json, call, payload
from tests.product.unit.activities.cluster.cluster_api_fake import FakeClusterApi, fake
from tests.product.unit.openshift.objects import operator
from tests.product.unit.product_world import CLUSTER_ID, World

DONE = {"outcome": "done"}
ROW = {
    "name": "update_router_address",
    "phase": "remove-bootstrap",
    "kind": "action",
    "message": "",
    "waitsFor": "",
    "deadlineSeconds": 60,
    "pollSeconds": 0.25,
}
RECORD = (
    "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourcegroups/rp/providers/microsoft.network"
    "/dnszones/eastus.aroapp.io/a/*.apps.c1"
)


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeClusterApi:
    """Put an API behind the cluster's private endpoint."""
    return fake(accepted, monkeypatch)


def run(**more: Any) -> dict[str, Any]:
    """Run the row once."""
    began = {"startTime": datetime.now(UTC).isoformat()} | more
    return as_json(perform("activities.cluster.router_address:update_router_address", payload(ROW, "run", **began)))


def given(api: FakeClusterApi, address: str) -> None:
    """Assign the router an address."""
    ingress = [{"ip": address}] if address else []
    api.add("Service", {"metadata": {"name": "router-default"}, "status": {"loadBalancer": {"ingress": ingress}}})


def test_the_address_is_published_and_stored_with_the_urls(api: FakeClusterApi, accepted: World) -> None:
    """A second run finds everything up to date and writes nothing."""
    call("create_dns")
    given(api, "127.1.0.9")
    assert run() == DONE
    assert accepted.azure.resources[RECORD]["properties"]["ARecords"] == [{"ipv4Address": "127.1.0.9"}]
    assert accepted.azure.resources[RECORD]["properties"]["TTL"] == 300
    assert accepted.azure.resources[RECORD]["properties"]["metadata"] == {"resourceId": CLUSTER_ID}
    assert accepted.properties["apiserverProfile"]["url"] == "https://api.c1.eastus.aroapp.io:6443/"
    assert accepted.properties["consoleProfile"]["url"] == "https://console-openshift-console.apps.c1.eastus.aroapp.io/"
    assert accepted.properties["ingressProfiles"] == [{"name": "default", "visibility": "Public", "ip": "127.1.0.9"}]
    changes, writes = accepted.azure.changes(), len(accepted.cosmos["OpenShiftClusters"].writes)
    assert run() == DONE
    assert accepted.azure.changes() == changes
    assert len(accepted.cosmos["OpenShiftClusters"].writes) == writes


def test_a_router_that_moved_is_followed(api: FakeClusterApi, accepted: World) -> None:
    """A resumed create may find the router at another address."""
    call("create_dns")
    given(api, "127.1.0.9")
    run()
    given(api, "127.1.0.10")
    assert run() == DONE
    assert accepted.azure.resources[RECORD]["properties"]["ARecords"] == [{"ipv4Address": "127.1.0.10"}]
    assert accepted.properties["ingressProfiles"][0]["ip"] == "127.1.0.10"


def test_a_domain_of_the_customers_own_gets_no_record(api: FakeClusterApi, accepted: World) -> None:
    """The owner of the zone makes the record, from the address on the document."""
    accepted.properties["clusterProfile"]["domain"] = "c1.example.org"
    given(api, "10.0.1.4")
    assert run() == DONE
    assert accepted.azure.changes() == []
    assert accepted.properties["apiserverProfile"]["url"] == "https://api.c1.example.org:6443/"
    assert accepted.properties["ingressProfiles"][0]["ip"] == "10.0.1.4"


def test_a_router_without_an_address_is_waited_for(api: FakeClusterApi, accepted: World) -> None:
    """Its operator says why, and nothing is written before there is one."""
    api.add("ClusterOperator", operator("ingress", available="False"))
    expected = "Service 'openshift-ingress/router-default' has no address yet; "
    expected += "ClusterOperator 'ingress' is not Available: Why: available?"
    assert run() == {"outcome": "wait", "message": expected}
    given(api, "")
    assert run() == {"outcome": "wait", "message": expected}
    assert accepted.azure.changes() == []
    assert "url" not in accepted.properties.get("apiserverProfile", {})


def test_the_last_wait_gathers_what_explains_it(api: FakeClusterApi) -> None:
    """It includes the router's operator."""
    api.add("ClusterOperator", operator("ingress", available="False"))
    details = run(startTime="2026-03-01T09:00:00+00:00")["details"]
    assert ("ClusterOperator", "ingress") in [(entry["code"], entry["target"]) for entry in details]


def test_an_api_that_cannot_be_read_is_waited_for(api: FakeClusterApi) -> None:
    """It may be rolling out."""
    api.fails = "the API server refuses the connection"
    assert run() == {"outcome": "wait", "message": "the API server refuses the connection"}


def test_a_superseded_attempt_writes_neither_record_nor_document(
    api: FakeClusterApi, accepted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fence moves between the read of the cluster and the first write."""
    call("create_dns")
    given(api, "127.1.0.9")
    changes = accepted.azure.changes()
    read = api.read

    def slow(client: Any, what: Any) -> Any:
        accepted.cluster["attempt"] = 2
        return read(client, what)

    monkeypatch.setattr("shared.openshift.client.read", slow)
    assert run() == {"outcome": "fenced"}
    assert accepted.azure.changes() == changes
    assert "url" not in accepted.properties.get("apiserverProfile", {})
