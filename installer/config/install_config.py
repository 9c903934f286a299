"""The install-config: what the customer asked for, in the format of OpenShift's installer."""

import base64
import ipaddress
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from installer.graph import Content
from shared.arm import resource_id
from shared.arm.names import normal_location
from shared.release import machine_image, release_rules

_MASTER_DISK_GIB = 1024
OUTBOUND_TYPES = ("Loadbalancer", "UserDefinedRouting")
_OWN_ROUTES = OUTBOUND_TYPES[1]
_RELEASE_REPOSITORIES = ("ocp-release", "ocp-release-nightly", "ocp-v4.0-art-dev")
# The cluster would send its telemetry there, with the customer's credentials.
_TELEMETRY = "cloud.openshift.com"
_NO_PLAN, _DISK_TYPE = "NoPurchasePlan", "Premium_LRS"
_TRUSTED = "TrustedLaunch"
# `Mint` is refused on Azure.
PASSTHROUGH, MANUAL = "Passthrough", "Manual"


def domain(config: Content) -> str:
    """Return the cluster's domain."""
    return f"{config['metadata']['name']}.{config['baseDomain']}"


def names(config: Content) -> dict[str, str]:
    """Return the names for which certificates are issued."""
    service_network = ipaddress.ip_network(config["networking"]["serviceNetwork"][0])
    return {"domain": domain(config), "service_ip": str(service_network[1])}


def azure(config: Content) -> dict[str, Any]:
    """Return the part about Azure."""
    platform: dict[str, Any] = config["platform"]["azure"]
    return platform


def uses_own_routes(config: Content) -> bool:
    """Tell whether the route tables of the machines' subnets lead outside, instead of a load balancer."""
    return azure(config).get("outboundType") == _OWN_ROUTES


def pull_secret(customers: str, registries: Mapping[str, str]) -> str:
    """Return the customer's pull secret with the service's registries added and Red Hat's telemetry removed.

    Args:
        customers: JSON, or "".
        registries: `user:password` by login server.

    Source: ARO-RP `pkg/util/pullsecret/pullsecret.go`.
    """
    auths = dict((json.loads(customers or "{}") or {}).get("auths") or {})
    for server, credential in registries.items():
        auths[server] = {"auth": base64.b64encode(credential.encode()).decode("ascii")}
    auths.pop(_TELEMETRY, None)
    return json.dumps({"auths": auths}, separators=(",", ":"))


def is_manual(config: Content) -> bool:
    """Tell whether each of the cluster's operators has an identity of its own, and nobody a secret for Azure."""
    return config.get("credentialsMode") == MANUAL


@dataclass(frozen=True)
class Source:
    """What an install-config is made from.

    Args:
        cluster: the internal cluster.
        version: OpenShift version, x.y.z.
        image: the machines' image, as the cluster's document has it; empty if the installer finds one.
        name: first label of the cluster's domain.
        base_domain: the rest of its domain.
        ssh_key: public key, in the format of `authorized_keys`.
        pull_secret: JSON.
        credentials_mode: how the cluster's operators get their credentials: `PASSTHROUGH`, they share one service
            principal; `MANUAL`, each has its own.
        machine_networks: returns the ranges of the machines' subnets. It asks Azure, so it is called only where a
            member needs it.
    """

    cluster: Mapping[str, Any]
    version: str
    image: Mapping[str, Any]
    name: str
    base_domain: str
    ssh_key: str
    pull_secret: str
    credentials_mode: str = PASSTHROUGH
    machine_networks: Callable[[], list[str]] = list

    @property
    def properties(self) -> Mapping[str, Any]:
        """The cluster's properties."""
        properties: Mapping[str, Any] = self.cluster["properties"]
        return properties


@dataclass(frozen=True)
class Member:
    """A member that the install-config of one back end has.

    Args:
        path: names and indexes, with dots between them.
        value: returns its value, or None if the cluster needs no such member.
        since: the first release whose installer knows it.
    """

    path: str
    value: Callable[[Source], Any]
    since: tuple[int, int] = (0, 0)


def from_cluster(source: Source, installer: str) -> Content:
    """Return the install-config of a cluster: what all back ends read, and the members of this one.

    Args:
        source: what is known of the cluster.
        installer: the back end, a name in `MEMBERS`.

    Source: ARO-RP `pkg/cluster/install.go`, `generateInstallConfig`; for OpenShift 4.16 and later
    openshift/installer-aro-wrapper `pkg/installer/generateconfig.go`.
    """
    config = _common(source)
    for member in MEMBERS[installer]:
        if release_rules.minor(source.version) >= member.since and (value := member.value(source)) is not None:
            _put(config, member.path, value)
    return config


def _common(source: Source) -> Content:
    properties = source.properties
    network, masters, workers = (
        properties["networkProfile"],
        properties["masterProfile"],
        properties["workerProfiles"][0],
    )
    return {
        "apiVersion": "v1",
        "metadata": {"creationTimestamp": None, "name": source.name},
        "baseDomain": source.base_domain,
        "sshKey": source.ssh_key,
        "pullSecret": source.pull_secret,
        "networking": {
            "networkType": release_rules.network_type(source.version),
            "clusterNetwork": [{"cidr": network["podCidr"], "hostPrefix": release_rules.HOST_PREFIX}],
            "serviceNetwork": [network["serviceCidr"]],
        },
        "controlPlane": _pool("master", masters, release_rules.MASTERS, _MASTER_DISK_GIB, properties),
        "compute": [_pool(workers["name"], workers, workers["count"], workers["diskSizeGB"], properties)],
        "platform": {"azure": _azure(source.cluster)},
        "publish": "Internal" if properties["ingressProfiles"][0]["visibility"] == "Private" else "External",
    }


def _pool(
    name: str, profile: Mapping[str, Any], replicas: int, disk_gib: int, properties: Mapping[str, Any]
) -> dict[str, Any]:
    disk: dict[str, Any] = {"diskSizeGB": disk_gib}
    if profile.get("diskEncryptionSetId"):
        encryption_set = resource_id.parse(profile["diskEncryptionSetId"])
        disk["diskEncryptionSet"] = {
            "subscriptionId": encryption_set.subscription_id,
            "resourceGroup": encryption_set.resource_group,
            "name": encryption_set.name,
        }
    machine: dict[str, Any] = {"type": profile["vmSize"], "osDisk": disk, "zones": properties.get("zones") or [""]}
    if profile.get("encryptionAtHost") == "Enabled":
        machine["encryptionAtHost"] = True
    return {
        "name": name,
        "replicas": replicas,
        "architecture": "amd64",
        "hyperthreading": "Enabled",
        "platform": {"azure": machine},
    }


def _azure(cluster: Mapping[str, Any]) -> dict[str, Any]:
    properties = cluster["properties"]
    masters = resource_id.parse(properties["masterProfile"]["subnetId"])
    workers = resource_id.parse(properties["workerProfiles"][0]["subnetId"])
    vnet = masters.parent
    platform = {
        "region": normal_location(cluster["location"]),
        "resourceGroupName": _group(properties),
        "networkResourceGroupName": masters.resource_group,
        "virtualNetwork": vnet.name,
        "controlPlaneSubnet": masters.name,
        "computeSubnet": workers.name,
    }
    is_routed = properties["networkProfile"].get("outboundType") == _OWN_ROUTES
    return platform | ({"outboundType": _OWN_ROUTES} if is_routed else {})


def _group(properties: Mapping[str, Any]) -> str:
    return resource_id.parse(properties["clusterProfile"]["resourceGroupId"]).resource_group


def _has_fips(properties: Mapping[str, Any]) -> bool:
    return bool(properties["clusterProfile"].get("fipsValidatedModules") == "Enabled")


def _put(config: Any, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for name in parents:
        config = config[int(name)] if isinstance(config, list) else config.setdefault(name, {})
    config[last] = value


def outermost(ranges: Iterable[str]) -> list[str]:
    """Return the ranges in their order, each once. A range that lies in another one is left out.

    The installer refuses ranges that overlap. It gives the first one to etcd, which finds the bootstrap machine's
    address in it.
    """
    networks = [ipaddress.IPv4Network(text) for text in ranges]
    outer = (min((it for it in networks if it.supernet_of(each)), key=lambda it: it.prefixlen) for each in networks)
    return list(dict.fromkeys(map(str, outer)))


def _os_image(source: Source) -> dict[str, str] | None:
    """Return a marketplace image with its plan. The install-config has no member for an image with a resource id."""
    if "publisher" not in source.image:
        return None
    coordinates = {name: source.image[name] for name in machine_image.MEMBERS}
    return coordinates | {"plan": source.image.get("plan", _NO_PLAN)}


def _security(source: Source) -> dict[str, Any] | None:
    """Return what the image demands of the machines that boot it."""
    if source.image.get("securityType") != _TRUSTED:
        return None
    uefi = dict.fromkeys(("secureBoot", "virtualizedTrustedPlatformModule"), "Enabled")
    return {"securityType": _TRUSTED, "trustedLaunch": {"uefiSettings": uefi}}


def mirrors(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the repositories of a release that the service's registry mirrors, as an install-config names them.

    There are none if the service has no registry. Then the nodes pull everything from where the release names it.
    """
    server = next((profile["name"] for profile in properties.get("registryProfiles") or []), "")
    paths = [f"openshift-release-dev/{repository}" for repository in _RELEASE_REPOSITORIES] if server else []
    return [{"source": f"quay.io/{path}", "mirrors": [f"{server}/{path}"]} for path in paths]


# ARO's installer of 2020, which the built-in graph follows.
_BUILT_IN = (
    # The installer requires a network but does not use it: the machines' subnets are the customer's.
    Member("networking.machineNetwork", lambda _source: [{"cidr": "127.0.0.0/8"}]),
    Member("platform.azure.aro", lambda _source: True),
    Member("platform.azure.image", lambda source: dict(source.image)),
    Member("imageContentSources", lambda source: mirrors(source.properties)),
    Member("fips", lambda source: _has_fips(source.properties) or None),
    # Installers of that time had no such member: a cluster without it shares one principal.
    Member("credentialsMode", lambda source: source.credentials_mode if source.credentials_mode == MANUAL else None),
)


def _of_pools(path: str, value: Callable[[Source], Any]) -> tuple[Member, ...]:
    """Return a member of both pools' machines."""
    return tuple(Member(f"{pool}.platform.azure.{path}", value) for pool in ("controlPlane", "compute.0"))


# OpenShift's own installer, which does not know this service.
_PUBLIC = (
    # It asks Azure whether the machines' subnets lie in these.
    Member("networking.machineNetwork", lambda source: [{"cidr": it} for it in outermost(source.machine_networks())]),
    # Required for public clusters, and looked up by nobody. The public zone that it would name is taken out later.
    Member("platform.azure.baseDomainResourceGroupName", lambda source: _group(source.properties)),
    # Without it the installer would make an identity for the machines, which need none. Earlier ones have no such
    # member: what they write of an identity is taken out later.
    Member("platform.azure.defaultMachinePlatform.identity", lambda _source: {"type": "None"}, since=(4, 19)),
    *_of_pools("osImage", _os_image),
    # As our template makes masters.
    *_of_pools("settings", _security),
    *_of_pools("osDisk.diskType", lambda _source: _DISK_TYPE),
    Member("controlPlane.platform.azure.vmNetworkingType", lambda _source: "Basic"),
    Member("credentialsMode", lambda source: source.credentials_mode),
    Member("imageDigestSources", lambda source: mirrors(source.properties) or None, since=(4, 14)),
)
MEMBERS: dict[str, tuple[Member, ...]] = {"built-in": _BUILT_IN, "openshift-install": _PUBLIC}
"""The members of each back end that not all have."""
