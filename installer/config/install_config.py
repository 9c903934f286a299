"""The install-config: what the customer asked for, in the format of OpenShift's installer."""

import base64
import ipaddress
import json
from collections.abc import Mapping
from typing import Any

from installer.graph import Content
from shared.arm import resource_id
from shared.arm.names import normal_location
from shared.release import release_rules

_MASTER_DISK_GIB = 1024
OUTBOUND_TYPES = ("Loadbalancer", "UserDefinedRouting")
_OWN_ROUTES = OUTBOUND_TYPES[1]
_RELEASE_REPOSITORIES = ("ocp-release", "ocp-release-nightly", "ocp-v4.0-art-dev")
# The cluster would send its telemetry there, with the customer's credentials.
_TELEMETRY = "cloud.openshift.com"


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


def from_cluster(
    cluster: Mapping[str, Any],
    version: Mapping[str, Any],
    *,
    name: str,
    base_domain: str,
    ssh_key: str,
    pull_secret: str,
) -> Content:
    """Return the install-config of a cluster.

    Args:
        cluster: the internal cluster.
        version: its entry in the catalogue.
        name: first label of its domain.
        base_domain: the rest of its domain.
        ssh_key: public key, in the format of `authorized_keys`.
        pull_secret: JSON.

    Source: ARO-RP `pkg/cluster/install.go`, `generateInstallConfig`.
    """
    properties = cluster["properties"]
    network, masters, workers = (
        properties["networkProfile"],
        properties["masterProfile"],
        properties["workerProfiles"][0],
    )
    config: Content = {
        "apiVersion": "v1",
        "metadata": {"creationTimestamp": None, "name": name},
        "baseDomain": base_domain,
        "sshKey": ssh_key,
        "pullSecret": pull_secret,
        "networking": {
            "networkType": release_rules.network_type(version["version"]),
            # The installer requires a network but does not use it: the machines' subnets are the customer's.
            "machineNetwork": [{"cidr": "127.0.0.0/8"}],
            "clusterNetwork": [{"cidr": network["podCidr"], "hostPrefix": release_rules.HOST_PREFIX}],
            "serviceNetwork": [network["serviceCidr"]],
        },
        "controlPlane": _pool("master", masters, release_rules.MASTERS, _MASTER_DISK_GIB, properties),
        "compute": [_pool(workers["name"], workers, workers["count"], workers["diskSizeGB"], properties)],
        "platform": {"azure": _azure(cluster, version)},
        "imageContentSources": mirrors(properties),
        "publish": "Internal" if properties["ingressProfiles"][0]["visibility"] == "Private" else "External",
    }
    if properties["clusterProfile"].get("fipsValidatedModules") == "Enabled":
        config["fips"] = True
    if network.get("outboundType") == _OWN_ROUTES:
        config["platform"]["azure"]["outboundType"] = _OWN_ROUTES
    return config


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


def _azure(cluster: Mapping[str, Any], version: Mapping[str, Any]) -> dict[str, Any]:
    properties = cluster["properties"]
    masters = resource_id.parse(properties["masterProfile"]["subnetId"])
    workers = resource_id.parse(properties["workerProfiles"][0]["subnetId"])
    vnet = masters.parent
    return {
        "region": normal_location(cluster["location"]),
        "resourceGroupName": resource_id.parse(properties["clusterProfile"]["resourceGroupId"]).resource_group,
        "networkResourceGroupName": masters.resource_group,
        "virtualNetwork": vnet.name,
        "controlPlaneSubnet": masters.name,
        "computeSubnet": workers.name,
        "aro": True,
        "image": dict(version["rhcosImage"]),
    }


def mirrors(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the `imageContentSources`: the repositories of a release that the service's registry mirrors.

    There are none if the service has no registry. Then the nodes pull everything from where the release names it.
    """
    server = next((profile["name"] for profile in properties.get("registryProfiles") or []), "")
    paths = [f"openshift-release-dev/{repository}" for repository in _RELEASE_REPOSITORIES] if server else []
    return [{"source": f"quay.io/{path}", "mirrors": [f"{server}/{path}"]} for path in paths]
