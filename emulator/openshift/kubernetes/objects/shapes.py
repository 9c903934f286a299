"""The types of the members of built-in kinds; the real server's decoder refuses other types with 400.

Only members that the emulator reads are listed; all others pass.
"""

from collections.abc import Mapping
from typing import Any

from emulator.openshift.kubernetes.errors import bad_request
from emulator.openshift.kubernetes.kinds import APPS, DEFINITIONS, RBAC, Json, Kind

# A type; a mapping of member names to shapes (`*` for every other member); or a list with the shape of its items.
Shape = Any

TEXT, TEXTS, MAP = str, [str], {"*": str}
CONDITIONS: Shape = [{"type": TEXT, "status": TEXT}]
CONTAINER: Shape = {"name": TEXT, "image": TEXT, "ports": [dict], "env": [dict]}
POD: Shape = {
    "containers": [CONTAINER],
    "initContainers": [CONTAINER],
    "nodeName": TEXT,
    "nodeSelector": MAP,
    "readinessGates": [{"conditionType": TEXT}],
}
CONTAINER_STATUS: Shape = {
    "ready": bool,
    "restartCount": int,
    "state": {"waiting": {"reason": TEXT}, "running": dict, "terminated": {"exitCode": int, "reason": TEXT}},
}
POD_STATUS: Shape = {
    "conditions": CONDITIONS,
    "containerStatuses": [CONTAINER_STATUS],
    "initContainerStatuses": [CONTAINER_STATUS],
}
SELECTOR: Shape = {"matchLabels": MAP, "matchExpressions": [{"key": TEXT, "operator": TEXT, "values": TEXTS}]}
TEMPLATE: Shape = {"metadata": {"labels": MAP, "annotations": MAP}, "spec": POD}
COUNTS: Shape = dict.fromkeys(
    (
        "replicas",
        "readyReplicas",
        "updatedReplicas",
        "availableReplicas",
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    ),
    int,
)
WORKLOAD: Shape = {"spec": {"replicas": int, "selector": SELECTOR, "template": TEMPLATE}, "status": COUNTS}
SERVICE: Shape = {
    "spec": {"ports": [{"port": int, "nodePort": int, "protocol": TEXT}], "externalIPs": TEXTS, "selector": MAP},
    "status": {"loadBalancer": {"ingress": [{"ip": TEXT, "hostname": TEXT}]}},
}
NODE: Shape = {"conditions": CONDITIONS, "addresses": [{"type": TEXT, "address": TEXT}], "nodeInfo": {"*": TEXT}}
ENDPOINTS: Shape = {"subsets": [{"addresses": [{"ip": TEXT}], "ports": [{"port": int}]}]}
EVENT: Shape = {
    "involvedObject": MAP,
    "source": MAP,
    "series": {"count": int},
    "count": int,
    "message": TEXT,
    "firstTimestamp": TEXT,
    "lastTimestamp": TEXT,
    "eventTime": TEXT,
}
RULE: Shape = {
    "verbs": TEXTS,
    "apiGroups": TEXTS,
    "resources": TEXTS,
    "resourceNames": TEXTS,
    "nonResourceURLs": TEXTS,
}
BINDING: Shape = {"subjects": [MAP], "roleRef": MAP}
NAMES: Shape = {"plural": TEXT, "singular": TEXT, "kind": TEXT, "listKind": TEXT, "shortNames": TEXTS}
VERSION: Shape = {
    "name": TEXT,
    "served": bool,
    "storage": bool,
    "schema": {"openAPIV3Schema": {"properties": {"*": dict}, "required": TEXTS}},
    "subresources": dict,
    "additionalPrinterColumns": [
        {"name": TEXT, "type": TEXT, "format": TEXT, "description": TEXT, "jsonPath": TEXT, "priority": int}
    ],
}
ACCESS: Shape = {
    "spec": {"resourceAttributes": MAP, "nonResourceAttributes": MAP, "user": TEXT, "groups": TEXTS, "namespace": TEXT}
}
SHAPES: Mapping[str, Shape] = {
    "ConfigMap": {"data": MAP, "binaryData": MAP, "immutable": bool},
    "Endpoints": ENDPOINTS,
    "Event": EVENT,
    "Node": {"spec": {"unschedulable": bool}, "status": NODE},
    "PersistentVolume": {"spec": {"accessModes": TEXTS, "capacity": dict, "claimRef": MAP}},
    "PersistentVolumeClaim": {"status": {"accessModes": TEXTS, "capacity": dict}},
    "Pod": {"spec": POD, "status": POD_STATUS},
    "Secret": {"data": MAP, "stringData": MAP, "type": TEXT, "immutable": bool},
    "Service": SERVICE,
    "ServiceAccount": {"secrets": [dict]},
    "CertificateSigningRequest.certificates.k8s.io": {"status": {"conditions": CONDITIONS}},
    **{f"{kind}.{APPS}": WORKLOAD for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")},
    **{f"{kind}.{RBAC}": {"rules": [RULE]} for kind in ("Role", "ClusterRole")},
    **{f"{kind}.{RBAC}": BINDING for kind in ("RoleBinding", "ClusterRoleBinding")},
    **{
        f"{kind}.authorization.k8s.io": ACCESS
        for kind in ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview")
    },
    DEFINITIONS: {"spec": {"group": TEXT, "scope": TEXT, "names": NAMES, "versions": [VERSION]}},
}
EVERY: Shape = {"spec": dict, "status": dict}


def check(kind: Kind, obj: Json) -> None:
    """Check the types of an object's members; null fits every type.

    Raises:
        ServiceError: 400 with the first member of a wrong type.
    """
    for shape in (EVERY, SHAPES.get(kind.name, {})):
        wrong = _misfit(shape, obj, "")
        if wrong is not None:
            raise bad_request(
                f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
                f"v1.{kind.kind}{wrong} is of another type"
            )


def _misfit(shape: Shape, value: Any, path: str) -> str | None:
    if value is None:
        return None
    if isinstance(shape, type):
        return None if isinstance(value, shape) else path
    if isinstance(shape, list):
        if not isinstance(value, list):
            return path
        found = (_misfit(shape[0], item, f"{path}[{index}]") for index, item in enumerate(value))
    else:
        if not isinstance(value, dict):
            return path
        every = shape.get("*")
        found = (
            _misfit(shape.get(name, every), member, f"{path}.{name}")
            for name, member in value.items()
            if name in shape or every is not None
        )
    return next((wrong for wrong in found if wrong is not None), None)
