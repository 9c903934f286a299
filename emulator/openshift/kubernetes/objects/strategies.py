"""The server's treatment of built-in kinds: the members that it fills in, and the objects that it refuses.

Only rules that matter to some client are here; README.md lists what is left out.
"""

import base64
import copy
from collections.abc import Iterator, Mapping

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.kinds import APPS, DEFINITIONS, Kind
from emulator.openshift.kubernetes.objects import defaults, types
from emulator.openshift.kubernetes.objects.validation import changes, engine

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


def settle(kind: Kind, obj: Json) -> Json:
    """Return an object of a built-in kind in the form in which it is stored.

    Raises:
        ServiceError: 400 for an object that does not decode.
    """
    settled, _ = types.decode(kind, obj)
    settled = copy.deepcopy(settled)
    if kind.name == "Secret":
        _write_texts(settled)
    defaults.fill(kind, settled)
    return settled


def _write_texts(obj: Json) -> None:
    """Move the texts of a Secret to its data."""
    texts = obj.pop("stringData", None) or {}
    if texts:
        encoded = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
        obj["data"] = (obj.get("data") or {}) | encoded


def causes(kind: Kind, obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object of a built-in kind, except for its metadata."""
    yield from engine.causes(kind, obj)
    if kind.name == DEFINITIONS:
        yield from _definition_causes(obj)


def change_causes(kind: Kind, old: Json, new: Json) -> Iterator[Cause]:
    """Yield the changes of an object of a built-in kind that are not allowed."""
    # An object that an older emulator has stored may lack defaults.
    yield from changes.causes(kind, settle(kind, old), new)


def _definition_causes(obj: Json) -> Iterator[Cause]:
    spec, versions = obj["spec"], obj["spec"].get("versions") or []
    if obj["metadata"].get("name") != f"{spec['names'].get('plural', '')}.{spec.get('group', '')}":
        yield invalid_value("metadata.name", obj["metadata"].get("name"), 'must be spec.names.plural+"."+spec.group')
    for index, version in enumerate(versions):
        if not (version.get("schema") or {}).get("openAPIV3Schema"):
            yield required(f"spec.versions[{index}].schema.openAPIV3Schema", "schemas are required")
    if sum(1 for version in versions if version.get("storage")) != 1:
        shown = f"[{len(versions)}]" if versions else "[]apiextensions.CustomResourceDefinitionVersion{}"
        message = f"Invalid value: {shown}: must have exactly one version marked as storage version"
        yield Cause("FieldValueInvalid", "spec.versions", message)
