"""Clusters with workload identity, from the PUT to the delete, as ARM sends them."""

from typing import Any

import pytest

from tests.product.unit.frontend.identities_world import (
    CLUSTER_IDENTITY,
    FROM_ARM,
    MAP,
    OPERATORS,
    TENANT,
    identities,
    identities_body,
    look_up,
    offer,
)
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, NEW, World

PREVIEW = "2024-08-12-preview"
every_version = pytest.mark.parametrize("version", [PREVIEW, NEW, "2026-12-01-preview"])


@pytest.fixture
def hosted() -> World:
    """A hosted service that offers workload identity."""
    world = World()
    offer(world)
    return world


def put(world: World, content: Any, version: str = NEW) -> Any:
    """Send a PUT as ARM does."""
    return world.send("PUT", CLUSTER, content, api_version=version, headers=FROM_ARM)


@every_version
def test_a_cluster_with_identities_is_accepted_stored_and_shown(hosted: World, version: str) -> None:
    """Right after the PUT it shows what was sent, and the tenant; the ids follow when they have been looked up."""
    created = put(hosted, identities_body(version), version)
    assert created.status == 201, created.text()
    assert created.body["identity"] == {
        "type": "UserAssigned",
        "tenantId": TENANT,
        "userAssignedIdentities": {CLUSTER_IDENTITY: {}},
    }
    properties = created.body["properties"]
    assert properties["platformWorkloadIdentityProfile"] == {MAP: identities(*OPERATORS)}
    assert "servicePrincipalProfile" not in properties
    assert hosted.document["clientIdKey"] == CLUSTER_IDENTITY.lower()
    hosted.finish()
    look_up(hosted)
    listed = hosted.send("GET", CLUSTERS, api_version=version).body["value"][0]
    for shown in (hosted.send("GET", CLUSTER, api_version=version).body, listed):
        assert shown["identity"]["userAssignedIdentities"] == {
            CLUSTER_IDENTITY: {
                "clientId": f"client of {CLUSTER_IDENTITY}",
                "principalId": f"object of {CLUSTER_IDENTITY}",
            }
        }
        ingress = shown["properties"]["platformWorkloadIdentityProfile"][MAP]["ingress"]
        assert sorted(ingress) == ["clientId", "objectId", "resourceId"]
        assert shown["properties"]["clusterProfile"]["oidcIssuer"].startswith("https://issuer.example.com/")
        assert shown["identity"]["tenantId"] == TENANT


@every_version
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_what_a_get_shows_can_be_sent_back(hosted: World, version: str, method: str) -> None:
    """Nothing changes."""
    assert put(hosted, identities_body(version), version).status == 201
    hosted.finish()
    look_up(hosted)
    before = hosted.send("GET", CLUSTER, api_version=version).body
    reply = hosted.send(method, CLUSTER, before, api_version=version, headers=FROM_ARM)
    assert reply.status == 200, reply.text()
    hosted.finish()
    after = hosted.send("GET", CLUSTER, api_version=version).body
    for name in ("identity", "location", "tags"):
        assert after[name] == before[name]
    assert after["properties"] == before["properties"]
