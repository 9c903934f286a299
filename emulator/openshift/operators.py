"""The operators and the version of a cluster: their objects, and the conditions by which everybody waits for them."""

from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from emulator.core.clock import rfc3339
from emulator.openshift import kinds, stock, timeline
from emulator.openshift.kinds import CONFIG, INGRESS_OPERATOR_NAMESPACE, OPERATOR

if TYPE_CHECKING:
    from emulator.openshift.cluster import Cluster

Json = dict[str, Any]

CLUSTER_OPERATOR = f"ClusterOperator.{CONFIG}"
CLUSTER_VERSION = f"ClusterVersion.{CONFIG}"
CONSOLE = ("Console", OPERATOR, "cluster", "")
# The resource by which an operator is told what to do: kind, group, name, namespace.
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
# Conditions that a resource has beside the usual ones: name, and whether it is true when all is well.
_MORE = {
    "console": (("DeploymentAvailable", True), ("RouteHealthAvailable", True)),
    "kube-apiserver": (("StaticPodsAvailable", True), ("NodeInstallerProgressing", False)),
    "etcd": (("EtcdMembersAvailable", True), ("EtcdRunningInCluster", True)),
    "ingress": (("LoadBalancerReady", True), ("DNSReady", True), ("DeploymentAvailable", True)),
}
_SPECS: dict[str, Json] = {"etcd": {"managementState": "Managed"}}


async def payload(cluster: "Cluster") -> None:
    """Make what the release brings: its configuration, its operators and their resources."""
    put = cluster.objects.put
    for constraints in stock.security_context_constraints(cluster.installation.minor):
        put(constraints)
    for kind in kinds.DEFAULT_CONFIGS:
        if cluster.objects.get(f"{kind}.{CONFIG}", "cluster") is None:
            put(_object(kind, CONFIG, "cluster", "", {}))
    for name, resource in RESOURCES.items():
        if resource != CONSOLE:
            _put_resource(cluster, name)
    for name in timeline.NAMES:
        put(_object("ClusterOperator", CONFIG, name, "", {}))
        _show(cluster, name, _waiting(name))
    if cluster.objects.get(CLUSTER_VERSION, "version") is None:
        own = str(uuid5(NAMESPACE_URL, cluster.record.id))
        channel = f"stable-4.{cluster.installation.minor}"
        put(_object("ClusterVersion", CONFIG, "version", "", {"channel": channel, "clusterID": own}))
    _show_version(cluster)


async def console(cluster: "Cluster") -> None:
    """Make the console's own resource, late in the release."""
    _put_resource(cluster, "console")
    _show_resource(cluster, "console", _waiting("console"))


def _put_resource(cluster: "Cluster", name: str) -> None:
    kind, group, resource, namespace = RESOURCES[name]
    if cluster.objects.get(f"{kind}.{group}", resource, namespace) is not None:
        return
    spec = _SPECS.get(name, {"managementState": "Managed", "logLevel": "Normal", "operatorLogLevel": "Normal"})
    if name == "ingress":
        scope = "Internal" if cluster.installation.internal_ingress else "External"
        strategy = {"type": "LoadBalancerService", "loadBalancer": {"scope": scope}}
        spec = {"replicas": 2, "endpointPublishingStrategy": strategy}
    cluster.objects.put(_object(kind, group, resource, namespace, spec))


def available(cluster: "Cluster", name: str) -> None:
    """Let an operator be available, in the version of the release."""
    _show(cluster, name, {"Available": (True, "AsExpected", ""), "Progressing": (False, "AsExpected", "")})
    if name == "console":
        status = {"consoleURL": f"https://console-openshift-console.apps.{cluster.installation.domain}"}
        cluster.objects.set_status(f"Console.{CONFIG}", "cluster", status)
    _show_version(cluster)


def stuck(cluster: "Cluster", name: str, message: str) -> None:
    """Let an operator be as it is for good, and say why."""
    cluster.record.stuck[f"{timeline.OPERATOR}{name}"] = message
    cluster.save()
    report(cluster, name, message)


def report(cluster: "Cluster", name: str, message: str) -> None:
    """Let an operator say why it is not available."""
    reason = "".join(part.capitalize() for part in name.split("-")) + "Error"
    if cluster.objects.get(CLUSTER_OPERATOR, name) is None:
        return
    _show(cluster, name, _waiting(name, message) | {"Degraded": (True, reason, message)})
    _show_version(cluster)


async def alert_routes(cluster: "Cluster") -> None:
    """Make the alert manager's configuration, which is whoever's changes it from then on."""
    namespace, name, _ = stock.ALERTMANAGER
    if cluster.objects.get("Secret", name, namespace) is None:
        cluster.objects.put(stock.alertmanager(cluster.installation.minor))


async def cluster_version(cluster: "Cluster") -> None:
    """Let the version be complete, now that all operators are."""
    _show_version(cluster, complete=True)


def observe(cluster: "Cluster", kind: str, namespace: str, name: str) -> None:
    """Let an operator note that it has seen its resource's spec as it is now."""
    found = cluster.objects.get(kind, name, namespace)
    if found is None or "conditions" not in (found.get("status") or {}):
        return
    status = found["status"] | {"observedGeneration": found["metadata"].get("generation", 1)}
    cluster.objects.set_status(kind, name, status, namespace)


def is_behind(cluster: "Cluster", kind: str, namespace: str, name: str) -> bool:
    """Tell whether an operator has not seen its resource's spec as it is now."""
    found = cluster.objects.get(kind, name, namespace)
    observed = ((found or {}).get("status") or {}).get("observedGeneration")
    return bool(found and observed and observed != found["metadata"].get("generation"))


Conditions = dict[str, tuple[bool, str, str]]


def _waiting(name: str, message: str = "") -> Conditions:
    row = next(row for row in timeline.OPERATORS if row.name == f"{timeline.OPERATOR}{name}")
    needs = ", ".join(need.removeprefix(timeline.OPERATOR) for need in row.needs)
    text = message or f"Rolling out after {needs}"
    return {"Available": (False, "Initializing", text), "Progressing": (True, "RollingOut", text)}


def _show(cluster: "Cluster", name: str, shown: Conditions) -> None:
    """Write an operator's conditions to its ClusterOperator and to its resource."""
    before = cluster.objects.get(CLUSTER_OPERATOR, name) or {}
    conditions = {"Degraded": (False, "AsExpected", ""), "Upgradeable": (True, "AsExpected", "")} | shown
    status: Json = {"conditions": _written(cluster, before, conditions), "extension": None, "relatedObjects": []}
    if shown["Available"][0]:
        status["versions"] = [{"name": "operator", "version": cluster.installation.version}]
    elif "versions" in before.get("status", {}):
        status["versions"] = before["status"]["versions"]
    cluster.objects.set_status(CLUSTER_OPERATOR, name, status)
    if name in RESOURCES:
        _show_resource(cluster, name, conditions)


def _show_resource(cluster: "Cluster", name: str, conditions: Conditions) -> None:
    kind, group, resource, namespace = RESOURCES[name]
    found = cluster.objects.get(f"{kind}.{group}", resource, namespace)
    if found is None:
        return
    well = conditions["Available"]
    more = {kind: (well[0] == good, well[1], well[2]) for kind, good in _MORE.get(name, ())}
    status = (found.get("status") or {}) | {
        "conditions": _written(cluster, found, conditions | more),
        "observedGeneration": found["metadata"].get("generation", 1),
    }
    if name == "ingress":
        status |= {"availableReplicas": 2 if well[0] else 0, "domain": f"apps.{cluster.installation.domain}"}
        status["endpointPublishingStrategy"] = found["spec"].get("endpointPublishingStrategy")
    cluster.objects.set_status(f"{kind}.{group}", resource, status, namespace)


def _show_version(cluster: "Cluster", *, complete: bool = False) -> None:
    found = cluster.objects.get(CLUSTER_VERSION, "version")
    if found is None:
        return
    version, now = cluster.installation.version, rfc3339(cluster.platform.clock.now())
    done = [name for name in timeline.NAMES if cluster.reached(f"{timeline.OPERATOR}{name}")]
    ill = sorted(name.removeprefix(timeline.OPERATOR) for name in cluster.record.stuck)
    working = f"Working towards {version}: {len(done)} of {len(timeline.NAMES)} operators are available"
    waits = f"Cluster operator{'s' if len(ill) > 1 else ''} {', '.join(ill)} not available" if ill else working
    conditions: Conditions = {
        "Available": (complete, "", f"Done applying {version}" if complete else ""),
        "Failing": (bool(ill), "ClusterOperatorNotAvailable" if ill else "", waits if ill else ""),
        "Progressing": (not complete, "", f"Cluster version is {version}" if complete else waits),
        "RetrievedUpdates": (False, "NoChannel", "The update channel has not been configured."),
    }
    desired = {"version": version, "image": _image(version)}
    history = (found.get("status") or {}).get("history") or [
        {"state": "Partial", "startedTime": now, "completionTime": None, "verified": False} | desired
    ]
    if complete and history[0]["state"] != "Completed":
        history = [history[0] | {"state": "Completed", "completionTime": now}]
    status = {
        "availableUpdates": None,
        "conditions": _written(cluster, found, conditions),
        "desired": desired,
        "history": history,
        "observedGeneration": found["metadata"].get("generation", 1),
        "versionHash": "",
    }
    cluster.objects.set_status(CLUSTER_VERSION, "version", status)


def _image(version: str) -> str:
    return f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64"


def _written(cluster: "Cluster", before: Json, conditions: Conditions) -> list[Json]:
    """Return conditions; one whose status stays keeps the time of its last change."""
    known = {one["type"]: one for one in (before.get("status") or {}).get("conditions") or ()}
    now = cluster.platform.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    written = []
    for kind, (true, reason, message) in conditions.items():
        status = "True" if true else "False"
        same = kind in known and known[kind]["status"] == status
        condition = {
            "type": kind,
            "status": status,
            "lastTransitionTime": known[kind]["lastTransitionTime"] if same else now,
        }
        condition |= {name: text for name, text in (("reason", reason), ("message", message)) if text}
        written.append(condition)
    return written


def _object(kind: str, group: str, name: str, namespace: str, spec: Json) -> Json:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": metadata, "spec": spec}
