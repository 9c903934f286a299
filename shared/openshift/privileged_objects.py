"""The parts that the service's privileged objects on each node of a cluster have in common."""

from shared.json_object import Json
from shared.openshift.client import Read

# Where the API server's own list of allowed constraints begins. The release adds it some time after the first API
# server starts.
PRIVILEGED = Read("SecurityContextConstraints", "privileged")

ON_EVERY_NODE = [
    {"operator": "Exists", "effect": "NoExecute"},
    {"operator": "Exists", "effect": "NoSchedule"},
]
_ADMISSION_MODES = ("enforce", "audit", "warn")


def namespace(name: str) -> Json:
    """Return a namespace whose pods run on all nodes, whatever default node selector the customer sets."""
    labels = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in _ADMISSION_MODES}
    metadata = {"name": name, "labels": labels, "annotations": {"openshift.io/node-selector": ""}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def constraints(name: str, privileged: Json, service_account: str) -> Json:
    """Return a copy of the cluster's own constraints `privileged` that only one service account may use.

    Args:
        name: name of the copy.
        privileged: the constraints as the cluster has them.
        service_account: `<namespace>:<name>`.
    """
    return privileged | {
        "metadata": {"name": name},
        "users": [f"system:serviceaccount:{service_account}"],
        "groups": [],
    }


def daemon_set(name: str, namespace: str, pod: Json, annotations: dict[str, str] | None = None) -> Json:
    """Return a DaemonSet that tolerates every taint.

    Args:
        name: name of the DaemonSet, and the label `app` of its pods.
        namespace: its namespace.
        pod: the rest of its pods' spec.
        annotations: annotations of its pods.
    """
    metadata: Json = {"labels": {"app": name}} | ({"annotations": annotations} if annotations else {})
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": metadata, "spec": pod | {"tolerations": ON_EVERY_NODE}},
        },
    }
