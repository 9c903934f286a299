"""The router's Service and its address: the resources that the cloud provider and the ingress operator make in Azure.

https://cloud-provider-azure.sigs.k8s.io/topics/loadbalancer/ : a frontend for the Service on the load balancer with the
cluster's name, or on `<cluster>-internal`; a rule and a probe for each port; and a public IP address for a public one.
"""

import json

import yaml

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.boot.timeline import NotYetError
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.kubernetes import go_yaml
from emulator.openshift.kubernetes.secrets import decoded
from emulator.openshift.operators import cloud, exceptions
from emulator.openshift.release.kinds import CONFIG, INGRESS_NAMESPACE, INGRESS_OPERATOR_NAMESPACE, OPERATOR

SERVICE = "router-default"
OWNER = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"
INTERNAL = "service.beta.kubernetes.io/azure-load-balancer-internal"
# The port of the Service and of every node; and where nodes tell whether they run a router.
PORTS = {"http": (80, 31080), "https": (443, 31443)}
HEALTH_PORT, HEALTH_PATH = 31936, "/healthz"
RULE_PRIORITY = 500
# The Secret of the cloud controller manager, and the first minor version of OpenShift 4 whose controller reads it.
# Source: openshift/cluster-cloud-controller-manager-operator, release-4.16, its injector of Azure's credentials.
CREDENTIALS = ("azure-cloud-credentials", "openshift-cloud-controller-manager", "cloud-controller-manager")
FIRST_WITH_CREDENTIALS = 16
RECORD_TTL = 30


async def router(cluster: Cluster) -> None:
    """Give the router its address, and its name in the cluster's private zone.

    Raises:
        NotYetError: if Azure or the directory refuses a request, or the cloud configuration is malformed.
    """
    service = _service(cluster)
    try:
        address = await _balance(cluster, service)
        await _record(cluster, address)
    except ServiceError as error:
        raise NotYetError(
            f"The {service['metadata']['name']} service is pending: error syncing load balancer: failed to ensure load "
            f"balancer: {error.code}: {error.message}"
        ) from error
    except (KeyError, ValueError, TypeError, yaml.YAMLError) as error:
        raise NotYetError(f"failed to ensure load balancer: cloud config: {error!r}") from error
    cluster.objects.set_status("Service", SERVICE, {"loadBalancer": {"ingress": [{"ip": address}]}}, INGRESS_NAMESPACE)


def _service(cluster: Cluster) -> Json:
    found = cluster.objects.get("Service", SERVICE, INGRESS_NAMESPACE)
    if found is not None:
        return found
    controller = cluster.objects.get(f"IngressController.{OPERATOR}", "default", INGRESS_OPERATOR_NAMESPACE) or {}
    strategy = (controller.get("spec") or {}).get("endpointPublishingStrategy") or {}
    labels = {"app": "router", "router": SERVICE, OWNER: "default"}
    metadata: Json = {"name": SERVICE, "namespace": INGRESS_NAMESPACE, "labels": labels}
    if (strategy.get("loadBalancer") or {}).get("scope") == "Internal":
        metadata["annotations"] = {INTERNAL: "true"}
    ports = [
        {"name": name, "protocol": "TCP", "port": port, "targetPort": name, "nodePort": node_port}
        for name, (port, node_port) in PORTS.items()
    ]
    selector = {"ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default"}
    spec = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "selector": selector, "ports": ports}
    return cluster.objects.create({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})


def cloud_provider(cluster: Cluster) -> tuple[cloud.Account, Json]:
    """Return the cloud provider's credentials and its configuration.

    Up to 4.15 both are read from Secrets and ConfigMaps that the installer makes. From 4.16 on the credential operator
    provides the credentials, as for every operator.
    """
    config = cluster.objects.get("ConfigMap", "cloud-provider-config", "openshift-config")
    if config is None:
        raise exceptions.NOT_FOUND("ConfigMap openshift-config/cloud-provider-config")
    settings: Json = json.loads(config["data"]["config"])
    if cluster.installation.minor >= FIRST_WITH_CREDENTIALS:
        return cloud.from_secret(cluster, *CREDENTIALS), settings
    secret = cluster.objects.get("Secret", "azure-cloud-provider", "kube-system")
    if secret is None:
        raise exceptions.NOT_FOUND("Secret azure-cloud-provider")
    settings |= go_yaml.load(decoded(secret["data"]["cloud-config"]))
    account = cloud.Account(
        settings["tenantId"],
        settings["aadClientId"],
        settings["aadClientSecret"],
        settings["subscriptionId"],
        settings["resourceGroup"],
    )
    return account, settings


async def _balance(cluster: Cluster, service: Json) -> str:
    """Create the Azure resources that lead to the router; return its address."""
    account, settings = cloud_provider(cluster)
    session = await cloud.log_in(cluster, account)
    infra_id, name = cluster.installation.infra_id, "a" + service["metadata"]["uid"].replace("-", "")
    internal = INTERNAL in (service["metadata"].get("annotations") or {})
    balancer = account.id(f"Microsoft.Network/loadBalancers/{infra_id}{'-internal' if internal else ''}")
    network = account.id(
        f"Microsoft.Network/virtualNetworks/{settings['vnetName']}", settings.get("vnetResourceGroup") or ""
    )
    frontend: Json
    if internal:
        subnet = {"id": f"{network}/subnets/{settings['subnetName']}"}
        frontend = {"subnet": subnet, "privateIPAllocationMethod": "Dynamic"}
    else:
        public = account.id(f"Microsoft.Network/publicIPAddresses/{infra_id}-{name}")
        made = await session.put(
            public,
            {
                "location": settings["location"],
                "sku": {"name": "Standard"},
                "properties": {"publicIPAllocationMethod": "Static"},
                "tags": {"service": f"{INGRESS_NAMESPACE}/{SERVICE}", "kubernetes-cluster-name": infra_id},
            },
        )
        frontend = {"publicIPAddress": {"id": public}}
    before = session.get(balancer) or {"location": settings["location"], "sku": {"name": "Standard"}, "properties": {}}
    balanced = await session.put(balancer, _with_service(before, balancer, infra_id, name, frontend))
    if internal:
        await _join(cluster, session, f"{balancer}/backendAddressPools/{infra_id}")
        return _frontend_address(balanced, name)
    await _open(session, account, settings, name)
    address: str = made["properties"]["ipAddress"]
    return address


def _with_service(before: Json, balancer: str, pool: str, name: str, frontend: Json) -> Json:
    """Return a load balancer with its existing parts and those that a Service needs."""
    properties = before["properties"]
    ports = [port for port, _ in PORTS.values()]
    probe = {"protocol": "Http", "port": HEALTH_PORT, "requestPath": HEALTH_PATH, "intervalInSeconds": 5}
    own: dict[str, list[Json]] = {
        "frontendIPConfigurations": [{"name": name, "properties": frontend}],
        "backendAddressPools": [{"name": pool}],
        "probes": [{"name": f"{name}-TCP-{port}", "properties": probe | {"numberOfProbes": 2}} for port in ports],
        "loadBalancingRules": [
            {
                "name": f"{name}-TCP-{port}",
                "properties": {
                    "frontendIPConfiguration": {"id": f"{balancer}/frontendIPConfigurations/{name}"},
                    "backendAddressPool": {"id": f"{balancer}/backendAddressPools/{pool}"},
                    "probe": {"id": f"{balancer}/probes/{name}-TCP-{port}"},
                    "protocol": "Tcp",
                    "frontendPort": port,
                    "backendPort": port,
                    "enableFloatingIP": True,
                    "idleTimeoutInMinutes": 4,
                    "disableOutboundSnat": True,
                },
            }
            for port in ports
        ],
    }
    merged = {
        member: [item for item in properties.get(member) or () if item["name"] not in {one["name"] for one in items}]
        + [next((item for item in properties.get(member) or () if item["name"] == one["name"]), one) for one in items]
        for member, items in own.items()
    }
    return before | {"properties": properties | merged}


def _frontend_address(balancer: Json, name: str) -> str:
    found = next(one for one in balancer["properties"]["frontendIPConfigurations"] if one["name"] == name)
    address: str = found["properties"]["privateIPAddress"]
    return address


async def _join(cluster: Cluster, session: cloud.Session, pool: str) -> None:
    """Add the workers' network interfaces to the pool of the internal load balancer."""
    for machine in cluster.machines.of(cluster.record.id, "worker"):
        nic = session.get(machine.nics[0])
        if nic is None:
            continue
        for configuration in nic["properties"]["ipConfigurations"]:
            pools = configuration["properties"].setdefault("loadBalancerBackendAddressPools", [])
            if not any(one["id"].lower() == pool.lower() for one in pools):
                pools.append({"id": pool})
        await session.put(machine.nics[0], nic)


async def _open(session: cloud.Session, account: cloud.Account, settings: Json, name: str) -> None:
    """Allow the internet to reach the router's ports, in the security group of the nodes."""
    group = account.id(f"Microsoft.Network/networkSecurityGroups/{settings['securityGroupName']}")
    found = session.get(group)
    if found is None:
        raise exceptions.SECURITY_GROUP_NOT_FOUND(settings["securityGroupName"])
    rules = {one["name"]: one for one in found["properties"].get("securityRules") or ()}
    for number, (port, _) in enumerate(PORTS.values()):
        rule = {
            "access": "Allow",
            "direction": "Inbound",
            "protocol": "Tcp",
            "priority": RULE_PRIORITY + number,
            "sourceAddressPrefix": "Internet",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": str(port),
        }
        rules[f"{name}-TCP-{port}-Internet"] = {"name": f"{name}-TCP-{port}-Internet", "properties": rule}
    # The role of the provider's identity allows it groups as a whole, not their rules one by one.
    await session.put(group, found | {"properties": found["properties"] | {"securityRules": list(rules.values())}})


async def _record(cluster: Cluster, address: str) -> None:
    """Write the router's name into the private zone, if the cluster's configuration names one."""
    dns = cluster.objects.get(f"DNS.{CONFIG}", "cluster") or {}
    spec = dns.get("spec") or {}
    zone = (spec.get("privateZone") or {}).get("id")
    if not zone:
        return
    account = cloud.from_secret(cluster, "cloud-credentials", INGRESS_OPERATOR_NAMESPACE, "ingress-operator")
    session = await cloud.log_in(cluster, account)
    domain, zone_name = cluster.installation.domain, zone.rpartition("/")[2]
    relative = f"*.apps.{domain}".removesuffix(f".{zone_name}")
    await session.put(
        f"{zone}/A/{relative}", {"properties": {"ttl": RECORD_TTL, "aRecords": [{"ipv4Address": address}]}}
    )
