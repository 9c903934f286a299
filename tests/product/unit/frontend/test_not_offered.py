"""Values of the API that the service does not support yet are refused, instead of accepted and ignored."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from shared.clusters import api_versions, shape
from shared.clusters.members import MEMBERS, Kind, Member
from tests.product.unit.frontend.world import CLUSTER, World, body, changed

OUTBOUND_TYPE = "properties.networkProfile.outboundType"
NETWORK_PROFILE = "properties.networkProfile"
# The service offers all values of every member. For these tests it does not, of these three.
LESS: dict[str, tuple[Any, ...]] = {
    OUTBOUND_TYPE: ("Loadbalancer",),
    f"{NETWORK_PROFILE}.preconfiguredNSG": ("Disabled",),
    f"{NETWORK_PROFILE}.loadBalancerProfile.managedOutboundIps.count": (1,),
}
PARTLY = tuple(replace(row, offered=LESS[row.path]) for row in MEMBERS if row.path in LESS)


def _forget() -> None:
    """Let the trees of the versions be made anew."""
    for module in (api_versions, shape):
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


@pytest.fixture(autouse=True)
def _offer_less(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    less = {row.path: row for row in PARTLY}
    with monkeypatch.context() as patch:
        patch.setattr(shape, "MEMBERS", tuple(less.get(row.path, row) for row in MEMBERS))
        _forget()
        yield
    _forget()


def not_offered(row: Member) -> Any:
    """Return a valid value that the service does not offer."""
    return 2 if row.kind is Kind.INTEGER else next(value for value in row.values if value not in row.offered)


def private_body() -> dict[str, Any]:
    """Return a body without anything public, which is valid with every outbound type."""
    content = changed(body(), "properties.apiserverProfile.visibility", "Private")
    return changed(content, "properties.ingressProfiles.0.visibility", "Private")


def created(row: Member | None = None) -> World:
    """Return a world with a cluster for which an older build has stored an unsupported value."""
    world = World()
    assert world.send("PUT", CLUSTER, private_body()).status == 201
    world.finish()
    if row is not None:
        cluster = changed(world.document["openShiftCluster"], row.path, not_offered(row))
        if row.path == OUTBOUND_TYPE:
            cluster = changed(cluster, "properties.networkProfile.loadBalancerProfile", ...)
        world.document["openShiftCluster"] = cluster
    return world


@pytest.mark.parametrize("row", PARTLY, ids=lambda row: str(row.path))
def test_a_create_with_what_is_not_offered_is_refused(row: Member) -> None:
    """The error names the member, and what is offered."""
    world = World()
    reply = world.send("PUT", CLUSTER, changed(private_body(), row.path, not_offered(row)))
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidParameter")
    assert reply.body["error"]["target"] == row.path
    assert "does not offer" in reply.body["error"]["message"]
    assert str(row.offered[0]) in reply.body["error"]["message"]
    assert not world.cosmos["OpenShiftClusters"].documents


@pytest.mark.parametrize("row", PARTLY, ids=lambda row: str(row.path))
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_update_to_what_is_not_offered_is_refused(row: Member, method: str) -> None:
    """It would be stored, and change nothing."""
    content = changed(private_body() if method == "PUT" else {}, row.path, not_offered(row))
    reply = created().send(method, CLUSTER, content)
    assert (reply.status, reply.body["error"]["target"]) == (400, row.path)


@pytest.mark.parametrize("row", PARTLY, ids=lambda row: str(row.path))
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_stored_value_that_is_not_offered_can_be_repeated(row: Member, method: str) -> None:
    """A client that sends back the answer of a GET asks for nothing new."""
    world = created(row)
    shown = world.send("GET", CLUSTER).body
    reply = world.send(method, CLUSTER, shown)
    assert reply.status == 200, reply.text()
