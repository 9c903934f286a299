"""The program that makes a cluster's graph is decided by the request that creates the cluster, and kept."""

import copy
from typing import Any

import pytest

from tests.product.unit.frontend.world import CLUSTER, World, body, changed

VERSION, FIPS = "properties.clusterProfile.version", "properties.clusterProfile.fipsValidatedModules"
BUILT_IN, PUBLIC = "4.9.0", "4.17.9"


def have(world: World, version: str, **members: Any) -> None:
    """Change members of a version's entry."""
    container = world.cosmos["OpenShiftVersions"]
    (entry,) = (copy.deepcopy(each) for each in container.documents.values() if each["id"] == version)
    container.upsert_item(entry | members)


def decided(world: World) -> Any:
    """Return what the cluster's document has."""
    return world.document["openShiftCluster"]["properties"]["installer"]


@pytest.mark.parametrize(("version", "want"), [(BUILT_IN, "built-in"), (PUBLIC, "openshift-install")])
def test_a_create_stores_the_program_of_its_version(world: World, version: str, want: str) -> None:
    """Customers do not see it."""
    reply = world.send("PUT", CLUSTER, changed(body(), VERSION, version))
    assert reply.status == 201
    assert decided(world) == want
    assert "installer" not in reply.body["properties"]


def test_a_resume_keeps_the_program_whatever_the_catalogue_says_by_then(world: World) -> None:
    """A graph, or a part of its machines, may be there already."""
    content = changed(body(), VERSION, BUILT_IN)
    assert world.send("PUT", CLUSTER, content).status == 201
    world.finish(failed=True)
    have(world, BUILT_IN, installer="openshift-install")
    assert world.send("PUT", CLUSTER, content).status == 200
    assert decided(world) == "built-in"


def test_a_create_of_an_older_build_is_resumed_without_a_decision(world: World) -> None:
    """Its document has none, and the install takes what the entry said then."""
    content = changed(body(), VERSION, BUILT_IN)
    assert world.send("PUT", CLUSTER, content).status == 201
    world.finish(failed=True)
    del world.document["openShiftCluster"]["properties"]["installer"]
    assert world.send("PUT", CLUSTER, content).status == 200
    assert "installer" not in world.document["openShiftCluster"]["properties"]


def test_validated_modules_are_refused_where_the_program_cannot_make_them(world: World) -> None:
    """The refusal says what it would take."""
    wanted = changed(changed(body(), VERSION, PUBLIC), FIPS, "Enabled")
    reply = world.send("PUT", CLUSTER, wanted)
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", FIPS)
    assert "openshift-install-fips, on a host that itself runs in FIPS mode" in error["message"]
    assert world.send("PUT", CLUSTER, changed(wanted, VERSION, BUILT_IN)).status == 201
