"""The members that the server fills in where an object of a built-in kind lacks them: by type, as a table."""

import copy
from collections.abc import Callable, Iterator, Mapping

from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import RBAC, Kind
from emulator.openshift.kubernetes.objects import types
from emulator.openshift.kubernetes.objects.quantities import number

FILE_MODE: Json = {"defaultMode": 0o644}
DEFAULTS: Mapping[str, Json] = {
    "Namespace": {"spec": {}},
    "NamespaceSpec": {"finalizers": ["kubernetes"]},
    "Secret": {"type": "Opaque"},
    "Event": {"source": {}, "reportingComponent": "", "reportingInstance": ""},
    "Lease": {"spec": {}},
    "Service": {"spec": {}},
    "ServiceSpec": {"sessionAffinity": "None", "type": "ClusterIP"},
    "ServicePort": {"protocol": "TCP"},
    "ClientIPConfig": {"timeoutSeconds": 10800},
    "EndpointPort": {"protocol": "TCP"},
    "PersistentVolume": {"spec": {}},
    "PersistentVolumeSpec": {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"},
    "PersistentVolumeClaim": {"spec": {}},
    "PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "Deployment": {"spec": {}},
    "DeploymentSpec": {
        "replicas": 1,
        "strategy": {},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "template": {},
    },
    "DeploymentStrategy": {"type": "RollingUpdate"},
    "RollingUpdateDeployment": {"maxUnavailable": "25%", "maxSurge": "25%"},
    "DaemonSet": {"spec": {}},
    "DaemonSetSpec": {"updateStrategy": {}, "revisionHistoryLimit": 10, "template": {}},
    "DaemonSetUpdateStrategy": {"type": "RollingUpdate"},
    "RollingUpdateDaemonSet": {"maxUnavailable": 1},
    "ReplicaSet": {"spec": {}},
    "ReplicaSetSpec": {"replicas": 1, "template": {}},
    "StatefulSet": {"spec": {}},
    "StatefulSetSpec": {
        "replicas": 1,
        "podManagementPolicy": "OrderedReady",
        "updateStrategy": {},
        "revisionHistoryLimit": 10,
        "template": {},
    },
    "StatefulSetUpdateStrategy": {"type": "RollingUpdate"},
    "RollingUpdateStatefulSetStrategy": {"partition": 0},
    "PodTemplateSpec": {"metadata": {}, "spec": {}},
    "Pod": {"spec": {}},
    "PodSpec": {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    },
    "Container": {
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "ContainerPort": {"protocol": "TCP"},
    "Probe": {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
    "HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "ObjectFieldSelector": {"apiVersion": "v1"},
    "ResourceFieldSelector": {"divisor": "0"},
    "SecretVolumeSource": FILE_MODE,
    "ConfigMapVolumeSource": FILE_MODE,
    "DownwardAPIVolumeSource": FILE_MODE,
    "ProjectedVolumeSource": FILE_MODE,
    "HostPathVolumeSource": {"type": ""},
    "ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "AzureDiskVolumeSource": {"cachingMode": "ReadWrite", "kind": "Shared", "fsType": "ext4", "readOnly": False},
    "RoleRef": {"apiGroup": RBAC},
    "CustomResourceDefinition": {"spec": {}},
    "CustomResourceDefinitionSpec": {"names": {}, "conversion": {"strategy": "None"}},
}
# What admission adds to every new pod.
ADMITTED: Json = {"enableServiceLinks": True, "preemptionPolicy": "PreemptLowerPriority", "priority": 0}
TOLERATED_SECONDS = 300
TOLERATED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
EXTERNAL = ("LoadBalancer", "NodePort")


def fill(kind: Kind, obj: Json) -> None:
    """Add the missing members of an object of a built-in kind. Members that are added get their own members too."""
    # Each value is visited before its members are looked up, so the walk finds what was added.
    for name, value, _ in types.values(kind, obj):
        add(value, DEFAULTS.get(name, {}))
        if name in DERIVED:
            DERIVED[name](value)


def add(value: Json, defaults: Json) -> None:
    """Add missing members to a value."""
    for name, default in defaults.items():
        if value.get(name) is None:
            value[name] = copy.deepcopy(default)


def _rolling(value: Json) -> None:
    if value["type"] == "RollingUpdate":
        add(value, {"rollingUpdate": {}})


def _image(container: Json) -> None:
    tag = str(container.get("image") or "").rpartition("/")[2].partition(":")[2]
    add(container, {"imagePullPolicy": "Always" if tag in ("", "latest") else "IfNotPresent"})


def _volume(volume: Json) -> None:
    if set(volume) <= {"name"}:
        volume["emptyDir"] = {}


def _pod_spec(spec: Json) -> None:
    if spec.get("serviceAccountName"):
        # The older name of the member, which the server always fills in.
        spec["serviceAccount"] = spec["serviceAccountName"]
    elif spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"]
    if spec.get("hostNetwork"):
        for container in spec.get("containers") or []:
            for port in container.get("ports") or []:
                add(port, {"hostPort": port.get("containerPort")})


def _service(spec: Json) -> None:
    if spec["sessionAffinity"] == "ClientIP":
        add(spec, {"sessionAffinityConfig": {"clientIP": {}}})
    elif spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["type"] in EXTERNAL:
        add(spec, {"externalTrafficPolicy": "Cluster"})


def _service_port(port: Json) -> None:
    # Neither is a port, so both mean the default.
    if port.get("targetPort") in (None, 0, ""):
        port["targetPort"] = port.get("port") or 0


def _claims(spec: Json) -> None:
    for claim in spec.get("volumeClaimTemplates") or []:
        add(claim, {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}})


def _pod(pod: Json) -> None:
    spec = pod["spec"]
    add(spec, ADMITTED)
    for container in _containers(spec):
        limits = (container.get("resources") or {}).get("limits")
        if limits:
            container["resources"]["requests"] = limits | (container["resources"].get("requests") or {})
    if (pod.get("status") or {}).get("qosClass"):
        pod["status"]["qosClass"] = quality(spec)
    tolerated = spec.get("tolerations") or []
    added = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATED_SECONDS}
        for key in TOLERATED
        if not any(_tolerates(one, key) for one in tolerated)
    ]
    if added:
        spec["tolerations"] = [*tolerated, *added]


def _tolerates(toleration: Json, key: str) -> bool:
    return toleration.get("key") in (key, "", None) and toleration.get("effect") in ("NoExecute", "", None)


def _containers(spec: Json) -> Iterator[Json]:
    yield from spec.get("containers") or []
    yield from spec.get("initContainers") or []


def quality(spec: Json) -> str:
    """Return the class of a pod that says which pods a node evicts first."""
    asked = [container.get("resources") or {} for container in _containers(spec)]
    amounts = [
        (number(limits.get(name, "0")), number(requests.get(name, "0")))
        for limits, requests in ((one.get("limits") or {}, one.get("requests") or {}) for one in asked)
        for name in ("cpu", "memory")
    ]
    if not any(limit or request for limit, request in amounts):
        return "BestEffort"
    return "Guaranteed" if all(limit and limit == request for limit, request in amounts) else "Burstable"


def _subject(subject: Json) -> None:
    if subject.get("kind") in ("User", "Group"):
        add(subject, {"apiGroup": RBAC})


def _names(names: Json) -> None:
    if names.get("kind"):
        add(names, {"singular": str(names["kind"]).lower(), "listKind": f"{names['kind']}List"})


DERIVED: Mapping[str, Callable[[Json], None]] = {
    **dict.fromkeys(("DeploymentStrategy", "DaemonSetUpdateStrategy", "StatefulSetUpdateStrategy"), _rolling),
    "Container": _image,
    "Volume": _volume,
    "Pod": _pod,
    "PodSpec": _pod_spec,
    "ServiceSpec": _service,
    "ServicePort": _service_port,
    "StatefulSetSpec": _claims,
    "Subject": _subject,
    "CustomResourceDefinitionNames": _names,
}
