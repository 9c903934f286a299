"""The order of kinds in which objects are applied, so that each finds what it refers to; deletion reverses it.

Source: kubernetes-sigs/cli-utils `pkg/ordering`, which airshipctl's applier used.
"""

from collections.abc import Iterable

from shared.json_object import Json

# Kinds that others need, and last the kinds that act on what exists. All other kinds come in between.
FIRST = (
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "MutatingWebhookConfiguration",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
)
LAST = ("ValidatingWebhookConfiguration",)


def in_order(objects: Iterable[Json]) -> list[Json]:
    """Return objects in the order in which they are applied; those of one kind by namespace and name."""
    return sorted(objects, key=_key)


def _key(document: Json) -> tuple[int, str, str, str, str]:
    kind, metadata = document.get("kind", ""), document.get("metadata", {})
    place = FIRST.index(kind) - len(FIRST) if kind in FIRST else 1 + LAST.index(kind) if kind in LAST else 0
    group = str(document.get("apiVersion", "")).rpartition("/")[0]
    return place, group, kind, metadata.get("namespace") or "", metadata.get("name", "")
