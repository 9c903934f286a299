"""What a GET shows of the live cluster: pure functions from objects of its API to members of the internal cluster.

The customer's administrators write these objects, so each function takes any JSON, leaves out what it cannot use, and
never raises. Nothing of this is stored.

Source: ARO-RP `pkg/util/clusterdata`.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any
from urllib.parse import urlsplit

from shared.arm import resource_id
from shared.documents import Cluster, IngressProfile, WorkerProfile

_VERSION = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}[0-9A-Za-z.+-]{0,64}")
# Names of Kubernetes objects and, with upper case, of Azure's resources and VM sizes.
_NAME = re.compile(r"[A-Za-z0-9_.()-]{1,253}")
_INT32 = range(2**31)
_MOST_CHARACTERS = 2048
_OWNER = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"
_VISIBILITIES = {"External": "Public", "Internal": "Private"}


# Members that a GET shows live and that an update can change neither in the cluster nor in its document. Beside these a
# GET shows machine sets, see `live_workers.py`.
FIXED = ("properties.clusterProfile.version", "properties.consoleProfile.url", "properties.ingressProfiles")


@dataclass(frozen=True)
class Live:
    """What was found in a cluster. None, or nothing at all, leaves the stored values.

    Attributes:
        version: the OpenShift version that it runs or is being brought to.
        console_url: the console's address.
        worker_profiles: one for each machine set.
        ingress_profiles: one for each ingress controller, without addresses.
        router_addresses: address of each ingress controller that has one, by name.
    """

    version: str | None = None
    console_url: str | None = None
    worker_profiles: list[WorkerProfile] | None = None
    ingress_profiles: list[IngressProfile] | None = None
    router_addresses: Mapping[str, str] | None = None


def with_live_values(cluster: Cluster, live: Live) -> Cluster:
    """Return a copy of an internal cluster with the live values in place of the stored ones."""
    result = copy.deepcopy(cluster)
    properties = result.setdefault("properties", {})
    if live.version:
        properties.setdefault("clusterProfile", {})["version"] = live.version
    if live.console_url:
        properties.setdefault("consoleProfile", {})["url"] = live.console_url
    if live.worker_profiles is not None:
        properties["workerProfilesStatus"] = live.worker_profiles
    stored = properties.get("ingressProfiles", [])
    # A cluster always makes its default controller again, so a moment without any is not shown.
    profiles = live.ingress_profiles or stored
    addresses = live.router_addresses
    if addresses is None:
        addresses = {profile["name"]: profile["ip"] for profile in stored if profile.get("ip")}
    if profiles:
        properties["ingressProfiles"] = [_with_address(profile, addresses) for profile in profiles]
    return result


def _with_address(profile: IngressProfile, addresses: Mapping[str, str]) -> IngressProfile:
    found: Any = {name: value for name, value in profile.items() if name != "ip"}
    address = addresses.get(profile.get("name", ""))
    named: IngressProfile = found | ({"ip": address} if address else {})
    return named


def version(cluster_version: Any) -> str | None:
    """Return the desired version of a ClusterVersion."""
    return _matching(_VERSION, _at(cluster_version, "status", "desired", "version"))


def console_url(console: Any) -> str | None:
    """Return the address in the status of the configuration's Console, with the slash that the stored address has.

    Only https is taken, because clients make a link of it.
    """
    url = _at(console, "status", "consoleURL")
    if not isinstance(url, str) or len(url) > _MOST_CHARACTERS:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts._replace(path=parts.path or "/").geturl() if parts.scheme == "https" and parts.hostname else None


def worker_profiles(subscription_id: str, machine_sets: Iterable[Any]) -> list[WorkerProfile]:
    """Return a profile for each machine set, in the order of their names.

    The profile of a set without a ready machine has only the name and the count: nobody knows yet whether Azure takes
    the rest.

    Args:
        subscription_id: the cluster's subscription, in which its network is.
        machine_sets: the MachineSets of `openshift-machine-api`.
    """
    profiles = [profile for found in machine_sets if (profile := _worker_profile(subscription_id, found))]
    return sorted(profiles, key=lambda profile: profile["name"])


def _worker_profile(subscription_id: str, machine_set: Any) -> WorkerProfile | None:
    name = _name(machine_set)
    if not name:
        return None
    replicas = _at(machine_set, "spec", "replicas")
    members: dict[str, Any] = {"name": name, "count": 1 if replicas is None else _number(replicas)}
    spec = _at(machine_set, "spec", "template", "spec", "providerSpec", "value")
    if _number(_at(machine_set, "status", "readyReplicas")) and isinstance(spec, dict):
        encrypted = _at(spec, "securityProfile", "encryptionAtHost") is True
        members |= {
            "vmSize": _matching(_NAME, spec.get("vmSize")),
            "diskSizeGB": _number(_at(spec, "osDisk", "diskSizeGB")),
            "subnetId": _subnet_id(subscription_id, spec),
            "encryptionAtHost": "Enabled" if encrypted else "Disabled",
            "diskEncryptionSetId": _encryption_set_id(spec),
        }
    profile: Any = {member: value for member, value in members.items() if value is not None}
    made: WorkerProfile = profile
    return made


def _subnet_id(subscription_id: str, spec: Mapping[str, Any]) -> str | None:
    group = spec.get("networkResourceGroup") or spec.get("resourceGroup")
    names = [_matching(_NAME, name) for name in (group, spec.get("vnet"), spec.get("subnet"))]
    if not all(names):
        return None
    return (
        f"/subscriptions/{subscription_id}/resourceGroups/{names[0]}/providers/Microsoft.Network"
        f"/virtualNetworks/{names[1]}/subnets/{names[2]}"
    )


def _encryption_set_id(spec: Mapping[str, Any]) -> str | None:
    found = _at(spec, "osDisk", "managedDisk", "diskEncryptionSet", "id")
    is_id = isinstance(found, str) and len(found) <= _MOST_CHARACTERS and resource_id.try_parse(found)
    return found if is_id else None


def ingress_profiles(controllers: Iterable[Any]) -> list[IngressProfile]:
    """Return name and visibility of each ingress controller, in the order of their names.

    A controller that publishes its routers in another way than with a load balancer has no visibility.
    """
    found = ((_name(controller), _visibility(controller)) for controller in controllers)
    profiles: list[IngressProfile] = [
        {"name": name, "visibility": visibility} if visibility else {"name": name} for name, visibility in found if name
    ]
    return sorted(profiles, key=lambda profile: profile["name"])


def _visibility(controller: Any) -> str | None:
    strategy = _at(controller, "spec", "endpointPublishingStrategy")
    if strategy is None:
        return "Public"
    if _at(strategy, "type") != "LoadBalancerService":
        return None
    scope = _at(strategy, "loadBalancer", "scope")
    return _VISIBILITIES.get(scope or "External") if scope is None or isinstance(scope, str) else None


def router_addresses(services: Iterable[Any]) -> dict[str, str]:
    """Return the address of each ingress controller whose router's Service has one.

    Args:
        services: the Services of the routers. A label names the controller; if it is missing, the Service's own name
            does, `router-<controller>`.
    """
    found = {}
    for service in services:
        owner = _matching(_NAME, _at(service, "metadata", "labels", _OWNER))
        owner = owner or (_name(service) or "").removeprefix("router-")
        addresses = _at(service, "status", "loadBalancer", "ingress")
        first = addresses[0] if isinstance(addresses, list) and addresses else None
        address = _address(_at(first, "ip"))
        if owner and address:
            found[owner] = address
    return found


def _address(value: Any) -> str | None:
    try:
        return str(IPv4Address(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _name(found: Any) -> str | None:
    return _matching(_NAME, _at(found, "metadata", "name"))


def _at(value: Any, *path: str) -> Any:
    """Return a member of JSON, or None if an object on the way to it is missing or is something else."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _matching(pattern: re.Pattern[str], value: Any) -> str | None:
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _INT32 else None
