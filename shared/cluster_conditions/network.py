"""What is wrong with the network of a cluster, as Azure shows it: its subnets, security groups and route tables.

Source: ARO-RP `pkg/monitor/azure/nsg`. The name servers of the network are not asked: only machines in it can.
"""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network
from itertools import product
from typing import Any

from shared.azure.arm_reads import ArmReads, Document
from shared.cluster_conditions import facts
from shared.documents import ClusterDocument, NetworkProblem

_VERSION = "2019-07-01"
_EVERYWHERE = "0.0.0.0/0"
_MASTER, _WORKER = "master", "worker"
_ALL = ("*", "VirtualNetwork")


def problems(document: ClusterDocument, arm: ArmReads) -> list[NetworkProblem]:
    """Return what is wrong, in the order of reasons and messages.

    Args:
        document: the cluster document.
        arm: reads the customer's resources.

    Raises:
        ArmRefused, CloudError: Azure does not show it.
    """
    properties = document["openShiftCluster"]["properties"]
    network = properties.get("networkProfile") or {}
    workers = [each.get("subnetId", "") for each in properties.get("workerProfiles") or []]
    ids = {_MASTER: properties["masterProfile"]["subnetId"], **({_WORKER: workers[0]} if workers else {})}
    subnets = {role: arm.get(subnet_id, _VERSION) for role, subnet_id in ids.items()}
    found = [
        NetworkProblem(reason="SubnetMissing", message=f"The subnet '{facts.text(ids[role])}' does not exist")
        for role, subnet in subnets.items()
        if subnet is None
    ]
    existing = {role: subnet for role, subnet in subnets.items() if subnet is not None}
    found += _without_group(existing)
    if network.get("preconfiguredNSG") == "Enabled":
        found += _denials(existing, arm)
    if network.get("outboundType") == "UserDefinedRouting":
        found += _without_route(existing, arm)
    return sorted(found, key=lambda each: (each["reason"], each["message"]))


def _without_group(subnets: Mapping[str, Document]) -> Iterator[NetworkProblem]:
    for subnet in subnets.values():
        if not _linked(subnet, "networkSecurityGroup"):
            name = facts.text(subnet.get("name"))
            yield NetworkProblem(reason="SecurityGroupMissing", message=f"The subnet '{name}' has no security group")


def _denials(subnets: Mapping[str, Document], arm: ArmReads) -> Iterator[NetworkProblem]:
    """Yield the rules that deny traffic of the control plane, whatever their ports and priorities."""
    prefixes = {role: _prefixes(facts.at(subnet, "properties"), "addressPrefix") for role, subnet in subnets.items()}
    for group_id in sorted({_linked(subnet, "networkSecurityGroup") for subnet in subnets.values()} - {""}):
        rules = facts.at(arm.get(group_id, _VERSION), "properties", "securityRules")
        for rule in rules if isinstance(rules, list) else []:
            members = facts.at(rule, "properties")
            if facts.at(members, "access") != "Deny":
                continue
            ends = (_roles(_prefixes(members, f"{side}AddressPrefix"), prefixes) for side in ("source", "destination"))
            if any(pair != (_WORKER, _WORKER) for pair in product(*ends)):
                name, group = facts.text(facts.at(rule, "name")), group_id.rsplit("/", 1)[-1]
                message = (
                    f"Rule '{name}' of the security group '{facts.text(group)}' denies traffic of the control plane"
                )
                yield NetworkProblem(reason="SecurityRuleDenies", message=message)


def _without_route(subnets: Mapping[str, Document], arm: ArmReads) -> Iterator[NetworkProblem]:
    for subnet in subnets.values():
        table = _linked(subnet, "routeTable")
        routes = facts.at(arm.get(table, _VERSION), "properties", "routes") if table else None
        listed = routes if isinstance(routes, list) else []
        if not any(facts.at(each, "properties", "addressPrefix") == _EVERYWHERE for each in listed):
            name = facts.text(subnet.get("name"))
            message = f"The subnet '{name}' has no route to {_EVERYWHERE}, although the cluster has no other way out"
            yield NetworkProblem(reason="DefaultRouteMissing", message=message)


def _linked(subnet: Document, member: str) -> str:
    found = facts.at(subnet, "properties", member, "id")
    return found if isinstance(found, str) else ""


def _prefixes(members: Any, name: str) -> list[str]:
    several = facts.at(members, f"{name}es")
    found = [facts.at(members, name), *(several if isinstance(several, list) else [])]
    return [each for each in found if isinstance(each, str)]


def _roles(rule: Iterable[str], subnets: Mapping[str, list[str]]) -> set[str]:
    """Return what the prefixes of a rule stand for: everything, or the subnets that they overlap."""
    found = {prefix for prefix in rule if prefix in _ALL}
    return found | {role for role, own in subnets.items() for each in own for prefix in rule if _overlap(prefix, each)}


def _overlap(one: str, other: str) -> bool:
    try:
        return ip_network(one, strict=False).overlaps(ip_network(other, strict=False))
    except (ValueError, TypeError):
        return False
