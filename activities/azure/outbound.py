"""The public addresses from which a cluster's workers reach the internet: their names, and the row that changes them.

They belong to the load balancer that has the infra id as its name. The cluster adds the addresses of its Services to
the same load balancer, so an update changes only what is ours, under the load balancer's ETag.
"""

import re
from http import HTTPStatus
from typing import Any, TypedDict

from azure.core.exceptions import HttpResponseError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import (
    FrontendIPConfiguration,
    FrontendIPConfigurationPropertiesFormat,
    LoadBalancer,
    OutboundRule,
    OutboundRulePropertiesFormat,
    PublicIPAddress,
    PublicIPAddressPropertiesFormat,
    PublicIPAddressSku,
    SubResource,
)

from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared.azure.sdk_values import text
from shared.documents import ClusterDocument, Properties

RULE = "outboundrule"
_FRONTEND, _ADDRESS = "outbound", "-outbound-pip-v4"
_OUR_FRONTEND = re.compile(rf"{_FRONTEND}(-[0-9]+)?")
_SETTLED = ("Succeeded", "Failed")


class Way(TypedDict):
    """A way out: the names of a frontend and of its public address."""

    frontend: str
    publicIpAddress: str


def uses_own_routes(properties: Properties) -> bool:
    """Tell whether the customer's route tables lead outside, instead of public addresses of the cluster."""
    return (properties.get("networkProfile") or {}).get("outboundType") == "UserDefinedRouting"


def ways(properties: Properties) -> list[Way]:
    """Return the ways out that a cluster asks for: none with its own routes. The first one is always the same."""
    if uses_own_routes(properties):
        return []
    profile = (properties.get("networkProfile") or {}).get("loadBalancerProfile") or {}
    count = (profile.get("managedOutboundIps") or {}).get("count") or 1
    suffixes = ["", *(f"-{number}" for number in range(2, count + 1))]
    infra_id = properties.get("infraId", "")
    return [{"frontend": _FRONTEND + each, "publicIpAddress": infra_id + _ADDRESS + each} for each in suffixes]


def is_ours(properties: Properties, address: str) -> bool:
    """Tell whether a public address of this name is a way out of the cluster, wanted or not."""
    return re.fullmatch(rf"{re.escape(properties.get('infraId', ''))}{_ADDRESS}(-[0-9]+)?", address) is not None


def store_effective(step: Step) -> None:
    """Store the ids of the addresses that the outbound rule uses. A second run writes nothing."""
    effective = [{"id": _address_id(step, way)} for way in ways(step.properties)]
    if not effective:
        return

    def change(document: ClusterDocument) -> bool:
        networking = document["openShiftCluster"]["properties"].setdefault("networkProfile", {})
        profile = networking.setdefault("loadBalancerProfile", {})
        before = profile.get("effectiveOutboundIps")
        profile["effectiveOutboundIps"] = effective
        return before != effective

    step.decide(change)


def _reconcile(step: Step) -> Outcome | None:
    """Let the load balancer use exactly the wanted addresses, and delete the others.

    New addresses exist before the load balancer refers to them, and the load balancer no longer refers to those that
    are deleted. Each run does what is next and waits. A second run continues from what it finds in Azure. An address
    with which a Service of the cluster shares its frontend stays, but workers no longer send from it.

    Source: ARO-RP `pkg/cluster/loadbalancerprofile.go`. Ports for SNAT are Azure's to allocate there as well.
    """
    network = step.customer(NetworkManagementClient)
    addresses = {
        str(each.name): each
        for each in network.public_ip_addresses.list(step.resource_group)
        if is_ours(step.properties, str(each.name))
    }
    if outcome := _create_addresses(step, network, addresses):
        return outcome
    name = step.properties["infraId"]
    balancer = network.load_balancers.get(step.resource_group, name)
    state = text(balancer.provisioning_state)
    if state not in _SETTLED:
        return wait(f"load balancer '{name}' is {state}")
    if _change(step, balancer) or state == "Failed":
        return _put_balancer(step, network, balancer)
    store_effective(step)
    return _delete_addresses(step, network, addresses)


def _create_addresses(
    step: Step, network: NetworkManagementClient, addresses: dict[str, PublicIPAddress]
) -> Outcome | None:
    wanted = [way["publicIpAddress"] for way in ways(step.properties)]
    states = {name: addresses[name].provisioning_state if name in addresses else None for name in wanted}
    for name in [name for name, state in states.items() if state in (None, "Failed")]:
        network.public_ip_addresses.begin_create_or_update(
            step.resource_group,
            name,
            PublicIPAddress(
                location=step.cluster["location"],
                sku=PublicIPAddressSku(name="Standard"),
                properties=PublicIPAddressPropertiesFormat(public_ip_allocation_method="Static"),
            ),
            polling=False,
        )
    unfinished = [name for name, state in states.items() if state != "Succeeded"]
    return wait(f"public address '{unfinished[0]}' is being created") if unfinished else None


def _change(step: Step, balancer: LoadBalancer) -> bool:
    """Change our frontends and our outbound rule on a load balancer; return whether anything differs."""
    wanted = {way["frontend"]: way for way in ways(step.properties)}
    before = list(balancer.frontend_ip_configurations or [])
    known = {str(each.name) for each in before}
    kept = [each for each in before if str(each.name) in wanted or not _is_unused(each)]
    made = [
        FrontendIPConfiguration(
            name=name,
            properties=FrontendIPConfigurationPropertiesFormat(
                public_ip_address=PublicIPAddress(id=_address_id(step, way))
            ),
        )
        for name, way in wanted.items()
        if name not in known
    ]
    balancer.frontend_ip_configurations = kept + made
    return _set_rule(balancer, [f"{balancer.id}/frontendIPConfigurations/{name}" for name in wanted]) or bool(
        made or kept != before
    )


def _is_unused(frontend: FrontendIPConfiguration) -> bool:
    """Tell whether a frontend is ours and no rule of a Service leads in through it."""
    ours = _OUR_FRONTEND.fullmatch(str(frontend.name)) is not None
    return ours and not frontend.load_balancing_rules and not frontend.inbound_nat_rules


def _set_rule(balancer: LoadBalancer, frontends: list[str]) -> bool:
    """Let the outbound rule have these frontends; return whether it had others, or was missing."""
    rules = list(balancer.outbound_rules or [])
    rule: Any = next((each for each in rules if each.name == RULE), None)
    if rule is None:
        pool = SubResource(id=f"{balancer.id}/backendAddressPools/{balancer.name}")
        properties = OutboundRulePropertiesFormat(
            backend_address_pool=pool, frontend_ip_configurations=[], protocol="All", idle_timeout_in_minutes=30
        )
        rule = OutboundRule(name=RULE, properties=properties)
        balancer.outbound_rules = [*rules, rule]
    before = {str(each.id).lower() for each in rule.frontend_ip_configurations or []}
    rule.frontend_ip_configurations = [SubResource(id=each) for each in frontends]
    return before != {each.lower() for each in frontends}


def _put_balancer(step: Step, network: NetworkManagementClient, balancer: LoadBalancer) -> Outcome:
    """Send a load balancer, unless somebody has changed it since it was read."""
    name = str(balancer.name)
    try:
        network.load_balancers.begin_create_or_update(
            step.resource_group, name, balancer, headers={"If-Match": str(balancer.etag)}, polling=False
        )
    except HttpResponseError as error:
        if error.status_code != HTTPStatus.PRECONDITION_FAILED:
            raise
        return wait(f"load balancer '{name}' was changed by the cluster meanwhile")
    return wait(f"load balancer '{name}' is being updated")


def _delete_addresses(
    step: Step, network: NetworkManagementClient, addresses: dict[str, PublicIPAddress]
) -> Outcome | None:
    wanted = {way["publicIpAddress"] for way in ways(step.properties)}
    left = [name for name, each in addresses.items() if name not in wanted and each.ip_configuration is None]
    for name in left:
        if addresses[name].provisioning_state != "Deleting":
            network.public_ip_addresses.begin_delete(step.resource_group, name, polling=False)
    return wait(f"public address '{left[0]}' is being deleted") if left else None


def _address_id(step: Step, way: Way) -> str:
    group = step.properties["clusterProfile"]["resourceGroupId"]
    return f"{group}/providers/Microsoft.Network/publicIPAddresses/{way['publicIpAddress']}"


reconcile_load_balancer_profile = Executor(run=_reconcile, status=_reconcile)
