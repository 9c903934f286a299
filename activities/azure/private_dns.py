"""Reads back the private zone: machines that resolve a wrong address never join, and nothing else would explain it."""

from azure.mgmt.privatedns import PrivateDnsManagementClient
from azure.mgmt.privatedns.models import RecordSet

from activities.azure import network
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.azure.sdk_values import text
from shared.release.release_rules import MASTERS

_ETCD = "_etcd-server-ssl._tcp"


def _private_dns_ready(step: Step) -> Outcome | None:
    """Compare the zone with the load balancer and the network interfaces; wait for the link to the network.

    Raises:
        CloudError: `DeploymentFailed`, naming each wrong record: its values, and the right ones.
    """
    zone, client = step.domain, step.customer(PrivateDnsManagementClient)
    found = {
        (str(record.name), str(record.type).rsplit("/", 1)[-1]): _values(record)
        for record in client.record_sets.list(step.resource_group, zone)
    }
    wanted = _wanted(step, zone)
    if missing := [name for name in wanted if name not in found]:
        return wait(f"record '{missing[0][0]}.{zone}' ({missing[0][1]}) is not there")
    wrong = [
        (
            f"The private DNS record '{name}.{zone}' ({kind}) says {_said(found[name, kind])} and has to say "
            f"{_said(values)}."
        )
        for (name, kind), values in wanted.items()
        if found[name, kind] != values
    ]
    if wrong:
        raise CloudError(
            500,
            ErrorCode.DEPLOYMENT_FAILED,
            " ".join(wrong),
            details=[{"code": "AzureResource", "message": _zone_id(step, zone)}],
            # Only somebody in the customer's subscription can have changed them since the deployment.
            owner=Owner.CUSTOMER,
        )
    for link in client.virtual_network_links.list(step.resource_group, zone):
        if link.virtual_network_link_state != "Completed":
            return wait(f"the zone's link to the virtual network is {text(link.virtual_network_link_state)}")
        return None
    return wait("the zone is not linked to the virtual network")


def _wanted(step: Step, zone: str) -> dict[tuple[str, str], set[str]]:
    internal = {network.internal_address(step)}
    masters = range(MASTERS)
    return {
        ("api", "A"): internal,
        ("api-int", "A"): internal,
        **{(f"etcd-{number}", "A"): {network.master_address(step, number)} for number in masters},
        (_ETCD, "SRV"): {f"10 10 2380 etcd-{number}.{zone}" for number in masters},
    }


def _values(record: RecordSet) -> set[str]:
    """Return the values of a record of either kind, as a zone file writes them."""
    addresses = {str(a.ipv4_address) for a in record.a_records or []}
    services = {
        f"{srv.priority} {srv.weight} {srv.port} {str(srv.target).rstrip('.')}" for srv in record.srv_records or []
    }
    return addresses | services


def _said(values: set[str]) -> str:
    return ", ".join(sorted(values)) or "nothing"


def _zone_id(step: Step, zone: str) -> str:
    return f"{step.properties['clusterProfile']['resourceGroupId']}/providers/Microsoft.Network/privateDnsZones/{zone}"


private_dns_ready = Executor(status=_private_dns_ready)
