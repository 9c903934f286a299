"""DNS zones with `azure-mgmt-dns`."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.dns import DnsManagementClient

from tests.emulator.integration.arm.stage import Stage


@pytest.fixture
def dns(stage: Stage) -> Iterator[Any]:
    """Yield the owner's client."""
    with DnsManagementClient(stage.owner, stage.world.subscription_id) as client:
        yield client


@pytest.fixture
def zone(dns: Any, group: str) -> str:
    """Create a zone; return its name."""
    name = f"{uuid4().hex[:8]}.example.com"
    created = dns.zones.create_or_update(group, name, {"location": "global"})
    assert len(created.name_servers) == 4
    return name


def test_a_zone_delegates_itself(dns: Any, group: str, zone: str) -> None:
    """A zone's NS and SOA records exist from the start and cannot be deleted, except with the zone."""
    assert sorted(found.type.rsplit("/", 1)[-1] for found in dns.record_sets.list_by_dns_zone(group, zone)) == [
        "NS",
        "SOA",
    ]
    with pytest.raises(HttpResponseError, match="cannot be deleted"):
        dns.record_sets.delete(group, zone, "@", "NS")
    dns.zones.begin_delete(group, zone).result()
    with pytest.raises(ResourceNotFoundError):
        dns.zones.get(group, zone)


def test_a_record_is_claimed_once(dns: Any, group: str, zone: str) -> None:
    """`If-None-Match: *` creates and never replaces; metadata and TTL come back."""
    body = {"properties": {"TTL": 300, "metadata": {"resourceId": "/one"}}}
    made = dns.record_sets.create_or_update(group, zone, "api.c1", "A", body, if_none_match="*")
    assert (made.ttl, made.metadata, made.a_records, made.fqdn) == (300, {"resourceId": "/one"}, [], f"api.c1.{zone}.")
    with pytest.raises(HttpResponseError) as caught:
        dns.record_sets.create_or_update(group, zone, "api.c1", "A", body, if_none_match="*")
    assert caught.value.status_code == 412


def test_a_record_is_changed_by_who_read_it(dns: Any, group: str, zone: str) -> None:
    """`If-Match` with an outdated ETag refuses writes and deletions."""
    body = {"properties": {"TTL": 300, "ARecords": [{"ipv4Address": "127.1.2.3"}]}}
    first = dns.record_sets.create_or_update(group, zone, "api.c2", "A", body)
    second = dns.record_sets.create_or_update(group, zone, "api.c2", "A", body, if_match=first.etag)
    assert second.etag != first.etag
    with pytest.raises(HttpResponseError) as caught:
        dns.record_sets.create_or_update(group, zone, "api.c2", "A", body, if_match=first.etag)
    assert caught.value.status_code == 412
    with pytest.raises(HttpResponseError) as caught:
        dns.record_sets.delete(group, zone, "api.c2", "A", if_match=first.etag)
    assert caught.value.status_code == 412
    dns.record_sets.delete(group, zone, "api.c2", "A", if_match=second.etag)
    dns.record_sets.delete(group, zone, "api.c2", "A")
    assert [found.name for found in dns.record_sets.list_by_type(group, zone, "A")] == []
