"""The server's treatment of built-in kinds: the members that it fills in, and the objects that it refuses.

Only rules that matter to some client are here; README.md lists what is left out.
"""

import base64
import binascii
import copy
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, bad_request, forbidden_value, invalid_value, required
from emulator.openshift.kubernetes.kinds import APPS, DEFINITIONS, RBAC, Json, Kind
from emulator.openshift.kubernetes.objects import names, shapes
from emulator.openshift.kubernetes.printing.checks import column_causes

# The status of a new object, whatever the request says. Only a Node may bring its own.
FIRST_STATUS: Mapping[str, Json] = {
    "Namespace": {"phase": "Active"},
    "PersistentVolume": {"phase": "Pending"},
    "PersistentVolumeClaim": {"phase": "Pending"},
    "Pod": {"phase": "Pending", "qosClass": "BestEffort"},
    "Service": {"loadBalancer": {}},
    f"DaemonSet.{APPS}": {
        "currentNumberScheduled": 0,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 0,
        "numberReady": 0,
    },
    f"Deployment.{APPS}": {},
    f"ReplicaSet.{APPS}": {"replicas": 0},
    f"StatefulSet.{APPS}": {"replicas": 0},
    "CertificateSigningRequest.certificates.k8s.io": {},
}
# The members that are filled in if the request lacks them.
DEFAULTS: Mapping[str, Json] = {
    "Namespace": {"spec": {"finalizers": ["kubernetes"]}},
    "Secret": {"type": "Opaque"},
    "Service": {"spec": {"sessionAffinity": "None", "type": "ClusterIP"}},
    "PersistentVolume": {"spec": {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}},
    "PersistentVolumeClaim": {"spec": {"volumeMode": "Filesystem"}},
    f"Deployment.{APPS}": {
        "spec": {
            "replicas": 1,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        }
    },
    f"DaemonSet.{APPS}": {
        "spec": {
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
            "revisionHistoryLimit": 10,
        }
    },
    f"ReplicaSet.{APPS}": {"spec": {"replicas": 1}},
    f"StatefulSet.{APPS}": {
        "spec": {
            "replicas": 1,
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "revisionHistoryLimit": 10,
        }
    },
}
POD_DEFAULTS: Json = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
CONTAINER_DEFAULTS: Json = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
WORKLOADS = frozenset(f"{kind}.{APPS}" for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"))
# The keys that a Secret of each type must have.
SECRET_KEYS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
BINDINGS = frozenset({f"RoleBinding.{RBAC}", f"ClusterRoleBinding.{RBAC}"})


def fill(target: Json, defaults: Json) -> None:
    """Add missing members, at any depth of the defaults."""
    for name, value in defaults.items():
        if target.get(name) is None:
            target[name] = copy.deepcopy(value)
        elif isinstance(value, dict) and isinstance(target[name], dict) and name != "strategy":
            fill(target[name], value)


def settle(kind: Kind, obj: Json) -> None:
    """Bring an object of a built-in kind into the form in which it is stored.

    Raises:
        ServiceError: 400 for an object that does not decode.
    """
    shapes.check(kind, obj)
    fill(obj, DEFAULTS.get(kind.name, {}))
    special = SETTLE.get(kind.name)
    if special is not None:
        special(obj)


def _secret(obj: Json) -> None:
    data = dict(obj.get("data") or {})
    for name, value in data.items():
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, TypeError, ValueError) as error:
            raise bad_request(
                f'Secret in version "v1" cannot be handled as a Secret: v1.Secret.Data: {name} is no base64'
            ) from error
    text = obj.pop("stringData", None) or {}
    data.update({name: base64.b64encode(str(value).encode()).decode() for name, value in text.items()})
    if data:
        obj["data"] = data


def _service(obj: Json) -> None:
    for port in filter(None, obj["spec"].get("ports") or []):
        fill(port, {"protocol": "TCP", "targetPort": port.get("port")})


def _pod(obj: Json) -> None:
    fill(obj, {"spec": {}})
    _pod_spec(obj["spec"])


def _workload(obj: Json) -> None:
    fill(obj, {"spec": {"template": {"metadata": {}, "spec": {}}}})
    _pod_spec(obj["spec"]["template"]["spec"])


def _pod_spec(spec: Json) -> None:
    fill(spec, POD_DEFAULTS)
    for container in filter(None, [*(spec.get("containers") or []), *(spec.get("initContainers") or [])]):
        tag = str(container.get("image") or "").rpartition("/")[2].partition(":")[2]
        policy = "Always" if tag in ("", "latest") else "IfNotPresent"
        fill(container, CONTAINER_DEFAULTS | {"imagePullPolicy": policy})


def _binding(obj: Json) -> None:
    fill(obj, {"roleRef": {"apiGroup": RBAC}})
    for subject in filter(None, obj.get("subjects") or []):
        if subject.get("kind") in ("User", "Group"):
            fill(subject, {"apiGroup": RBAC})


def _definition(obj: Json) -> None:
    fill(obj, {"spec": {"names": {}, "conversion": {"strategy": "None"}}})
    given = obj["spec"]["names"]
    if given.get("kind"):
        fill(given, {"singular": str(given["kind"]).lower(), "listKind": f"{given['kind']}List"})


SETTLE: Mapping[str, Callable[[Json], None]] = {
    "Pod": _pod,
    "Secret": _secret,
    "Service": _service,
    DEFINITIONS: _definition,
    **dict.fromkeys(WORKLOADS, _workload),
    **dict.fromkeys(BINDINGS, _binding),
}


def causes(kind: Kind, obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object of a built-in kind, except for its metadata."""
    yield from CAUSES.get(kind.name, _nothing)(obj)


def change_causes(kind: Kind, old: Json, new: Json) -> Iterator[Cause]:
    """Yield the changes of an object of a built-in kind that are not allowed.

    Args:
        kind: kind of the object.
        old: the current object.
        new: the object after the write.
    """
    if kind.name in BINDINGS and old["roleRef"] != new["roleRef"]:
        ref = new["roleRef"]
        shown = (
            f'rbac.RoleRef{{APIGroup:"{ref["apiGroup"]}", Kind:"{ref.get("kind", "")}", Name:"{ref.get("name", "")}"}}'
        )
        yield Cause("FieldValueInvalid", "roleRef", f"Invalid value: {shown}: cannot change roleRef")
    if kind.name in ("ConfigMap", "Secret") and old.get("immutable"):
        if not new.get("immutable"):
            yield forbidden_value("immutable", "field is immutable when `immutable` is set")
        if old.get("data") != new.get("data"):
            yield forbidden_value("data", "field is immutable when `immutable` is set")
    if kind.name == "Secret" and old.get("type") != new.get("type"):
        yield invalid_value("type", new.get("type"), "field is immutable")
    if kind.name in WORKLOADS and old["spec"].get("selector") != new["spec"].get("selector"):
        yield invalid_value("spec.selector", new["spec"].get("selector"), "field is immutable")


def _nothing(_obj: Json) -> Iterator[Cause]:
    yield from ()


def _keys(obj: Json) -> Iterator[Cause]:
    for member in ("data", "binaryData"):
        for key in sorted(obj.get(member) or {}):
            for problem in names.config_key(key):
                yield invalid_value(f"{member}[{key}]", key, problem)


def _secret_causes(obj: Json) -> Iterator[Cause]:
    yield from _keys(obj)
    for key in SECRET_KEYS.get(obj.get("type", ""), ()):
        if key not in (obj.get("data") or {}):
            yield required(f"data[{key}]")


def _workload_causes(obj: Json) -> Iterator[Cause]:
    spec = obj["spec"]
    selector = spec.get("selector")
    labels = spec["template"]["metadata"].get("labels")
    if selector is None:
        yield required("spec.selector")
    wanted: Mapping[str, Any] = (selector or {}).get("matchLabels") or {}
    if selector is None or any((labels or {}).get(name) != value for name, value in wanted.items()):
        shown = "map[string]string(nil)" if labels is None else _go_map(labels)
        yield Cause(
            "FieldValueInvalid",
            "spec.template.metadata.labels",
            f"Invalid value: {shown}: `selector` does not match template `labels`",
        )
    if not spec["template"]["spec"].get("containers"):
        yield required("spec.template.spec.containers")


def _go_map(labels: Mapping[str, str]) -> str:
    return "map[string]string{" + ", ".join(f'"{name}":"{value}"' for name, value in sorted(labels.items())) + "}"


def _pod_causes(obj: Json) -> Iterator[Cause]:
    if not obj["spec"].get("containers"):
        yield required("spec.containers")


def _definition_causes(obj: Json) -> Iterator[Cause]:
    spec, given = obj["spec"], obj["spec"]["names"]
    name = obj["metadata"].get("name")
    if name != f"{given.get('plural', '')}.{spec.get('group', '')}":
        yield invalid_value("metadata.name", name, 'must be spec.names.plural+"."+spec.group')
    for member in ("group", "scope"):
        if not spec.get(member):
            yield required(f"spec.{member}")
    versions = spec.get("versions") or []
    for index, version in enumerate(versions):
        if not (version.get("schema") or {}).get("openAPIV3Schema"):
            yield required(f"spec.versions[{index}].schema.openAPIV3Schema", "schemas are required")
        if not re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", str(version.get("name", ""))):
            yield invalid_value(f"spec.versions[{index}].name", version.get("name"), names.SERVICE_MESSAGE)
    if sum(1 for version in versions if version.get("storage")) != 1:
        shown = "[]apiextensions.CustomResourceDefinitionVersion(nil)" if not versions else f"[{len(versions)}]"
        yield Cause(
            "FieldValueInvalid",
            "spec.versions",
            f"Invalid value: {shown}: must have exactly one version marked as storage version",
        )
    for member in ("plural", "singular", "kind", "listKind"):
        if not given.get(member):
            yield required(f"spec.names.{member}")
    yield from column_causes(versions)


CAUSES: Mapping[str, Callable[[Json], Iterator[Cause]]] = {
    "ConfigMap": _keys,
    "Pod": _pod_causes,
    "Secret": _secret_causes,
    DEFINITIONS: _definition_causes,
    **dict.fromkeys(WORKLOADS, _workload_causes),
}
