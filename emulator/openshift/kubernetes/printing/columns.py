"""The columns of every kind: a table for the built-in kinds, and the columns in CustomResourceDefinitions."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.printing import ages, cells, jsonpath, pods
from emulator.openshift.kubernetes.printing.cells import NONE, UNKNOWN, Cell

# The priority of columns that only `kubectl get -o wide` shows.
WIDE = 1


@dataclass(frozen=True)
class Column:
    """One column.

    Args:
        name: its header.
        cell: prints its cells.
        type: `string`, `integer`, `number`, `boolean` or `date`.
        priority: 0 for a column that is always shown.
        format: `name` for the column that names the object.
        description: explains the column to people.
    """

    name: str
    cell: Cell
    type: str = "string"
    priority: int = 0
    format: str = ""
    description: str = ""

    def as_json(self) -> Json:
        """Return the definition of the column for the head of a table."""
        names = ("name", "type", "format", "description", "priority")
        return {name: getattr(self, name) for name in names}


def _wide(name: str, cell: Cell) -> Column:
    return Column(name, cell, priority=WIDE)


def _count(name: str, path: str) -> Column:
    return Column(name, cells.number(path), "integer")


NAME = Column("Name", cells.text("metadata.name"), format="name")
AGE = Column("Age", cells.since())
CONTAINERS = (_wide("Containers", cells.containers("name")), _wide("Images", cells.containers("image")))
SELECTOR = _wide("Selector", cells.selector)
NODE_INFO = "status.nodeInfo"

BUILT_IN: Mapping[str, tuple[Column, ...]] = {
    "ConfigMap": (NAME, Column("Data", cells.size("data", "binaryData")), AGE),
    "Event": (
        Column("Last Seen", cells.event_last_seen),
        Column("Type", cells.text("type")),
        Column("Reason", cells.text("reason")),
        Column("Object", cells.event_object),
        _wide("Subobject", cells.text("involvedObject.fieldPath")),
        _wide("Source", cells.event_source),
        Column("Message", lambda obj, _now: str(obj.get("message") or "").strip()),
        _wide("First Seen", cells.event_first_seen),
        _wide("Count", cells.event_count),
        Column("Name", cells.text("metadata.name"), priority=WIDE, format="name"),
    ),
    "Namespace": (NAME, Column("Status", cells.text("status.phase")), AGE),
    "Node": (
        NAME,
        Column("Status", cells.node_status),
        Column("Roles", cells.node_roles),
        AGE,
        Column("Version", cells.text(f"{NODE_INFO}.kubeletVersion")),
        _wide("Internal-IP", cells.node_address("InternalIP")),
        _wide("External-IP", cells.node_address("ExternalIP")),
        _wide("OS-Image", cells.text(f"{NODE_INFO}.osImage", UNKNOWN)),
        _wide("Kernel-Version", cells.text(f"{NODE_INFO}.kernelVersion", UNKNOWN)),
        _wide("Container-Runtime", cells.text(f"{NODE_INFO}.containerRuntimeVersion", UNKNOWN)),
    ),
    "Pod": (
        NAME,
        Column("Ready", pods.ready),
        Column("Status", pods.status),
        Column("Restarts", pods.restarts, "integer"),
        AGE,
        _wide("IP", cells.text("status.podIP", NONE)),
        _wide("Node", cells.text("spec.nodeName", NONE)),
        _wide("Nominated Node", cells.text("status.nominatedNodeName", NONE)),
        _wide("Readiness Gates", pods.readiness_gates),
    ),
    "Secret": (NAME, Column("Type", cells.text("type")), Column("Data", cells.size("data")), AGE),
    "Service": (
        NAME,
        Column("Type", cells.text("spec.type")),
        Column("Cluster-IP", cells.cluster_address),
        Column("External-IP", cells.external_address),
        Column("Port(s)", cells.ports),
        AGE,
        _wide("Selector", cells.labels("spec.selector")),
    ),
    "ServiceAccount": (NAME, Column("Secrets", cells.size("secrets")), AGE),
    "DaemonSet.apps": (
        NAME,
        _count("Desired", "status.desiredNumberScheduled"),
        _count("Current", "status.currentNumberScheduled"),
        _count("Ready", "status.numberReady"),
        _count("Up-to-date", "status.updatedNumberScheduled"),
        _count("Available", "status.numberAvailable"),
        Column("Node Selector", cells.labels("spec.template.spec.nodeSelector")),
        AGE,
        *CONTAINERS,
        SELECTOR,
    ),
    "Deployment.apps": (
        NAME,
        Column("Ready", cells.ratio("status.readyReplicas", "spec.replicas")),
        Column("Up-to-date", cells.number("status.updatedReplicas")),
        Column("Available", cells.number("status.availableReplicas")),
        AGE,
        *CONTAINERS,
        SELECTOR,
    ),
    "ReplicaSet.apps": (
        NAME,
        _count("Desired", "spec.replicas"),
        _count("Current", "status.replicas"),
        _count("Ready", "status.readyReplicas"),
        AGE,
        *CONTAINERS,
        SELECTOR,
    ),
    "StatefulSet.apps": (
        NAME,
        Column("Ready", cells.ratio("status.readyReplicas", "spec.replicas")),
        AGE,
        *CONTAINERS,
    ),
    "CertificateSigningRequest.certificates.k8s.io": (
        NAME,
        AGE,
        Column("SignerName", cells.text("spec.signerName", NONE)),
        Column("Requestor", cells.text("spec.username")),
        Column("Condition", cells.request_status),
    ),
}
# The column of a definition without columns.
CUSTOM_AGE = {"name": "Age", "type": "date", "description": "", "jsonPath": ".metadata.creationTimestamp"}


def columns_of(kind: Kind) -> tuple[Column, ...]:
    """Return the columns of a kind; a built-in kind that is not in the table shows names and ages."""
    if not kind.is_custom:
        return BUILT_IN.get(kind.name, (NAME, AGE))
    return (NAME, *_custom(kind.printer_columns or (CUSTOM_AGE,)))


def _custom(definitions: tuple[Json, ...]) -> Iterator[Column]:
    for given in definitions:
        path = given["jsonPath"]
        try:
            find = jsonpath.parse(path)
        except ValueError:
            # As in the real server, a path that cannot be read silently ends the columns.
            return
        yield Column(
            given["name"],
            _value(find, given["type"]),
            given["type"],
            given.get("priority") or 0,
            given.get("format") or "",
            given.get("description", f"Custom resource definition column (in JSONPath format): {path}"),
        )


def _value(find: jsonpath.Path, kind: str) -> Cell:
    def cell(obj: Json, now: datetime) -> Any:
        found = find(obj)
        return _shown(found[0], kind, now) if found else None

    return cell


def _shown(value: Any, kind: str, now: datetime) -> Any:
    """Return a value as a column of a type shows it; None if the value is of another type."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case "string":
            return _text(value)
        case "date" if isinstance(value, str):
            return ages.age(value, now)
        case "integer" if is_number:
            return int(value)
        case "number" if is_number:
            return value
        case "boolean" if isinstance(value, bool):
            return value
        case _:
            return None


def _text(value: Any) -> str:
    if value is None:
        return "<no value>"
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), sort_keys=True)
