"""`publish`: the two names of a cluster, in a zone of its owner."""

from typing import Annotated

import typer

from aroctl import record, requested_cluster, session
from aroctl.api import Json
from aroctl.options import Group, Name, Subscription
from aroctl.problems import Exit, Problem
from aroctl.requested_cluster import get

_ZONES, _VERSION = "providers/Microsoft.Network/dnsZones", "2018-05-01"
# As `az network dns record-set a` makes them: an address may change when a cluster is created again.
_SECONDS = 300


def publish(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    zone_group: Annotated[
        str, typer.Option("--zone-resource-group", metavar="GROUP", help="The zone's group; the cluster's by default.")
    ] = "",
) -> None:
    """Write the names of a cluster into the zone of Azure DNS that has its domain: api.DOMAIN and *.apps.DOMAIN.

    You read and write the zone with your own rights.
    """
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    found = caller.service.get(cluster.id)
    records = record.records(found)
    if not records:
        domain = get(found, "properties.clusterProfile.domain")
        raise Problem(
            Exit.REFUSED,
            f"There is nothing to publish: '{cluster.name}' has no addresses yet, or the service publishes '{domain}'.",
        )
    # Whoever may use only one group cannot list those of the subscription.
    zones_group = requested_cluster.group_id(cluster, zone_group or cluster.group)
    zone = _zone(caller.arm.values(f"{zones_group}/{_ZONES}", _VERSION), zones_group, records)
    for host, address in records.items():
        path = f"{zone['id']}/A/{host.removesuffix(zone['name']).removesuffix('.')}"
        body = {"properties": {"TTL": _SECONDS, "ARecords": [{"ipv4Address": address}]}}
        caller.arm.call("PUT", path, body, version=_VERSION)
        caller.service.progress.note(f"{host} A {address}")


def _zone(zones: list[Json], where: str, records: dict[str, str]) -> Json:
    """Return the zone that has the names: of several, the one that is the closest to them.

    Raises:
        Problem: there is none.
    """
    fitting = [zone for zone in zones if all(host.endswith(f".{zone['name']}") for host in records)]
    if not fitting:
        raise Problem(
            Exit.NOT_FOUND,
            f"No zone of Azure DNS in {where} has the cluster's domain.",
            "Name the zone's group with --zone-resource-group, make a zone (az network dns zone create), or make these "
            "records where the domain is kept.",
            [f"{host} A {address}" for host, address in records.items()],
        )
    return max(fitting, key=lambda zone: len(zone["name"]))
