"""The schema of every kind in one form, JSON schema with `x-kubernetes-*`: for apply, and for the OpenAPI documents.

Built-in kinds get theirs from the table of members (`objects/types.py`) and from the rows below, custom kinds from their
definition. A reference, `{"$ref": "PodSpec"}`, names a type of that table.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import types

LIST_TYPE, LIST_KEYS, MAP_TYPE = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
PRESERVE, INT_OR_STRING = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"
REFERENCE = "$ref"
PLAIN: Mapping[str, Json] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float64": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
    "Time": {"type": "string", "format": "date-time"},
    "Quantity": {"type": "string", INT_OR_STRING: True},
    "IntOrString": {"type": "string", "format": "int-or-string", INT_OR_STRING: True},
    # Scalars too: a definition has them as `default`, `example` and in `enum`.
    "any": {PRESERVE: True},
}


@dataclass(frozen=True)
class Keyed:
    """A list whose items are told apart by keys, or, without keys, by their values.

    Args:
        keys: the members that are the key for apply.
        patch_key: the member that is the key for strategic merge patches; "" if these replace the list.
    """

    keys: tuple[str, ...] = ()
    patch_key: str = ""


def _by(key: str) -> Keyed:
    return Keyed((key,), key)


BY_NAME, BY_TYPE = _by("name"), _by("type")
# By type and member. All other lists are replaced as a whole.
# Source: kubernetes/kubernetes v1.20.2, api/openapi-spec/swagger.json; rows below LATER are of the release 1.32.
LISTS: Mapping[str, Keyed] = {
    **dict.fromkeys(
        (
            *("Container.env", "EphemeralContainer.env", "PodSpec.containers", "PodSpec.ephemeralContainers"),
            *("PodSpec.imagePullSecrets", "PodSpec.initContainers", "PodSpec.volumes"),
        ),
        BY_NAME,
    ),
    **dict.fromkeys(
        (
            *("DaemonSetStatus.conditions", "DeploymentStatus.conditions", "NamespaceStatus.conditions"),
            *("NodeStatus.addresses", "NodeStatus.conditions", "PersistentVolumeClaimStatus.conditions"),
            *("PodStatus.conditions", "ReplicaSetStatus.conditions", "ServiceStatus.conditions"),
            "StatefulSetStatus.conditions",
        ),
        BY_TYPE,
    ),
    **dict.fromkeys(("Container.volumeDevices", "EphemeralContainer.volumeDevices"), _by("devicePath")),
    **dict.fromkeys(("Container.volumeMounts", "EphemeralContainer.volumeMounts"), _by("mountPath")),
    **dict.fromkeys(
        ("Container.ports", "EphemeralContainer.ports"), Keyed(("containerPort", "protocol"), "containerPort")
    ),
    "CertificateSigningRequestStatus.conditions": Keyed(("type",)),
    "NodeSpec.podCIDRs": Keyed(),
    "ObjectMeta.finalizers": Keyed(),
    "ObjectMeta.ownerReferences": _by("uid"),
    "PodSpec.hostAliases": _by("ip"),
    "PodSpec.topologySpreadConstraints": Keyed(("topologyKey", "whenUnsatisfiable"), "topologyKey"),
    "PodStatus.podIPs": _by("ip"),
    "ServiceAccount.secrets": BY_NAME,
    "ServiceSpec.ports": Keyed(("port", "protocol"), "port"),
    # LATER
    "CustomResourceDefinitionStatus.conditions": Keyed(("type",)),
    "PodSpec.resourceClaims": BY_NAME,
    "PodSpec.schedulingGates": BY_NAME,
    "PodStatus.hostIPs": _by("ip"),
    "ResourceRequirements.claims": Keyed(("name",)),
}
# Types whose objects are replaced as a whole. Source: as above; all but LabelSelector are later than 1.20.
ATOMIC = frozenset(
    {
        *("ConfigMapKeySelector", "LabelSelector", "LocalObjectReference", "NodeSelector", "NodeSelectorTerm"),
        *("ObjectFieldSelector", "ObjectReference", "ResourceFieldSelector", "RoleRef", "SecretKeySelector"),
        *("SecretReference", "Subject", "TypedLocalObjectReference"),
    }
)
# Keys that an item may leave out, by member.
KEY_DEFAULTS: Mapping[str, Any] = {"protocol": "TCP"}


@functools.cache
def of_type(name: str) -> Json:
    """Return the schema of a type of the table of members, such as `PodSpec`."""
    properties = {member: _member(name, member, written) for member, written in types.types()[name].items()}
    return {"type": "object", "properties": properties} | ({MAP_TYPE: "atomic"} if name in ATOMIC else {})


def of_kind(kind: Kind) -> Json:
    """Return the schema of a kind's objects."""
    if not kind.is_custom:
        return of_type(kind.kind) if kind.kind in types.types() else {"type": "object", PRESERVE: True}
    whole: Json = {
        "apiVersion": PLAIN["string"],
        "kind": PLAIN["string"],
        "metadata": {REFERENCE: "ObjectMeta"},
    }
    return kind.schema | {"type": "object", "properties": (kind.schema.get("properties") or {}) | whole}


def resolved(schema: Json) -> Json:
    """Return the schema that a reference names, or the schema itself."""
    return of_type(schema[REFERENCE]) if REFERENCE in schema else schema


def keys_of(schema: Json) -> tuple[str, ...] | None:
    """Return the keys of a list's items, none for a set; None for a list that is replaced as a whole."""
    match schema.get(LIST_TYPE):
        case "map":
            return tuple(schema.get(LIST_KEYS) or ())
        case "set":
            return ()
        case _:
            return None


def _member(name: str, member: str, written: str) -> Json:
    schema = _written(written)
    keyed = LISTS.get(f"{name}.{member}")
    if keyed is not None:
        schema |= {LIST_TYPE: "map", LIST_KEYS: list(keyed.keys)} if keyed.keys else {LIST_TYPE: "set"}
        if keyed.patch_key or not keyed.keys:
            schema |= {"x-kubernetes-patch-strategy": "merge"}
        if keyed.patch_key:
            schema |= {"x-kubernetes-patch-merge-key": keyed.patch_key}
    return schema


def _written(written: str) -> Json:
    if written[0] == "[":
        return {"type": "array", "items": _written(written[1:-1])}
    if written[0] == "{":
        return {"type": "object", "additionalProperties": _written(written[1:-1])}
    return dict(PLAIN[written]) if written in PLAIN else {REFERENCE: written}
