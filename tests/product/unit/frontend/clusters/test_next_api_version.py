"""A further API version is one row of the table and no code; everything that depends on the version follows."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from shared.clusters import api_versions, shape
from shared.clusters.api_versions import API_VERSIONS
from shared.clusters.checks import cluster_checks
from shared.clusters.member_types import ApiVersion, Rule
from shared.clusters.members import MEMBERS, Member
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.world import CLUSTER, LOCATION, NEW, OLD, World, admin_certificate, body, changed
from tools.pages import manifest

NEXT = "2030-01-01"
NP, MP = "properties.networkProfile", "properties.masterProfile"
FAMILY = f"{NP}.ipFamily"
ROW = ApiVersion(
    NEXT,
    adds=(FAMILY,),
    removes=(f"{NP}.preconfiguredNSG",),
    changes={
        f"{NP}.outboundType": {"rule": Rule.READ_ONLY, "check": cluster_checks.read_only, "create_only": True},
        f"{MP}.encryptionAtHost": {"required": False},
    },
    features=frozenset({"credentials"}),
    retires=frozenset({"openShiftVersions"}),
)
MEMBER = Member(FAMILY, default="IPv4", values=("IPv4", "IPv6"))


def _forget() -> None:
    for cached in (api_versions.has_member, shape.tree, shape.whole_tree):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def _next_version(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(api_versions, "API_VERSIONS", (*API_VERSIONS, ROW))
        patch.setattr(shape, "MEMBERS", (*MEMBERS, MEMBER))
        _forget()
        yield
    _forget()


def next_body() -> dict[str, Any]:
    """Return a body of the next version, without the member that has become optional."""
    return changed(body(), f"{MP}.encryptionAtHost", ...)


def created(version: str = NEXT, content: dict[str, Any] | None = None) -> World:
    """Return a world with a cluster."""
    world = World()
    reply = world.send("PUT", CLUSTER, content or next_body(), api_version=version)
    assert reply.status == 201, reply.text()
    world.finish()
    return world


def network(world: World, version: str, certificate: bytes | None = None) -> Any:
    """Return the network profile as a version shows it."""
    reply = world.send("GET", CLUSTER, api_version=version, certificate=certificate)
    return reply.body["properties"]["networkProfile"]


def test_what_it_adds_and_removes_is_seen_through_it_alone() -> None:
    """The other versions show what they always did, and operators see what the latest version has."""
    world = created()
    assert network(world, NEXT)["ipFamily"] == "IPv4"
    assert "preconfiguredNSG" not in network(world, NEXT)
    assert "ipFamily" not in network(world, NEW)
    assert network(world, NEW)["preconfiguredNSG"] == "Disabled"
    assert network(world, "admin", admin_certificate())["ipFamily"] == "IPv4"


def test_other_versions_neither_read_nor_lose_what_it_adds() -> None:
    """A value that they send is unknown to them; the stored one stays."""
    world = created(OLD, changed(body(OLD), FAMILY, "nonsense"))
    assert network(world, NEXT)["ipFamily"] == "IPv4"
    assert world.send("PUT", CLUSTER, changed(body(OLD), FAMILY, "nonsense"), api_version=OLD).status == 200
    world.finish()
    assert network(world, NEXT)["ipFamily"] == "IPv4"


def test_what_it_removes_is_unknown_to_it_and_stays() -> None:
    """Older versions may have set it."""
    world = created()
    world.document["openShiftCluster"]["properties"]["networkProfile"]["preconfiguredNSG"] = "Enabled"
    sent = changed(next_body(), f"{NP}.preconfiguredNSG", "nonsense")
    assert world.send("PUT", CLUSTER, sent, api_version=NEXT).status == 200
    assert network(world, NEW)["preconfiguredNSG"] == "Enabled"


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        pytest.param(FAMILY, "x", "must be one of IPv4, IPv6", id="no value of the new member"),
        pytest.param(f"{NP}.outboundType", "Loadbalancer", "is filled by the service", id="a read-only member"),
        pytest.param(f"{MP}.encryptionAtHost", "x", "must be one of Enabled, Disabled", id="an optional member"),
    ],
)
def test_a_create_is_checked_by_its_rules(path: str, value: str, want: str) -> None:
    """The error names the member."""
    error = World().send("PUT", CLUSTER, changed(next_body(), path, value), api_version=NEXT).body["error"]
    assert (error["code"], error["target"]) == ("InvalidParameter", path)
    assert want in error["message"]


def test_an_update_cannot_change_what_is_read_only() -> None:
    """The answer of a GET may be sent back."""
    world = created()
    sent = world.send("GET", CLUSTER, api_version=NEXT).body
    assert world.send("PUT", CLUSTER, copy.deepcopy(sent), api_version=NEXT).status == 200
    world.finish()
    content = changed({}, f"{NP}.outboundType", "Other")
    error = world.send("PATCH", CLUSTER, content, api_version=NEXT).body["error"]
    assert (error["code"], error["target"]) == ("PropertyChangeNotAllowed", f"{NP}.outboundType")
    assert "is filled by the service" in error["message"]


def test_what_was_required_before_is_so_in_other_versions() -> None:
    """The next one gives it the default."""
    world = created()
    assert world.document["openShiftCluster"]["properties"]["masterProfile"]["encryptionAtHost"] == "Disabled"
    error = World().send("PUT", CLUSTER, next_body(), api_version=NEW).body["error"]
    assert error["target"] == f"{MP}.encryptionAtHost"


def test_its_features_decide_which_paths_it_serves() -> None:
    """The refusal lists versions, and the manifest names those that ARM may send."""
    world = created()
    refused = world.send("GET", f"{LOCATION}/openShiftVersions", api_version=NEXT)
    assert (refused.status, refused.body["error"]["code"]) == (400, "InvalidResourceType")
    assert NEXT not in refused.body["error"]["message"].partition("Use one of: ")[2]
    assert world.send("GET", f"{LOCATION}/openShiftVersions", api_version=NEW).status == 200
    unknown = world.send("GET", CLUSTER, api_version="x").body["error"]["message"]
    assert unknown.endswith(f"{VERSIONS[-1]}, {NEXT}.")
    # A cluster that is up, but made without machines: the path is served.
    refused = world.send("POST", f"{CLUSTER}/credentials", api_version=NEXT)
    assert refused.body["error"]["code"] == "RequestNotAllowed"
    served = {row["name"]: row["endpoints"][0]["apiVersions"] for row in json.loads(manifest.page())["resourceTypes"]}
    assert served["openShiftClusters"] == [*VERSIONS, NEXT]
