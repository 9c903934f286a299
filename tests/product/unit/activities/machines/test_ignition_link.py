"""The signature with which the bootstrap machine reads its ignition, where the storage account has no keys."""

import json
from typing import Any
from urllib.parse import parse_qs

import pytest

from activities.machines import graph
from installer.graph import Graph
from tests.product.unit.activities.calls import call
from tests.product.unit.azure_fake import Request
from tests.product.unit.clusters.identities.credentials import become_identities
from tests.product.unit.product_world import CLUSTER_GROUP, World

DEPLOYMENT = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/machines".lower()
KEY = (
    '<?xml version="1.0"?><UserDelegationKey><SignedOid>oid</SignedOid><SignedTid>tid</SignedTid>'
    "<SignedStart>2026-03-01T09:00:00Z</SignedStart><SignedExpiry>2026-03-02T09:00:00Z</SignedExpiry>"
    "<SignedService>b</SignedService><SignedVersion>2025-01-05</SignedVersion><Value>{key}</Value></UserDelegationKey>"
)


@pytest.fixture
def sealed(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Let the install graph of a cluster with identities be made, and its account lend the service's right."""
    call("decide_names")
    become_identities(accepted.cluster, "ingress")
    accepted.properties["masterProfile"]["vmSize"] = "Standard_D8s_v5"
    image = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}
    install = {"now": "2026-03-01T09:00:00Z", "oneBlob": True}
    accepted.properties.update(zones=["1", "2", "3"], rhcosImage=image, install=install)
    made = Graph({"release-image": {"ignitionVersion": "3.2.0"}, "master.ign": {"master.ign": "{}"}})
    monkeypatch.setattr(graph, "load", lambda _step: made)
    account = f"cluster{accepted.properties['storageSuffix']}"
    path = f"{CLUSTER_GROUP}/providers/Microsoft.Storage/storageAccounts/{account}".lower()
    endpoints = {"blob": f"https://{account}.blob.core.windows.net/"}
    accepted.azure.resources[path] = {"properties": {"primaryEndpoints": endpoints}}
    lent: list[Request] = []

    def lend(request: Request) -> Any:
        lent.append(request)
        # Another key each time, as in Azure.
        return 200, KEY.format(key="a2V5" * len(lent)).encode(), {"Content-Type": "application/xml"}

    accepted.azure.on("POST", "^/$", lend)
    return accepted


def sent(world: World) -> dict[str, Any]:
    """Return the values of the parameters that Azure got."""
    parameters = world.azure.resources[DEPLOYMENT]["properties"]["parameters"]
    return {name: given["value"] for name, given in parameters.items()}


def test_the_service_signs_for_one_blob_and_one_day(sealed: World) -> None:
    """With a key that Azure lends to it, not with the account's."""
    assert call("deploy_machines_template")["outcome"] == "wait"
    given = sent(sealed)
    signed = {name: values[0] for name, values in parse_qs(given["ignitionSas"]).items()}
    assert (signed["sr"], signed["sp"], signed["spr"], signed["skoid"]) == ("b", "r", "https", "oid")
    assert (signed["st"], signed["se"]) == ("2026-03-01T09:00:00Z", "2026-03-02T09:00:00Z")
    assert given["sas"] == {}
    (lent,) = (each for each in sealed.azure.calls if each.method == "POST" and ".blob." in each.host)
    assert lent.query["comp"] == ["userdelegationkey"]
    assert lent.headers["authorization"].startswith("Bearer ")


def test_the_signature_is_made_once_and_is_in_the_vault_alone(sealed: World) -> None:
    """Azure refuses other customData for a machine that exists."""
    call("deploy_machines_template")
    first = sent(sealed)["ignitionSas"]
    del sealed.azure.resources[DEPLOYMENT]
    call("deploy_machines_template")
    assert sent(sealed)["ignitionSas"] == first
    (stored,) = sealed.vault("rp-cls").versions["doc-1-ignition"]
    assert json.loads(stored) == {"sas": first}
    assert "sig=" not in json.dumps([container.writes for container in sealed.cosmos.values()])


def test_a_bootstrap_that_begins_again_gets_another_signature(sealed: World) -> None:
    """The first one has ended with its certificates."""
    call("deploy_machines_template")
    first = sent(sealed)["ignitionSas"]
    sealed.properties["install"]["beginsAgain"] = True
    call("remove_expired_machines")
    assert "ignition" not in sealed.cluster["secrets"]
    del sealed.azure.resources[DEPLOYMENT]
    sealed.properties["install"] = {"now": "2026-03-03T09:00:00Z", "oneBlob": True}
    call("deploy_machines_template")
    assert sent(sealed)["ignitionSas"] != first


def test_an_account_with_keys_signs_itself(sealed: World) -> None:
    """As ever, by what the template lists."""
    del sealed.cluster["openShiftCluster"]["identity"]
    del sealed.properties["platformWorkloadIdentityProfile"]
    sealed.properties["servicePrincipalProfile"] = {"clientId": "client-1"}
    call("deploy_machines_template")
    given = sent(sealed)
    assert given["ignitionSas"] == ""
    assert given["sas"]["signedResource"] == "b"
    assert "ignition" not in sealed.cluster["secrets"]
