"""What every object of the service's own has in common that runs with all rights on each node of a cluster."""

from shared.openshift.client import Json, Read

# Where the API server's own list of what is allowed begins. The release brings it, some time after the first API server.
PRIVILEGED = Read("SecurityContextConstraints", "privileged")

ON_EVERY_NODE = [
    {"operator": "Exists", "effect": "NoExecute"},
    {"operator": "Exists", "effect": "NoSchedule"},
]
_ADMISSION_MODES = ("enforce", "audit", "warn")


def namespace(name: str) -> Json:
    """Return a namespace whose pods run on nodes of every kind, whatever selector the customer makes the default."""
    labels = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in _ADMISSION_MODES}
    metadata = {"name": name, "labels": labels, "annotations": {"openshift.io/node-selector": ""}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def constraints(name: str, privileged: Json, service_account: str) -> Json:
    """Return a copy of the cluster's own constraints `privileged` that one service account may use and nobody else.

    Args:
        name: of the copy.
        privileged: as the cluster has it.
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
        name: of the DaemonSet, and the label `app` of its pods.
        namespace: it lives in.
        pod: the rest of its pods' spec.
        annotations: of its pods.
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
