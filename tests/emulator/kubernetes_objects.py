"""A valid object of each built-in kind, with as many members as rules look at. Tests break one member at a time."""

import copy
import functools
import json
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from emulator.json_object import Json
from emulator.openshift.kubernetes.api.patches import merge_patch
from emulator.openshift.kubernetes.kinds import Kinds
from emulator.openshift.kubernetes.objects import types
from tests.emulator.kubernetes_rules import NOTHING, ChangeRule, Rule

LONGEST_NAME = 80
AnyRule = TypeVar("AnyRule", Rule, ChangeRule)

REQUEST = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K"
PROBE: Json = {"httpGet": {"path": "/healthz", "port": "http", "httpHeaders": [{"name": "Accept", "value": "*/*"}]}}
CONTAINER: Json = {
    "name": "main",
    "image": "quay.io/example/main:1.0",
    "ports": [{"containerPort": 8080, "name": "http"}],
    "env": [
        {"name": "PLAIN", "value": "1"},
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "key"}}},
        {"name": "SETTING", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "key"}}},
    ],
    "envFrom": [{"configMapRef": {"name": "settings"}}, {"secretRef": {"name": "secret"}}],
    "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "1000m", "memory": "2048Mi"}},
    "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
    "volumeDevices": [{"name": "claim", "devicePath": "/dev/claim"}],
    "livenessProbe": PROBE,
    "readinessProbe": {"tcpSocket": {"port": 8080}},
    "startupProbe": {"exec": {"command": ["true"]}},
    "lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}},
    "securityContext": {"runAsUser": 1000, "capabilities": {"drop": ["ALL"]}},
}
VOLUMES: list[Json] = [
    {"name": "unused", "emptyDir": {}},
    {"name": "unused-claim", "persistentVolumeClaim": {"claimName": "claim"}},
    {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}},
    {"name": "host", "hostPath": {"path": "/var/lib", "type": "Directory"}},
    {"name": "secret", "secret": {"secretName": "secret", "items": [{"key": "a", "path": "a"}]}},
    {"name": "settings", "configMap": {"name": "settings"}},
    {"name": "claim", "persistentVolumeClaim": {"claimName": "claim"}},
    {"name": "down", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    {"name": "nfs", "nfs": {"server": "nfs", "path": "/export"}},
    {"name": "file", "azureFile": {"secretName": "secret", "shareName": "share"}},
    {"name": "disk", "azureDisk": {"diskName": "disk", "diskURI": "/subscriptions/0/disks/disk", "kind": "Managed"}},
    {"name": "driver", "csi": {"driver": "secrets-store.csi.k8s.io"}},
    {
        "name": "projected",
        "projected": {
            "sources": [
                {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
                {"secret": {"name": "secret"}},
                {"configMap": {"name": "settings"}},
            ]
        },
    },
]
AFFINITY: Json = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["1"]}]}]
        },
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "preference": {"matchExpressions": [{"key": "size", "operator": "Exists"}]}}
        ],
    },
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
        ],
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 100,
                "podAffinityTerm": {
                    "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]},
                    "topologyKey": "topology.kubernetes.io/zone",
                },
            }
        ],
    },
}
POD: Json = {
    "containers": [CONTAINER],
    "initContainers": [{"name": "init", "image": "quay.io/example/init"}],
    "volumes": VOLUMES,
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "serviceAccountName": "web",
    "imagePullSecrets": [{"name": "pull"}],
    "securityContext": {
        "runAsNonRoot": True,
        "fsGroup": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
        "sysctls": [{"name": "kernel.shm_rmid_forced", "value": "0"}],
    },
    "tolerations": [{"key": "node-role.kubernetes.io/master", "operator": "Exists", "effect": "NoSchedule"}],
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["registry.example.com"]}],
    "affinity": AFFINITY,
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ],
    "dnsConfig": {
        "nameservers": ["10.0.0.10"],
        "searches": ["example.com"],
        "options": [{"name": "ndots", "value": "2"}],
    },
    "readinessGates": [{"conditionType": "example.com/ready"}],
}
SELECTOR: Json = {"matchLabels": {"app": "web"}}
TEMPLATE: Json = {"metadata": {"labels": {"app": "web"}}, "spec": POD}
SELECTOR_OF_ALL: Json = {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]}
CLAIM: Json = {
    "accessModes": ["ReadWriteOnce"],
    "resources": {"requests": {"storage": "10Gi"}},
    "selector": SELECTOR_OF_ALL,
}
RBAC = "rbac.authorization.k8s.io"
RULE: Json = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
COLUMN: Json = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
SCHEMA: Json = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
}

# By kind: apiVersion, and the members beside metadata.
VALID: dict[str, tuple[str, Json]] = {
    "ConfigMap": ("v1", {"data": {"key": "value"}, "binaryData": {"other": "AAEC"}}),
    "Endpoints": (
        "v1",
        {"subsets": [{"addresses": [{"ip": "10.1.0.1"}], "ports": [{"name": "https", "port": 443}]}]},
    ),
    "Event": (
        "v1",
        {
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": "web"},
            "reason": "Scheduled",
            "message": "It has a node.",
            "type": "Normal",
        },
    ),
    "Namespace": ("v1", {"spec": {"finalizers": ["kubernetes"]}}),
    "Node": ("v1", {"spec": {"taints": [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]}}),
    "PersistentVolume": (
        "v1",
        {
            "spec": {
                "capacity": {"storage": "10Gi"},
                "accessModes": ["ReadWriteOnce"],
                "azureDisk": {"diskName": "disk", "diskURI": "/subscriptions/0/disks/disk", "kind": "Managed"},
                "claimRef": {"namespace": "default", "name": "claim"},
            }
        },
    ),
    "PersistentVolumeClaim": ("v1", {"spec": CLAIM}),
    "Pod": ("v1", {"spec": POD}),
    "Secret": ("v1", {"data": {"key": "dmFsdWU="}}),
    "Service": (
        "v1",
        {
            "spec": {
                "selector": {"app": "web"},
                "ports": [{"name": "http", "port": 80, "targetPort": "http"}, {"name": "https", "port": 443}],
                "sessionAffinity": "ClientIP",
                "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 60}},
            }
        },
    ),
    "ServiceAccount": ("v1", {"secrets": [{"name": "token"}], "imagePullSecrets": [{"name": "pull"}]}),
    "Deployment": (
        "apps/v1",
        {
            "spec": {
                "replicas": 2,
                "selector": SELECTOR | {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
                "template": TEMPLATE,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
            }
        },
    ),
    "DaemonSet": (
        "apps/v1",
        {
            "spec": {
                "selector": SELECTOR,
                "template": TEMPLATE,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}},
            }
        },
    ),
    "ReplicaSet": ("apps/v1", {"spec": {"replicas": 1, "selector": SELECTOR, "template": TEMPLATE}}),
    "StatefulSet": (
        "apps/v1",
        {
            "spec": {
                "serviceName": "web",
                "selector": SELECTOR,
                "template": TEMPLATE,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": CLAIM}],
            }
        },
    ),
    "Role": (f"{RBAC}/v1", {"rules": [RULE]}),
    "ClusterRole": (f"{RBAC}/v1", {"rules": [RULE, {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]}),
    "RoleBinding": (
        f"{RBAC}/v1",
        {
            "subjects": [{"kind": "ServiceAccount", "name": "web", "namespace": "default"}],
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "reader"},
        },
    ),
    "ClusterRoleBinding": (
        f"{RBAC}/v1",
        {
            "subjects": [{"kind": "Group", "name": "readers"}],
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "reader"},
        },
    ),
    "Lease": (
        "coordination.k8s.io/v1",
        {"spec": {"holderIdentity": "one", "leaseDurationSeconds": 40, "leaseTransitions": 0}},
    ),
    "CustomResourceDefinition": (
        "apiextensions.k8s.io/v1",
        {
            "spec": {
                "group": "samples.example.com",
                "scope": "Namespaced",
                "conversion": {"strategy": "None"},
                "names": {"plural": "samples", "singular": "sample", "kind": "Sample", "listKind": "SampleList"},
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": SCHEMA},
                        "additionalPrinterColumns": [COLUMN],
                    }
                ],
            }
        },
    ),
}
CLUSTER_SCOPED = frozenset(
    {"Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition"}
)
PLURALS = {"Endpoints": "endpoints"}


def valid(kind: str, name: str) -> Json:
    """Return a valid object of a kind; a definition's name follows from its spec."""
    version, members = VALID[kind]
    named = "samples.samples.example.com" if kind == "CustomResourceDefinition" else name
    return {"apiVersion": version, "kind": kind, "metadata": {"name": named}} | members


def path_of(kind: str, namespace: str) -> str:
    """Return the path of a kind's objects."""
    version = VALID[kind][0]
    base = f"/api/{version}" if version == "v1" else f"/apis/{version}"
    within = "" if kind in CLUSTER_SCOPED else f"/namespaces/{namespace}"
    return f"{base}{within}/{PLURALS.get(kind, kind.lower() + 's')}"


def broken(rule: Rule) -> tuple[str, str, Json]:
    """Break a rule in a valid object that has a value of the rule's type.

    Returns:
        The kind of the object, the path of the value, and the object.
    """
    kind, path = _places()[rule.type]
    obj = copy.deepcopy(valid(kind, "web"))
    value: Any = obj
    for step in re.findall(r"[^.\[\]]+", path):
        value = value[int(step)] if isinstance(value, list) else value[step]
    for member, wrong in ({rule.member: rule.breaks} if rule.member else rule.breaks).items():
        if wrong is NOTHING:
            value.pop(member, None)
        else:
            value[member] = wrong
    return kind, path, obj


@functools.cache
def _places() -> dict[str, tuple[str, str]]:
    """Return the kind and path of the first value of each type among the valid objects."""
    found: dict[str, tuple[str, str]] = {"ObjectMeta": ("ConfigMap", "metadata")}
    kinds = Kinds()
    for kind, (version, _) in VALID.items():
        known = kinds.of(version, kind)
        if known is not None:
            for name, _, path in types.values(known, valid(kind, "web")):
                found.setdefault(name, (kind, path))
    return found


def changed(obj: Json, change: Json) -> Json:
    """Return an object with a merge patch applied."""
    return merge_patch(obj, change) or {}


def named(rules: Iterable[AnyRule]) -> dict[str, AnyRule]:
    """Return rules by a name that says what breaks each."""
    found: dict[str, AnyRule] = {}
    for rule in rules:
        on = rule.on if isinstance(rule, Rule) else rule.kind
        what = "missing" if rule.breaks is NOTHING else json.dumps(rule.breaks)[:LONGEST_NAME]
        found[f"{on}: {what}{'' if f'{on}: {what}' not in found else f' ({len(found)})'}"] = rule
    return found
