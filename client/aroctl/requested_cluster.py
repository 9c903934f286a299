"""The body of a create: what a file or flags say, what the network says, and for the rest the usual values."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from aroctl.api import Api, Json
from aroctl.clusters import PROVIDER, Cluster
from aroctl.problems import Problem, wrong

MASTER_SUBNET, WORKER_SUBNET = "properties.masterProfile.subnetId", "properties.workerProfiles[].subnetId"
VERSION = "properties.clusterProfile.version"
_NETWORK_VERSION, _SIZES_VERSION = "2024-05-01", "2021-07-01"
# What `az aro create` sends, too, if its user says nothing else.
USUAL: Mapping[str, Any] = {
    "properties.clusterProfile.fipsValidatedModules": "Disabled",
    "properties.networkProfile.podCidr": "10.128.0.0/14",
    "properties.networkProfile.serviceCidr": "172.30.0.0/16",
    "properties.masterProfile.vmSize": "Standard_D8s_v5",
    "properties.masterProfile.encryptionAtHost": "Disabled",
    "properties.workerProfiles[].name": "worker",
    "properties.workerProfiles[].vmSize": "Standard_D4s_v5",
    "properties.workerProfiles[].diskSizeGB": 128,
    "properties.workerProfiles[].count": 3,
    "properties.workerProfiles[].encryptionAtHost": "Disabled",
    "properties.apiserverProfile.visibility": "Public",
    "properties.ingressProfiles[].name": "default",
    "properties.ingressProfiles[].visibility": "Public",
}


@dataclass(frozen=True)
class Network:
    """The network that flags name.

    Args:
        id: its id, or "".
        master: name or id of the masters' subnet.
        worker: name or id of the workers' subnet.
    """

    id: str
    master: str
    worker: str


def read(path: Path | None) -> Json:
    """Return the body in a file, or {} without one.

    Raises:
        Problem: the file cannot be read, or is not an object.
    """
    if path is None:
        return {}
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        found = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise wrong(
            f"'{path}' cannot be read: {error}", "It must be JSON or YAML, as the body of the request."
        ) from error
    if not isinstance(found, dict):
        raise wrong(f"'{path}' is not an object.", "It must be JSON or YAML, as the body of the request.")
    # YAML has dates, which JSON has not.
    document: Json = json.loads(json.dumps(found, default=str))
    return document


def get(body: Json, path: str) -> Any:
    """Return what a body has at a path, of a list its first item; None for nothing."""
    value: Any = body
    for name in path.split("."):
        value = value.get(name.removesuffix("[]")) if isinstance(value, dict) else None
        if name.endswith("[]"):
            value = value[0] if isinstance(value, list) and value else None
    return value


def put(body: Json, path: str, value: Any) -> None:
    """Set what a body has at a path, of a list in its first item."""
    *names, last = path.split(".")
    for name in names:
        key = name.removesuffix("[]")
        if name.endswith("[]"):
            body.setdefault(key, [{}])
            body = body[key][0]
        else:
            body = body.setdefault(key, {})
    body[last] = value


def complete(body: Json, cluster: Cluster) -> None:
    """Add the usual values where a body has none."""
    usual = {"properties.clusterProfile.resourceGroupId": group_id(cluster, f"aro-{cluster.name}"), **USUAL}
    for path, value in usual.items():
        if get(body, path) is None:
            put(body, path, value)


def group_id(cluster: Cluster, name: str) -> str:
    """Return the id of a group in the cluster's subscription."""
    return name if "/" in name else f"/subscriptions/{cluster.subscription}/resourceGroups/{name}"


def add_network(body: Json, arm: Api, network: Network) -> None:
    """Add what the virtual network says: where it is, and the ids of its subnets.

    Args:
        body: the body.
        arm: Azure Resource Manager.
        network: the network.

    Raises:
        Problem: the network cannot be read, or has no such subnet.
    """
    found = arm.get(network.id, _NETWORK_VERSION)
    body.setdefault("location", found["location"])
    subnets = {each["name"].lower(): each["id"] for each in found["properties"].get("subnets", [])}
    for path, option, name in (
        (MASTER_SUBNET, "--master-subnet", network.master),
        (WORKER_SUBNET, "--worker-subnet", network.worker),
    ):
        if "/" in name:
            put(body, path, name)
        elif name.lower() in subnets:
            put(body, path, subnets[name.lower()])
        elif get(body, path) is None:
            raise wrong(
                f"The network '{found['name']}' has no subnet '{name}'. It has: {', '.join(subnets) or 'none'}.",
                f"Name one of these with {option}, or make it.",
            )


def tags(given: list[str]) -> Json:
    """Return tags that are written as NAME=VALUE.

    Raises:
        Problem: one is not.
    """
    found: Json = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise wrong(f"'{each}' is not a tag.", "Write it as NAME=VALUE.")
        found[name] = value
    return found


def network_of(body: Json) -> str:
    """Return the id of the network whose subnets a body names, or ""."""
    return str(get(body, MASTER_SUBNET) or "").partition("/subnets/")[0]


def choose_version(body: Json, service: Api, cluster: Cluster) -> None:
    """Replace a version such as 4.19 by the newest of the catalogue that begins so.

    Raises:
        Problem: the catalogue has none.
    """
    wanted = str(get(body, VERSION) or "")
    if not wanted:
        return
    found = versions(service, cluster.subscription, body["location"])
    fitting = [each for each in found if each == wanted or each.startswith(f"{wanted}.")]
    if not fitting:
        raise wrong(f"OpenShift {wanted} cannot be installed.", f"Choose one of: {', '.join(found) or 'none'}.")
    put(body, VERSION, fitting[-1])


def versions(service: Api, subscription: str, location: str) -> list[str]:
    """Return the versions that can be installed, the oldest first."""
    path = f"/subscriptions/{subscription}/providers/{PROVIDER}/locations/{location}/openShiftVersions"
    return [each["properties"]["version"] for each in service.values(path)]


def zones(arm: Api, subscription: str, location: str, sizes: set[str]) -> dict[str, str]:
    """Return the availability zones in which each machine size may be used, in words; {} if they may not be read."""
    path = f"/subscriptions/{subscription}/providers/Microsoft.Compute/skus"
    query = f"api-version={_SIZES_VERSION}&%24filter=location%20eq%20%27{location}%27"
    try:
        found = arm.call("GET", path, query=query).body["value"]
    except Problem:
        return {}
    offered = {sku["name"]: _zones(sku) for sku in found if sku.get("resourceType") == "virtualMachines"}
    return {size: offered.get(size, f"not offered in {location}") for size in sizes}


def _zones(sku: Json) -> str:
    held = {zone for each in sku.get("locationInfo") or [] for zone in each.get("zones") or []}
    for restriction in sku.get("restrictions") or []:
        if restriction["type"] == "Location":
            return f"closed to this subscription ({restriction.get('reasonCode', 'no reason given')})"
        held -= set((restriction.get("restrictionInfo") or {}).get("zones") or [])
    return f"zones {', '.join(sorted(held))}" if held else "no zones"
