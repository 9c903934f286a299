"""The ready-made objects of a release, beside its operators, as tables.

https://github.com/openshift/cluster-kube-apiserver-operator (`bindata/bootkube/scc-manifests`),
https://github.com/openshift/openshift-apiserver (`pkg/bootstrappolicy`), from memory,
https://github.com/openshift/cluster-monitoring-operator (`assets/alertmanager/secret.yaml`),
https://github.com/operator-framework/operator-marketplace (`defaults`).
"""

from collections.abc import Iterator

import yaml

from emulator.json_object import Json

# The catalogues that the marketplace operator knows; others in an OperatorHub are errors.
CATALOGUES = ("certified-operators", "community-operators", "redhat-marketplace", "redhat-operators")
_RBAC, _AUTHORIZATION = "rbac.authorization.k8s.io", "rbac.authorization.kubernetes.io"
ALERTMANAGER = ("openshift-monitoring", "alertmanager-main", "alertmanager.yaml")

_ANY = {"type": "RunAsAny"}
_VOLUMES = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"]
# The constraints called `restricted`; the others list how they differ.
_RESTRICTED: Json = {
    "allowHostDirVolumePlugin": False,
    "allowHostIPC": False,
    "allowHostNetwork": False,
    "allowHostPID": False,
    "allowHostPorts": False,
    "allowPrivilegeEscalation": True,
    "allowPrivilegedContainer": False,
    "allowedCapabilities": None,
    "defaultAddCapabilities": None,
    "fsGroup": {"type": "MustRunAs"},
    "groups": [],
    "priority": None,
    "readOnlyRootFilesystem": False,
    "requiredDropCapabilities": ["KILL", "MKNOD", "SETUID", "SETGID"],
    "runAsUser": {"type": "MustRunAsRange"},
    "seLinuxContext": {"type": "MustRunAs"},
    "supplementalGroups": _ANY,
    "users": [],
    "volumes": _VOLUMES,
}
_ANY_USER: Json = {"fsGroup": _ANY, "runAsUser": _ANY, "requiredDropCapabilities": ["MKNOD"]}
_V2: Json = {
    "allowPrivilegeEscalation": False,
    "allowedCapabilities": ["NET_BIND_SERVICE"],
    "requiredDropCapabilities": ["ALL"],
    "seccompProfiles": ["runtime/default"],
}
_HOST: Json = dict.fromkeys(
    ("allowHostDirVolumePlugin", "allowHostIPC", "allowHostNetwork", "allowHostPID", "allowHostPorts"), True
)
# Name, first minor version of OpenShift 4 that has it, differences from `restricted`. A release has more; nobody asks for
# them.
_CONSTRAINTS: tuple[tuple[str, int, Json], ...] = (
    ("anyuid", 0, _ANY_USER | {"groups": ["system:cluster-admins"], "priority": 10}),
    (
        "privileged",
        0,
        _HOST
        | {
            "allowPrivilegedContainer": True,
            "allowedCapabilities": ["*"],
            "allowedUnsafeSysctls": ["*"],
            "fsGroup": _ANY,
            "groups": ["system:cluster-admins", "system:nodes", "system:masters"],
            "requiredDropCapabilities": None,
            "runAsUser": _ANY,
            "seLinuxContext": _ANY,
            "seccompProfiles": ["*"],
            "users": ["system:admin", "system:serviceaccount:openshift-infra:build-controller"],
            "volumes": ["*"],
        },
    ),
    ("restricted", 0, {}),
    ("restricted-v2", 11, _V2),
)
# Up to 4.5 there was one receiver, which was empty.
_FIRST_ROUTED = 6
_ROUTE: Json = {"group_by": ["namespace"], "group_interval": "5m", "group_wait": "30s", "repeat_interval": "12h"}


def security_context_constraints(minor: int) -> Iterator[Json]:
    """Yield the SecurityContextConstraints of a release, which have no spec: their members are at the top level."""
    for name, first, members in _CONSTRAINTS:
        if minor >= first:
            yield {
                "apiVersion": "security.openshift.io/v1",
                "kind": "SecurityContextConstraints",
                "metadata": {"name": name},
            } | (_RESTRICTED | members)


def cluster_admins() -> Json:
    """Return the binding that gives OpenShift's administrator its rights."""
    subjects = (("Group", "system:cluster-admins"), ("User", "system:admin"))
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "cluster-admins", "annotations": {f"{_AUTHORIZATION}/autoupdate": "true"}},
        "subjects": [{"kind": kind, "apiGroup": _RBAC, "name": name} for kind, name in subjects],
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
    }


def alertmanager(minor: int) -> Json:
    """Return the Secret with Alertmanager's configuration."""
    namespace, name, key = ALERTMANAGER
    metadata = {"name": name, "namespace": namespace}
    text = yaml.safe_dump(_alerts(minor))
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "type": "Opaque",
        "stringData": {key: text},
    }


def _alerts(minor: int) -> Json:
    resolve = {"resolve_timeout": "5m"}
    if minor < _FIRST_ROUTED:
        watchdog = {"match": {"alertname": "Watchdog"}, "receiver": "null"}
        route = _ROUTE | {"group_by": ["job"], "receiver": "null", "routes": [watchdog]}
        return {"global": resolve, "receivers": [{"name": "null"}], "route": route}
    routes = [
        {"matchers": ["alertname = Watchdog"], "receiver": "Watchdog"},
        {"matchers": ["severity = critical"], "receiver": "Critical"},
    ]
    inhibited = (("critical", "=~ warning|info"), ("warning", "= info"))
    return {
        "global": resolve,
        "inhibit_rules": [
            {
                "equal": ["namespace", "alertname"],
                "source_matchers": [f"severity = {source}"],
                "target_matchers": [f"severity {target}"],
            }
            for source, target in inhibited
        ],
        "receivers": [{"name": name} for name in ("Default", "Watchdog", "Critical")],
        "route": _ROUTE | {"receiver": "Default", "routes": routes},
    }


def catalogues(spec: Json) -> list[Json]:
    """Return the status of each catalogue for an OperatorHub, including those that its spec names."""
    everything = bool(spec.get("disableAllDefaultSources"))
    wanted = dict.fromkeys(CATALOGUES, everything)
    wanted |= {one["name"]: bool(one.get("disabled")) for one in spec.get("sources") or () if one.get("name")}
    return [_catalogue(name, disabled=disabled) for name, disabled in sorted(wanted.items())]


def _catalogue(name: str, *, disabled: bool) -> Json:
    if name in CATALOGUES:
        return {"name": name, "disabled": disabled, "status": "Success"}
    message = "Not present in the default definitions"
    return {"name": name, "disabled": disabled, "status": "Error", "message": message}
