"""The ClusterOperators of a cluster and their resources: the objects, and the conditions that clients wait for."""

import re
from datetime import datetime

from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.operators import conditions, versions
from emulator.openshift.operators.conditions import Conditions
from emulator.openshift.release import kinds, manifests
from emulator.openshift.release.kinds import CONFIG, INGRESS_OPERATOR_NAMESPACE, OPERATOR

CLUSTER_OPERATOR = f"ClusterOperator.{CONFIG}"
CONSOLE = ("Console", OPERATOR, "cluster", "")
# The resource that configures each operator: kind, group, name, namespace.
RESOURCES = {
    "authentication": ("Authentication", OPERATOR, "cluster", ""),
    "cloud-credential": ("CloudCredential", OPERATOR, "cluster", ""),
    "config-operator": ("Config", OPERATOR, "cluster", ""),
    "console": CONSOLE,
    "csi-snapshot-controller": ("CSISnapshotController", OPERATOR, "cluster", ""),
    "dns": ("DNS", OPERATOR, "default", ""),
    "etcd": ("Etcd", OPERATOR, "cluster", ""),
    "image-registry": ("Config", "imageregistry.operator.openshift.io", "cluster", ""),
    "ingress": ("IngressController", OPERATOR, "default", INGRESS_OPERATOR_NAMESPACE),
    "insights": ("InsightsOperator", OPERATOR, "cluster", ""),
    "kube-apiserver": ("KubeAPIServer", OPERATOR, "cluster", ""),
    "kube-controller-manager": ("KubeControllerManager", OPERATOR, "cluster", ""),
    "kube-scheduler": ("KubeScheduler", OPERATOR, "cluster", ""),
    "kube-storage-version-migrator": ("KubeStorageVersionMigrator", OPERATOR, "cluster", ""),
    "machine-config": ("MachineConfiguration", OPERATOR, "cluster", ""),
    "network": ("Network", OPERATOR, "cluster", ""),
    "openshift-apiserver": ("OpenShiftAPIServer", OPERATOR, "cluster", ""),
    "openshift-controller-manager": ("OpenShiftControllerManager", OPERATOR, "cluster", ""),
    "openshift-samples": ("Config", "samples.operator.openshift.io", "cluster", ""),
    "service-ca": ("ServiceCA", OPERATOR, "cluster", ""),
    "storage": ("Storage", OPERATOR, "cluster", ""),
}
# The conditions that a resource has beside the usual ones, and the usual condition that each follows.
_MORE = {
    "console": {"DeploymentAvailable": "Available", "RouteHealthAvailable": "Available"},
    "kube-apiserver": {"StaticPodsAvailable": "Available", "NodeInstallerProgressing": "Progressing"},
    "etcd": {"EtcdMembersAvailable": "Available", "EtcdRunningInCluster": "Available"},
    "ingress": {"LoadBalancerReady": "Available", "DNSReady": "Available", "DeploymentAvailable": "Available"},
}
_CREDENTIALS = "cloud-credential"
# The operators whose workloads run on workers, so that they are not available for a while after a stop.
_ON_WORKERS = ("authentication", "console", "image-registry", "ingress", "monitoring")
UPGRADEABLE_TO = "cloudcredential.openshift.io/upgradeable-to"
_MINOR = re.compile(r"v?(\d+)\.(\d+)(\.\d+.*)?$")
_NOT_ANNOTATED = (
    f"Upgradeable annotation {UPGRADEABLE_TO} on cloudcredential.operator.openshift.io/cluster object needs updating "
    "before upgrade. See Manually Creating IAM documentation for instructions on preparing a cluster for upgrade."
)
# Operators that stay available when their managementState is not Managed, and what they call the things they manage.
_LEAVES = {"openshift-samples": "Samples"}
_SPECS: dict[str, Json] = {"etcd": {"managementState": "Managed"}, "ingress": {"replicas": 2}}
# The strategy that an IngressController gets in Azure if its spec has none.
_PUBLIC: Json = {"type": "LoadBalancerService", "loadBalancer": {"scope": "External"}}


async def payload(cluster: Cluster) -> None:
    """Create the objects of the release: its configuration, its operators and their resources."""
    put = cluster.objects.put
    for constraints in manifests.security_context_constraints(cluster.installation.minor):
        put(constraints)
    put(manifests.cluster_admins())
    for kind in kinds.DEFAULT_CONFIGS:
        if cluster.objects.get(f"{kind}.{CONFIG}", "cluster") is None:
            put(_object(kind, CONFIG, "cluster", "", {}))
    for name, resource in RESOURCES.items():
        if resource != CONSOLE:
            _put_resource(cluster, name)
    for name in timeline.NAMES:
        put(_object("ClusterOperator", CONFIG, name, "", {}))
        _show(cluster, name, _waiting(name))
    versions.begin(cluster)


async def console(cluster: Cluster) -> None:
    """Create the console's own resource, which is among the last of the release."""
    _put_resource(cluster, "console")
    _show_resource(cluster, "console", _waiting("console"))


def _put_resource(cluster: Cluster, name: str) -> None:
    kind, group, resource, namespace = RESOURCES[name]
    if cluster.objects.get(f"{kind}.{group}", resource, namespace) is not None:
        return
    spec = _SPECS.get(name, {"managementState": "Managed", "logLevel": "Normal", "operatorLogLevel": "Normal"})
    if name == _CREDENTIALS:
        spec = spec | {"credentialsMode": cluster.installation.install_config.get("credentialsMode") or ""}
    cluster.objects.put(_object(kind, group, resource, namespace, spec))


def available(cluster: Cluster, name: str) -> None:
    """Show an operator as available, in the version of the release."""
    _show(cluster, name, _well(cluster, name) | _rolling(cluster, name) | _refused(cluster, name))
    if name == "console":
        status = {"consoleURL": f"https://console-openshift-console.apps.{cluster.installation.domain}"}
        cluster.objects.set_status(f"Console.{CONFIG}", "cluster", status)
    versions.show(cluster)


def show(cluster: Cluster, name: str) -> None:
    """Show an operator's current state: waiting, well, rolling out or refused."""
    if cluster.objects.get(CLUSTER_OPERATOR, name) is None:
        return
    there = cluster.reached(f"{timeline.OPERATOR}{name}")
    shown = _well(cluster, name) | _returning(cluster, name) if there else _absent(cluster, name)
    _show(cluster, name, shown | _rolling(cluster, name) | _refused(cluster, name))
    versions.show(cluster)


def _well(cluster: Cluster, name: str) -> Conditions:
    """Return the conditions of an operator that has nothing to do."""
    state = _management_state(cluster, name) if name in _LEAVES else "Managed"
    if state == "Managed":
        return {"Available": (True, "AsExpected", ""), "Progressing": (False, "AsExpected", "")}
    reason, message = f"Currently{state}", f"{_LEAVES[name]} are {state}"
    return {"Available": (True, reason, message), "Progressing": (False, reason, "")}


def notices_at(cluster: Cluster) -> datetime:
    """Return when operators notice what they lack after a stop, whose end the record knows."""
    return datetime.fromisoformat(cluster.record.back) + cluster.platform.clock.scaled(timeline.NOTICE_SECONDS)


def _returning(cluster: Cluster, name: str) -> Conditions:
    """Return the conditions of an operator that has not settled after a stop."""
    if cluster.record.settled or notices_at(cluster) > cluster.platform.clock.now():
        return {}
    shown: Conditions = {"Progressing": (True, "Restarting", "Waiting for pods after a restart of all nodes")}
    if name in _ON_WORKERS:
        shown["Available"] = (False, "NoPods", "No pods of this operator's workloads are ready")
    return shown


def _management_state(cluster: Cluster, name: str) -> str:
    return str((_resource(cluster, name).get("spec") or {}).get("managementState") or "Managed")


def _rolling(cluster: Cluster, name: str) -> Conditions:
    """Return the conditions that change for an operator while it rolls out a change, or if it cannot."""
    found: Conditions = {}
    for row in timeline.ROLLOUTS:
        state = cluster.record.rollouts.get(row.key, {}) if row.operator == name else {}
        if state.get("due"):
            found["Progressing"] = (True, row.reason, row.says)
        elif state.get("problem"):
            failed = (f"{row.reason}_Error", state["problem"])
            found |= {"Degraded": (True, *failed)} | ({} if row.stays else {"Available": (False, *failed)})
    return found


def _refused(cluster: Cluster, name: str) -> Conditions:
    """Return the condition of an operator whose credentials Azure or the directory refuses."""
    told = cluster.record.refused.get(name)
    return {"Degraded": (True, _error(name), told)} if told else {}


def is_manual(cluster: Cluster) -> bool:
    """Tell whether somebody else makes the operators' credentials."""
    spec = _resource(cluster, _CREDENTIALS).get("spec") or {}
    return bool(spec.get("credentialsMode") == "Manual")


def _may_upgrade(cluster: Cluster) -> bool:
    """Tell whether somebody has confirmed that there are credentials for a later minor version."""
    annotations = _resource(cluster, _CREDENTIALS)["metadata"].get("annotations") or {}
    named = _MINOR.match(annotations.get(UPGRADEABLE_TO, ""))
    return named is not None and (int(named[1]), int(named[2])) > (4, cluster.installation.minor)


def _resource(cluster: Cluster, name: str) -> Json:
    kind, group, resource, namespace = RESOURCES[name]
    return cluster.objects.get(f"{kind}.{group}", resource, namespace) or {}


def _error(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-")) + "Error"


def stuck(cluster: Cluster, name: str, message: str) -> None:
    """Keep an operator unavailable for good, and report why."""
    cluster.record.stuck[f"{timeline.OPERATOR}{name}"] = message
    cluster.save()
    report(cluster, name, message)


def report(cluster: Cluster, name: str, message: str) -> None:
    """Report why an operator is not available."""
    if cluster.objects.get(CLUSTER_OPERATOR, name) is None:
        return
    _show(cluster, name, _failing(name, message))
    versions.show(cluster)


async def alert_routes(cluster: Cluster) -> None:
    """Create Alertmanager's configuration if it does not exist; from then on it belongs to the users."""
    namespace, name, _ = manifests.ALERTMANAGER
    if cluster.objects.get("Secret", name, namespace) is None:
        cluster.objects.put(manifests.alertmanager(cluster.installation.minor))


def observe(cluster: Cluster, kind: str, namespace: str, name: str) -> None:
    """Set the observed generation in the status of an operator's resource to the current one."""
    if kind == kinds.CLUSTER_VERSION:
        versions.show(cluster)
        return
    found = cluster.objects.get(kind, name, namespace)
    if found is None or "conditions" not in (found.get("status") or {}):
        return
    status = found["status"] | {"observedGeneration": found["metadata"].get("generation", 1)}
    cluster.objects.set_status(kind, name, status, namespace)


def is_behind(cluster: Cluster, kind: str, namespace: str, name: str) -> bool:
    """Tell whether an operator has not observed the current generation of its resource."""
    found = cluster.objects.get(kind, name, namespace)
    observed = ((found or {}).get("status") or {}).get("observedGeneration")
    return bool(found and observed and observed != found["metadata"].get("generation"))


def _absent(cluster: Cluster, name: str) -> Conditions:
    """Return the conditions of an operator that is not available yet, or, if it is stuck, never will be."""
    stuck = cluster.record.stuck.get(f"{timeline.OPERATOR}{name}")
    return _failing(name, stuck) if stuck else _waiting(name)


def _failing(name: str, message: str) -> Conditions:
    return _waiting(name, message) | {"Degraded": (True, _error(name), message)}


def _waiting(name: str, message: str = "") -> Conditions:
    row = next(row for row in timeline.OPERATORS if row.name == f"{timeline.OPERATOR}{name}")
    needs = ", ".join(need.removeprefix(timeline.OPERATOR) for need in row.needs)
    text = message or f"Rolling out after {needs}"
    return {"Available": (False, "Initializing", text), "Progressing": (True, "RollingOut", text)}


def _show(cluster: Cluster, name: str, shown: Conditions) -> None:
    """Write an operator's conditions to its ClusterOperator and to its resource."""
    before = cluster.objects.get(CLUSTER_OPERATOR, name) or {}
    told = {"Degraded": (False, "AsExpected", ""), "Upgradeable": (True, "AsExpected", "")} | shown
    if name == _CREDENTIALS and is_manual(cluster) and not _may_upgrade(cluster):
        told["Upgradeable"] = (False, "MissingUpgradeableAnnotation", _NOT_ANNOTATED)
    status: Json = {"conditions": conditions.written(cluster, before, told), "extension": None, "relatedObjects": []}
    if shown["Available"][0]:
        status["versions"] = [{"name": "operator", "version": cluster.installation.version}]
    elif "versions" in before.get("status", {}):
        status["versions"] = before["status"]["versions"]
    cluster.objects.set_status(CLUSTER_OPERATOR, name, status)
    if name in RESOURCES:
        _show_resource(cluster, name, told)


def _show_resource(cluster: Cluster, name: str, told: Conditions) -> None:
    kind, group, resource, namespace = RESOURCES[name]
    found = cluster.objects.get(f"{kind}.{group}", resource, namespace)
    if found is None:
        return
    well = told["Available"]
    more = {kind: told[like] for kind, like in _MORE.get(name, {}).items()}
    status = (found.get("status") or {}) | {"conditions": conditions.written(cluster, found, told | more)}
    if not _is_behind_for_long((f"{kind}.{group}", namespace, resource), cluster):
        status["observedGeneration"] = found["metadata"].get("generation", 1)
    if name == "ingress":
        status |= {"availableReplicas": 2 if well[0] else 0, "domain": f"apps.{cluster.installation.domain}"}
        status["endpointPublishingStrategy"] = (found.get("spec") or {}).get("endpointPublishingStrategy") or _PUBLIC
    cluster.objects.set_status(f"{kind}.{group}", resource, status, namespace)


def _is_behind_for_long(resource: tuple[str, str, str], cluster: Cluster) -> bool:
    """Tell whether an operator is rolling out its resource's spec, which it reports as observed only at the end."""
    rows = [row for row in timeline.ROLLOUTS if row.resource == resource]
    return any(cluster.record.rollouts.get(row.key, {}).get("due") for row in rows)


def _object(kind: str, group: str, name: str, namespace: str, spec: Json) -> Json:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": metadata, "spec": spec}
