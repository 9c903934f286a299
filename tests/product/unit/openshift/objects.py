"""Objects of a cluster in the format of its API server, with the members that conditions read."""

from datetime import UTC, datetime
from typing import Any

from shared.json_object import Json


def condition(kind: str, status: str, reason: str = "", message: str = "") -> Json:
    """Make one entry of `status.conditions`."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def made(name: str, *conditions: Json) -> Json:
    """Make an object that has conditions: an operator, a version, a node."""
    return {"metadata": {"name": name}, "status": {"conditions": list(conditions)}}


def operator(
    name: str,
    *,
    available: str = "True",
    progressing: str = "False",
    degraded: str = "False",
    since: datetime = datetime(2026, 3, 1, tzinfo=UTC),
) -> Json:
    """Make a ClusterOperator whose every condition has a reason and a message."""
    conditions = (
        condition("Available", available, "Why", "available?"),
        condition("Progressing", progressing, "Why", "progressing?"),
        condition("Degraded", degraded, "Why", "degraded?"),
    )
    stamp = since.strftime("%Y-%m-%dT%H:%M:%SZ")
    return made(name, *(each | {"lastTransitionTime": stamp} for each in conditions))


def machine(name: str, phase: str | None = "Running", *, made: str = "2099-01-01T00:00:00Z", **status: Any) -> Json:
    """Make a Machine, younger than the row that waits for it."""
    metadata = {"name": name, "creationTimestamp": made}
    return {"metadata": metadata, "status": ({"phase": phase} if phase else {}) | status}


def node(name: str, ready: str = "True") -> Json:
    """Make a Node."""
    return made(name, condition("Ready", ready, "KubeletNotReady", "the network plugin is not ready"))


def privileged() -> Json:
    """Make the constraints `privileged` as in the release."""
    return {
        "apiVersion": "security.openshift.io/v1",
        "kind": "SecurityContextConstraints",
        "metadata": {"name": "privileged", "annotations": {"kubernetes.io/description": "allows access to everything"}},
        "allowHostDirVolumePlugin": True,
        "allowHostIPC": True,
        "allowHostNetwork": True,
        "allowHostPID": True,
        "allowHostPorts": True,
        "allowPrivilegeEscalation": True,
        "allowPrivilegedContainer": True,
        "allowedCapabilities": ["*"],
        "allowedUnsafeSysctls": ["*"],
        "defaultAddCapabilities": None,
        "fsGroup": {"type": "RunAsAny"},
        "priority": None,
        "readOnlyRootFilesystem": False,
        "requiredDropCapabilities": None,
        "runAsUser": {"type": "RunAsAny"},
        "seLinuxContext": {"type": "RunAsAny"},
        "seccompProfiles": ["*"],
        "supplementalGroups": {"type": "RunAsAny"},
        "users": ["system:admin", "system:serviceaccount:openshift-infra:build-controller"],
        "groups": ["system:cluster-admins", "system:nodes", "system:masters"],
        "volumes": ["*"],
    }
