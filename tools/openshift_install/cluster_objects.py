"""The objects of a plain cluster in Azure that say where it is: machines, the cloud's settings, DNS, infrastructure.

Source: openshift/installer 4.19 `pkg/asset/machines/azure`, `pkg/asset/manifests/azure/cloudproviderconfig.go`,
`dns.go`, `infrastructure.go`, `ingress.go`, `openshift.go`, `imagedigestmirrorset.go`, `operators.go`.
"""

import json
from collections.abc import Iterator

from installer import manifest_yaml
from installer.config import install_config
from installer.graph import Content, Inputs
from installer.manifest_yaml import config_map, metadata, secret
from shared.json_object import Json
from shared.release import release_rules

_NAMESPACE, _API = "openshift-machine-api", "machine.openshift.io/v1beta1"
_LABEL = "machine.openshift.io/cluster-api-"
_MACHINES = "openshift/99_openshift-cluster-api_"
_MASTER_SET = "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml"
_TEMPLATE = "machines_v1beta1_machine_openshift_io"
# The first release whose install-config says whether machines have an identity. Until then they always have one.
_WITH_IDENTITY = (4, 19)
_OWN_ROUTES = "UserDefinedRouting"
_LEFT_OUT = {"acceleratedNetworking", "managedIdentity", "publicLoadBalancer", "zone"}
_MODE_WITHOUT_SECRET = "Manual"  # noqa: S105 - a mode


def make(given: Inputs) -> Content:
    """Return the texts of the objects by path.

    Args:
        given: `install-config`, `platform-credentials`, `cluster-id`, `release-image`.
    """
    config = given["install-config"]
    made = {
        "manifests/cluster-config.yaml": _cluster_config(config),
        "manifests/cluster-dns-02-config.yml": _dns(given),
        "manifests/cluster-infrastructure-02-config.yml": _infrastructure(given),
        "manifests/cluster-ingress-02-config.yml": _config(
            "Ingress",
            {"domain": f"apps.{install_config.domain(config)}", "loadBalancer": {"platform": {"type": ""}}},
            {"defaultPlacement": "Workers"},
        ),
        "manifests/cloud-provider-config.yaml": _cloud_settings(given),
        **dict(_masters(given)),
        **dict(_worker_sets(given)),
    }
    if config.get("imageDigestSources"):
        spec = {"imageDigestMirrors": config["imageDigestSources"]}
        made["manifests/image-digest-mirror-set.yaml"] = _config(
            "ImageDigestMirrorSet", spec, name="image-digest-mirror"
        )
    if config.get("credentialsMode") != _MODE_WITHOUT_SECRET:
        made["openshift/99_cloud-creds-secret.yaml"] = _credentials(given)
    return {path: manifest_yaml.to_yaml(document) for path, document in made.items()}


def _config(kind: str, spec: Json, status: Json | None = None, name: str = "cluster") -> Json:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": kind,
        "metadata": {"creationTimestamp": None, "name": name},
        "spec": spec,
        "status": status or {},
    }


def _cluster_config(config: Json) -> Json:
    text = manifest_yaml.to_yaml(config | {"pullSecret": ""})
    document = config_map("cluster-config-v1", "kube-system", {"install-config": text})
    document["metadata"]["annotations"] = {"kubernetes.io/description": "The install-config of the cluster."}
    return document


def _dns(given: Inputs) -> Json:
    config, domain = given["install-config"], install_config.domain(given["install-config"])
    azure, subscription = install_config.azure(config), given["platform-credentials"]["subscriptionId"]

    def zone(group: str, kind: str, name: str) -> Json:
        network = f"/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network"
        return {"id": f"{network}/{kind}/{name}"}

    spec = {
        "baseDomain": domain,
        "platform": {"aws": None, "type": ""},
        "privateZone": zone(azure["resourceGroupName"], "privateDnsZones", domain),
    }
    if config["publish"] == "External":
        spec["publicZone"] = zone(azure["baseDomainResourceGroupName"], "dnszones", config["baseDomain"])
    return _config("DNS", spec)


def _infrastructure(given: Inputs) -> Json:
    domain, azure = install_config.domain(given["install-config"]), install_config.azure(given["install-config"])
    groups = {name: azure[name] for name in ("resourceGroupName", "networkResourceGroupName")}
    return _config(
        "Infrastructure",
        {"cloudConfig": {"key": "config", "name": "cloud-provider-config"}, "platformSpec": {"type": "Azure"}},
        {
            "apiServerInternalURI": f"https://api-int.{domain}:6443",
            "apiServerURL": f"https://api.{domain}:6443",
            "controlPlaneTopology": "HighlyAvailable",
            "cpuPartitioning": "None",
            "etcdDiscoveryDomain": "",
            "infrastructureName": given["cluster-id"]["infraId"],
            "infrastructureTopology": "HighlyAvailable",
            "platform": "Azure",
            "platformStatus": {"azure": {"cloudName": "AzurePublicCloud", **groups}, "type": "Azure"},
        },
    )


def _cloud_settings(given: Inputs) -> Json:
    config, infra_id = given["install-config"], given["cluster-id"]["infraId"]
    azure, credentials = install_config.azure(config), given["platform-credentials"]
    settings = {
        "cloud": "AzurePublicCloud",
        "tenantId": credentials["tenantId"],
        **dict.fromkeys(("aadClientId", "aadClientSecret", "aadClientCertPath", "aadClientCertPassword"), ""),
        "useManagedIdentityExtension": _has_identity(given),
        "userAssignedIdentityID": "",
        "subscriptionId": credentials["subscriptionId"],
        "resourceGroup": azure["resourceGroupName"],
        "location": azure["region"],
        "vnetName": azure["virtualNetwork"],
        "vnetResourceGroup": azure["networkResourceGroupName"],
        "subnetName": azure["computeSubnet"],
        "securityGroupName": f"{infra_id}-nsg",
        "routeTableName": f"{infra_id}-node-routetable",
        "vmType": "standard",
        "loadBalancerSku": "standard",
        "cloudProviderBackoff": True,
        "useInstanceMetadata": True,
        "excludeMasterFromStandardLB": False,
        "cloudProviderBackoffDuration": 6,
        "putVMSSVMBatchSize": 0,
        "enableMigrateToIPBasedBackendPoolAPI": False,
    }
    text = json.dumps(settings, indent="\t") + "\n"
    return config_map("cloud-provider-config", "openshift-config", {"config": text})


def _credentials(given: Inputs) -> Json:
    credentials, azure = given["platform-credentials"], install_config.azure(given["install-config"])
    data = {
        "azure_subscription_id": credentials["subscriptionId"],
        "azure_client_id": credentials["clientId"],
        "azure_client_secret": credentials["clientSecret"],
        "azure_tenant_id": credentials["tenantId"],
        "azure_resource_prefix": given["cluster-id"]["infraId"],
        "azure_resourcegroup": azure["resourceGroupName"],
        "azure_region": azure["region"],
    }
    return secret("azure-credentials", "kube-system", data, "")


def _has_identity(given: Inputs) -> bool:
    if release_rules.minor(given["release-image"]["version"]) < _WITH_IDENTITY:
        return True
    identity = (install_config.azure(given["install-config"]).get("defaultMachinePlatform") or {}).get("identity") or {}
    return identity.get("type") != "None"


def _labels(infra_id: str, role: str, **more: str) -> dict[str, str]:
    labels = {"cluster": infra_id, "machine-role": role, "machine-type": role} | more
    return {f"{_LABEL}{name}": value for name, value in labels.items()}


def _machine_image(machine: Json, given: Inputs) -> Json:
    image, infra_id = machine.get("osImage") or {}, given["cluster-id"]["infraId"]
    coordinates = {name: image.get(name, "") for name in ("publisher", "offer", "sku", "version")}
    if image:
        kind = "MarketplaceNoPlan" if image.get("plan") == "NoPurchasePlan" else "MarketplaceWithPlan"
        return coordinates | {"resourceID": "", "type": kind}
    group = install_config.azure(given["install-config"])["resourceGroupName"]
    gallery = f"/resourceGroups/{group}/providers/Microsoft.Compute/galleries/gallery_{infra_id.replace('-', '_')}"
    return coordinates | {"resourceID": f"{gallery}/images/{infra_id}-gen2/versions/latest"}


def _machine(given: Inputs, pool: Json, role: str, zone: str) -> Json:
    azure, machine = install_config.azure(given["install-config"]), pool["platform"]["azure"]
    infra_id, disk = given["cluster-id"]["infraId"], machine["osDisk"]
    managed: Json = {
        "securityProfile": {"diskEncryptionSet": {}},
        "storageAccountType": disk.get("diskType") or "Premium_LRS",
    }
    if encryption_set := disk.get("diskEncryptionSet"):
        managed["diskEncryptionSet"] = {"id": _encryption_set_id(encryption_set)}
    spec: Json = {
        "acceleratedNetworking": machine.get("vmNetworkingType", "Accelerated") == "Accelerated",
        "apiVersion": _API,
        "credentialsSecret": {"name": "azure-cloud-credentials", "namespace": _NAMESPACE},
        "diagnostics": {"boot": {"storageAccountType": "AzureManaged"}} if role == "master" else {},
        "image": _machine_image(machine, given),
        "kind": "AzureMachineProviderSpec",
        "location": azure["region"],
        "managedIdentity": f"{infra_id}-identity" if _has_identity(given) else "",
        "metadata": {"creationTimestamp": None},
        "networkResourceGroup": azure["networkResourceGroupName"],
        "osDisk": {
            "diskSettings": {},
            "diskSizeGB": disk["diskSizeGB"],
            "managedDisk": managed,
            "osType": "Linux",
        },
        "publicIP": False,
        "publicLoadBalancer": "" if azure.get("outboundType") == _OWN_ROUTES else infra_id,
        "resourceGroup": azure["resourceGroupName"],
        "securityProfile": {"settings": {}} | ({"encryptionAtHost": True} if machine.get("encryptionAtHost") else {}),
        "subnet": azure["controlPlaneSubnet" if role == "master" else "computeSubnet"],
        "userDataSecret": {"name": f"{role}-user-data"},
        "vmSize": machine["type"],
        "vnet": azure["virtualNetwork"],
        "zone": zone,
    }
    if role == "master":
        spec["internalLoadBalancer"] = f"{infra_id}-internal"
    if settings := machine.get("settings"):
        spec["securityProfile"]["settings"] = settings
    # Go leaves these out if they are empty.
    return {name: value for name, value in spec.items() if value or name not in _LEFT_OUT}


def _encryption_set_id(encryption_set: Json) -> str:
    return (
        f"/subscriptions/{encryption_set['subscriptionId']}/resourceGroups/{encryption_set['resourceGroup']}"
        f"/providers/Microsoft.Compute/diskEncryptionSets/{encryption_set['name']}"
    )


def _masters(given: Inputs) -> Iterator[tuple[str, Json]]:
    pool, infra_id = given["install-config"]["controlPlane"], given["cluster-id"]["infraId"]
    zones, labels = pool["platform"]["azure"]["zones"], _labels(infra_id, "master")
    for number in range(pool["replicas"]):
        value = _machine(given, pool, "master", zones[number % len(zones)])
        yield (
            f"{_MACHINES}master-machines-{number}.yaml",
            {
                "apiVersion": _API,
                "kind": "Machine",
                "metadata": metadata(f"{infra_id}-master-{number}", _NAMESPACE, creationTimestamp=None, labels=labels),
                "spec": {"lifecycleHooks": {}, "metadata": {}, "providerSpec": {"value": value}},
                "status": {},
            },
        )
    template: Json = {
        "metadata": {"labels": labels},
        "spec": {
            "lifecycleHooks": {},
            "metadata": {},
            "providerSpec": {"value": _machine(given, pool, "master", "" if len(zones) > 1 else zones[0])},
        },
    }
    if len(zones) > 1:
        template["failureDomains"] = {"azure": [{"zone": zone} for zone in zones], "platform": "Azure"}
    yield (
        _MASTER_SET,
        {
            "apiVersion": "machine.openshift.io/v1",
            "kind": "ControlPlaneMachineSet",
            "metadata": metadata("cluster", _NAMESPACE, creationTimestamp=None, labels={f"{_LABEL}cluster": infra_id}),
            "spec": {
                "replicas": pool["replicas"],
                "selector": {"matchLabels": labels},
                "state": "Active",
                "strategy": {},
                "template": {"machineType": _TEMPLATE, _TEMPLATE: template},
            },
            "status": {},
        },
    )


def _worker_sets(given: Inputs) -> Iterator[tuple[str, Json]]:
    (pool,), infra_id = given["install-config"]["compute"], given["cluster-id"]["infraId"]
    zones, region = pool["platform"]["azure"]["zones"], install_config.azure(given["install-config"])["region"]
    for number, zone in enumerate(zones):
        name = f"{infra_id}-{pool['name']}-{region}{zone}"
        yield (
            f"{_MACHINES}worker-machineset-{number}.yaml",
            {
                "apiVersion": _API,
                "kind": "MachineSet",
                "metadata": metadata(name, _NAMESPACE, creationTimestamp=None, labels=_labels(infra_id, "worker")),
                "spec": {
                    "replicas": pool["replicas"] // len(zones) + (number < pool["replicas"] % len(zones)),
                    "selector": {"matchLabels": {f"{_LABEL}cluster": infra_id, f"{_LABEL}machineset": name}},
                    "template": {
                        "metadata": {"labels": _labels(infra_id, "worker", machineset=name)},
                        "spec": {
                            "lifecycleHooks": {},
                            "metadata": {},
                            "providerSpec": {"value": _machine(given, pool, "worker", zone)},
                        },
                    },
                },
                "status": {"replicas": 0},
            },
        )


def client_secret(given: Inputs) -> str:
    """Return a Secret of the Cluster API, with which the program would make machines; no machine reads it."""
    data = {"clientSecret": given["platform-credentials"]["clientSecret"]}
    return manifest_yaml.to_yaml(secret("cluster-identity-secret", "openshift-cluster-api-guests", data))
