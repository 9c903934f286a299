"""`publish`: where a cluster's names are written."""

import pytest

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import ARM, CLUSTER, SUBSCRIPTION, FakeService, Reply, cluster

ZONES = f"{ARM}/subscriptions/{SUBSCRIPTION}/resourceGroups/group/providers/Microsoft.Network/dnsZones"


def lists(service: FakeService, *names: str) -> None:
    """Let there be zones, which can be written."""
    service.on("GET", ZONES, Reply(200, {"value": [{"name": name, "id": f"/zones/{name}"} for name in names]}))
    service.on("GET", CLUSTER, Reply(200, cluster()))


@pytest.mark.parametrize(
    ("zones", "paths"),
    [
        (["c1.example.com", "example.com"], ["/zones/c1.example.com/A/api", "/zones/c1.example.com/A/*.apps"]),
        (["example.com", "other.com"], ["/zones/example.com/A/api.c1", "/zones/example.com/A/*.apps.c1"]),
    ],
    ids=["a zone of its own", "the parent's zone"],
)
def test_both_names_are_written_into_the_closest_zone(
    run: Run, service: FakeService, zones: list[str], paths: list[str]
) -> None:
    """With the addresses that the cluster has now."""
    lists(service, *zones)
    for path in paths:
        service.on("PUT", ARM + path.replace("*", "%2A"), Reply(200, {}))
    done = run("publish", "c1")
    assert done.code == 0, done.err
    assert [body["properties"]["ARecords"][0]["ipv4Address"] for body in service.bodies("PUT")] == [
        "192.0.2.1",
        "192.0.2.2",
    ]
    assert done.err.splitlines() == ["api.c1.example.com A 192.0.2.1", "*.apps.c1.example.com A 192.0.2.2"]


def test_without_a_zone_the_records_are_told(run: Run, service: FakeService) -> None:
    """The domain may be kept elsewhere."""
    lists(service, "example.org", "ample.com")
    done = run("publish", "c1")
    assert done.code == Exit.NOT_FOUND
    assert "  api.c1.example.com A 192.0.2.1\n" in done.err
    assert "--zone-resource-group" in done.err


def test_the_zone_may_be_in_another_group(run: Run, service: FakeService) -> None:
    """Zones often belong to somebody else."""
    lists(service)
    service.on("GET", ZONES.replace("/group/", "/dns/"), Reply(200, {"value": [{"name": "example.com", "id": "/z"}]}))
    for name in ("api.c1", "%2A.apps.c1"):
        service.on("PUT", f"{ARM}/z/A/{name}", Reply(200, {}))
    assert run("publish", "c1", "--zone-resource-group", "dns").code == 0


def test_a_cluster_without_addresses_has_nothing_to_publish(run: Run, service: FakeService) -> None:
    """It is still being made, or the service publishes its names."""
    lists(service)
    service.on("GET", CLUSTER, Reply(200, cluster(apiserverProfile={}, ingressProfiles=[])))
    done = run("publish", "c1")
    assert done.code == Exit.REFUSED
    assert service.bodies("PUT") == []
