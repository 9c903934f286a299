"""The cluster's records in the zone of managed domains; only for clusters whose domain this service manages."""

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.dns import DnsManagementClient
from azure.mgmt.dns.models import ARecord, RecordSet

from activities.runtime.executor import Executor
from activities.runtime.step import Step, own
from shared import durations, settings
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters import cluster_names
from shared.store import get_store

_OWNER = "resourceId"
_TTL_SECONDS = int(durations.DNS_RECORD.total_seconds())


def _create_dns(step: Step) -> None:
    """Claim the domain: a record for the API server that names the cluster and has no address yet.

    A second run finds the record with the cluster's own id and changes nothing. `If-None-Match` makes sure that only
    one of two creates that race for a domain wins.

    Raises:
        CloudError: `DuplicateDomain`, for the customer: another cluster has the domain.

    Source: ARO-RP `pkg/util/dns/dns.go`, `Create`.
    """
    record = _find(step)
    if record is None:
        try:
            _create(step)
        except HttpResponseError as error:
            if error.status_code != 412:  # noqa: PLR2004 - Precondition Failed: the record exists by now
                raise
            record = _find(step)
        else:
            return
    if not _is_ours(step, record):
        raise _taken(step)


def _delete_dns(step: Step) -> None:
    """Delete the cluster's records, each looked for by itself: the other may have been removed by hand.

    The API server's goes last. A record that is missing, or not ours, is left alone, so a second run does nothing.

    Source: ARO-RP `pkg/util/dns/dns.go`, `Delete`; it leaves the router's record where the API server's is gone.
    """
    service_settings, api = settings.load(), _find(step)
    for label, record in (("*.apps", _find(step, "*.apps")), ("api", api)):
        if record is not None and (_is_ours(step, record) or (not _owner(record) and _has_domain(step, api))):
            own(DnsManagementClient).record_sets.delete(
                service_settings.resource_group,
                service_settings.domain,
                f"{label}.{_prefix(step)}",
                "A",
                if_match=record.etag,
            )


def _has_domain(step: Step, api: RecordSet | None) -> bool:
    """Tell whose a record is that names no owner, as earlier releases wrote the router's: that of the domain."""
    if api is not None:
        return _is_ours(step, api)
    domain = cluster_names.managed_name(step.properties["clusterProfile"]["domain"], settings.load().domain)
    return get_store().domains.held(str(domain), step.document["key"]) is not None


def set_address(step: Step, label: str, address: str) -> None:
    """Point a name of the cluster's domain at an address. Does nothing for a domain that its owner manages.

    A second run finds the address there and writes nothing.

    Args:
        step: the step, for its cluster.
        label: `api`, or `*.apps`.
        address: IPv4.

    Raises:
        CloudError: `DuplicateDomain`: the domain belongs to another cluster by now.

    Source: ARO-RP `pkg/util/dns/dns.go`, `Update` and `CreateOrUpdateRouter`.
    """
    if cluster_names.managed_domain(step.properties["clusterProfile"]["domain"], settings.load().domain) is None:
        return
    owner = _find(step)
    if not _is_ours(step, owner):
        raise _taken(step)
    api, service_settings = label == "api", settings.load()
    record = owner if api else _find(step, label)
    if _is_ours(step, record) and [a.ipv4_address for a in (record and record.a_records) or []] == [address]:
        return
    metadata = {**((record and record.metadata) or {}), _OWNER: step.cluster["id"]}
    wanted = RecordSet(ttl=_TTL_SECONDS, metadata=metadata, a_records=[ARecord(ipv4_address=address)])
    own(DnsManagementClient).record_sets.create_or_update(
        service_settings.resource_group,
        service_settings.domain,
        f"{label}.{_prefix(step)}",
        "A",
        wanted,
        # The API server's record, which claims the domain, is replaced only if it is unchanged.
        if_match=owner.etag if api and owner is not None else None,
    )


def _create(step: Step) -> None:
    service_settings = settings.load()
    own(DnsManagementClient).record_sets.create_or_update(
        service_settings.resource_group,
        service_settings.domain,
        f"api.{_prefix(step)}",
        "A",
        RecordSet(ttl=_TTL_SECONDS, metadata={_OWNER: step.cluster["id"]}, a_records=[]),
        if_none_match="*",
    )


def _find(step: Step, label: str = "api") -> RecordSet | None:
    service_settings, name = settings.load(), f"{label}.{_prefix(step)}"
    try:
        return own(DnsManagementClient).record_sets.get(
            service_settings.resource_group, service_settings.domain, name, "A"
        )
    except ResourceNotFoundError:
        return None


def _taken(step: Step) -> CloudError:
    domain = step.properties["clusterProfile"]["domain"]
    return CloudError(
        400,
        ErrorCode.DUPLICATE_DOMAIN,
        f"The domain '{domain}' is used by another cluster.",
        "properties.clusterProfile.domain",
    )


def _is_ours(step: Step, record: RecordSet | None) -> bool:
    return record is not None and _owner(record).lower() == str(step.cluster["id"]).lower()


def _owner(record: RecordSet) -> str:
    """Return the resource id of the cluster that a record names, or "" for none."""
    return str((record.metadata or {}).get(_OWNER, ""))


def _prefix(step: Step) -> str:
    prefix = cluster_names.managed_domain(step.properties["clusterProfile"]["domain"], settings.load().domain)
    if prefix is None:
        raise ValueError("the cluster's domain is not managed by this service")
    return prefix


create_dns = Executor(run=_create_dns)
delete_dns = Executor(run=_delete_dns)
