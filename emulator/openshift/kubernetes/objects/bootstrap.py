"""The objects that exist in every cluster from the start: namespaces, and the server's roles, bindings and Service."""

from collections.abc import Iterator, Mapping
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import RBAC
from emulator.openshift.kubernetes.objects import addresses

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")

READ = ("get", "list", "watch")
WRITE = ("create", "delete", "deletecollection", "patch", "update")
PUBLIC = ("/healthz", "/livez", "/readyz", "/version", "/version/")
DISCOVERY = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", *PUBLIC)
CONTENT = ("configmaps", "endpoints", "persistentvolumeclaims", "pods", "serviceaccounts", "services")
STATUSES = ("namespaces", "events", "pods/log", "pods/status")
WORKLOADS = ("daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale", "statefulsets")


def _rule(groups: tuple[str, ...], resources: tuple[str, ...], verbs: tuple[str, ...], **more: Any) -> Json:
    return {"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)} | more


def _paths(paths: tuple[str, ...], verbs: tuple[str, ...] = ("get",)) -> Json:
    return {"nonResourceURLs": list(paths), "verbs": list(verbs)}


VIEW = [_rule(("",), CONTENT, READ), _rule(("",), STATUSES, READ), _rule(("apps",), WORKLOADS, READ)]
EDIT = [
    *VIEW,
    _rule(("",), ("secrets",), READ),
    _rule(("",), (*CONTENT, "secrets"), WRITE),
    _rule(("apps",), WORKLOADS, WRITE),
]
SIGNING = ("certificatesigningrequests",)
ROLES: Mapping[str, list[Json]] = {
    "cluster-admin": [_rule(("*",), ("*",), ("*",)), _paths(("*",), ("*",))],
    "admin": [*EDIT, _rule((RBAC,), ("roles", "rolebindings"), (*READ, *WRITE))],
    "edit": EDIT,
    "view": VIEW,
    "system:basic-user": [
        _rule(("authorization.k8s.io",), ("selfsubjectaccessreviews", "selfsubjectrulesreviews"), ("create",))
    ],
    "system:discovery": [_paths(DISCOVERY)],
    "system:public-info-viewer": [_paths(PUBLIC)],
    "system:node": [
        _rule(("authentication.k8s.io",), ("tokenreviews",), ("create",)),
        _rule(("authorization.k8s.io",), ("subjectaccessreviews", "localsubjectaccessreviews"), ("create",)),
        _rule(("",), ("services",), READ),
        _rule(("",), ("nodes",), ("create", *READ, "update", "patch")),
        _rule(("",), ("nodes/status",), ("patch", "update")),
        _rule(("",), ("events",), ("create", "patch", "update")),
        _rule(("",), ("pods",), (*READ, "create", "delete")),
        _rule(("",), ("pods/status",), ("patch", "update")),
        _rule(("",), ("configmaps", "secrets", "persistentvolumeclaims", "persistentvolumes"), READ),
        _rule(("coordination.k8s.io",), ("leases",), ("create", "delete", "get", "patch", "update")),
        _rule(("certificates.k8s.io",), SIGNING, ("create", *READ)),
    ],
    "system:node-bootstrapper": [_rule(("certificates.k8s.io",), SIGNING, ("create", *READ))],
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient": [
        _rule(("certificates.k8s.io",), ("certificatesigningrequests/nodeclient",), ("create",))
    ],
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": [
        _rule(("certificates.k8s.io",), ("certificatesigningrequests/selfnodeclient",), ("create",))
    ],
    "system:kube-controller-manager": [_rule(("*",), ("*",), READ), _rule(("",), ("events",), ("create", "patch"))],
    "system:kube-scheduler": [
        _rule(("",), ("nodes", "pods", "services", "persistentvolumes", "persistentvolumeclaims"), READ),
        _rule(("",), ("pods/binding", "bindings"), ("create",)),
        _rule(("",), ("pods/status",), ("patch", "update")),
        _rule(("apps",), ("replicasets", "statefulsets"), READ),
    ],
}
# The subjects of each role: kind and name.
BINDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "cluster-admin": (("Group", "system:masters"),),
    "system:basic-user": (("Group", "system:authenticated"),),
    "system:discovery": (("Group", "system:authenticated"),),
    "system:public-info-viewer": (("Group", "system:authenticated"), ("Group", "system:unauthenticated")),
    "system:kube-controller-manager": (("User", "system:kube-controller-manager"),),
    "system:kube-scheduler": (("User", "system:kube-scheduler"),),
    # In the real server this binding has no subjects, because the node authorizer decides, which is not emulated.
    "system:node": (("Group", "system:nodes"),),
}
LABELS = {"kubernetes.io/bootstrapping": "rbac-defaults"}


def objects(services: str) -> Iterator[Json]:
    """Yield the namespaces, roles and bindings, and the API server's own Service."""
    for name in NAMESPACES:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    yield addresses.own(services)
    for name, rules in ROLES.items():
        yield {
            "apiVersion": f"{RBAC}/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name, "labels": LABELS},
            "rules": rules,
        }
    for name, subjects in BINDINGS.items():
        yield {
            "apiVersion": f"{RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name, "labels": LABELS},
            "subjects": [{"kind": kind, "apiGroup": RBAC, "name": subject} for kind, subject in subjects],
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        }
