"""A service without a DNS zone, or without a registry: what a create must bring instead, refused at once."""

from dataclasses import replace
from typing import Any

import pytest

from tests.product.unit.frontend.world import CLUSTER, INSTALLABLE, PULL_SECRET, World, body, changed

CP = "properties.clusterProfile"
PULL, DOMAIN = f"{CP}.pullSecret", f"{CP}.domain"
CANARY = '{"auths": {"registry.example.com": {"auth": "Y2FuOmFyeQ=="}}}'


@pytest.fixture
def without(world: World) -> World:
    """Leave zone and registry away."""
    world.services = replace(world.services, settings=replace(world.services.settings, acr_resource_id="", domain=""))
    return world


def own(**changes: Any) -> dict[str, Any]:
    """Return a body with a domain of one's own, and other changes below `clusterProfile`."""
    content = changed(body(), DOMAIN, "c1.example.com")
    for name, value in changes.items():
        content = changed(content, f"{CP}.{name}", value)
    return content


def test_a_create_with_a_domain_and_a_pull_secret_of_its_own_is_accepted(without: World) -> None:
    """It reserves no domain, because the service manages none."""
    assert without.send("PUT", CLUSTER, own()).status == 201
    assert without.cosmos["Domains"].documents == {}
    assert without.document["hasPullSecret"] is True


@pytest.mark.parametrize(
    "value", [..., "", "{}", '{"auths": {}}', CANARY], ids=["none", "empty", "{}", "no auths", "other"]
)
def test_a_create_without_credentials_for_the_releases_registry_is_refused(without: World, value: Any) -> None:
    """The member, the registry, and where to get a pull secret; the value is secret."""
    reply = without.send("PUT", CLUSTER, own(pullSecret=value))
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", PULL)
    assert "must have credentials for registry 'quay.io'" in error["message"]
    assert "https://console.redhat.com/openshift/" in error["message"]
    assert "Y2Fu" not in reply.text()
    assert without.cosmos["OpenShiftClusters"].documents == {}


def test_credentials_are_asked_for_the_registry_of_the_version(without: World) -> None:
    """The catalogue says where each release is."""
    pullspec = f"mirror.example.com/a/b@sha256:{'0a' * 32}"
    entry = {"id": "4.18.0", "version": "4.18.0", "enabled": True, "openShiftPullspec": pullspec}
    without.cosmos["OpenShiftVersions"].create_item(INSTALLABLE | entry)
    error = without.send("PUT", CLUSTER, own(version="4.18.0", pullSecret=PULL_SECRET)).body["error"]
    assert (error["target"], "'mirror.example.com'" in error["message"]) == (PULL, True)
    assert without.send("PUT", CLUSTER, own(version="4.17.9", pullSecret=PULL_SECRET)).status == 201


def test_a_create_under_no_zone_is_refused_with_the_two_records_to_create(without: World) -> None:
    """And where they point to."""
    reply = without.send("PUT", CLUSTER, changed(body(), DOMAIN, "c1"))
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", DOMAIN)
    for part in (
        "such as 'c1.example.com'",
        "'api.c1.example.com' with the address in 'properties.apiserverProfile.ip'",
        "'*.apps.c1.example.com' with the one in 'properties.ingressProfiles[0].ip'",
    ):
        assert part in error["message"]


def test_everything_that_is_missing_is_told_at_once(without: World) -> None:
    """Also beside a version that is not offered."""
    content = changed(changed(changed(body(), DOMAIN, "c1"), PULL, ...), f"{CP}.version", "4.1.0")
    details = without.send("PUT", CLUSTER, content).body["error"]["details"]
    assert [detail["target"] for detail in details] == [PULL, DOMAIN, f"{CP}.version"]


def test_a_cluster_that_was_created_with_them_is_still_updated(world: World) -> None:
    """The settings say what new clusters get."""
    assert world.send("PUT", CLUSTER, changed(body(), PULL, ...)).status == 201
    world.finish()
    world.services = replace(world.services, settings=replace(world.services.settings, acr_resource_id="", domain=""))
    assert world.send("PATCH", CLUSTER, {"tags": {"team": "two"}}).status == 200
