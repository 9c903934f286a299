"""The managers of an object's fields: what an update takes over, and what an apply merges, removes and conflicts with.

As in the real server, nobody is tracked for an object that was created by the cluster itself, until somebody applies
to it; what it has by then belongs to `before-first-apply`.
Source: kubernetes-sigs/structured-merge-diff, merge/update.go; kubernetes/apimachinery, pkg/util/managedfields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from emulator.json_object import Json
from emulator.openshift.kubernetes import refusals
from emulator.openshift.kubernetes.kinds import APPS, RBAC, Kind
from emulator.openshift.kubernetes.objects.fields import checks, paths, schemas, values
from emulator.openshift.kubernetes.objects.fields.paths import Fields

UPDATE, APPLY = "Update", "Apply"
MEMBER, FIELDS = "managedFields", "FieldsV1"
BEFORE = "before-first-apply"
# A list with one empty entry makes the server forget all managers.
RESET: list[Json] = [{}]
# What no manager owns.
UNMANAGED = (
    ("f:apiVersion",),
    ("f:kind",),
    *(
        ("f:metadata", f"f:{name}")
        for name in (
            *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", MEMBER, "name"),
            *("namespace", "resourceVersion", "selfLink", "uid"),
        )
    ),
)
# The members that an object of Go has though they are empty; nobody owns them for their own sake.
PARTS: Json = {"metadata": {}, "spec": {}, "status": {}}
_TEMPLATE: Json = {"metadata": {}, "spec": {"containers": []}}
EMPTY: Mapping[str, Json] = {
    f"DaemonSet.{APPS}": {"spec": {"template": _TEMPLATE, "updateStrategy": {}}},
    f"Deployment.{APPS}": {"spec": {"template": _TEMPLATE, "strategy": {}}},
    f"ReplicaSet.{APPS}": {"spec": {"template": _TEMPLATE}},
    f"StatefulSet.{APPS}": {"spec": {"template": _TEMPLATE, "updateStrategy": {}}},
    **{f"{kind}.{RBAC}": {"roleRef": {}} for kind in ("ClusterRoleBinding", "RoleBinding")},
    "Event": {"involvedObject": {}, "source": {}},
    # Which is not empty, but the server sets it.
    "Namespace": {"spec": {"finalizers": ["kubernetes"]}},
    "Node": {"status": {"nodeInfo": {}, "daemonEndpoints": {"kubeletEndpoint": {}}}},
    "PersistentVolumeClaim": {"spec": {"resources": {}}},
    "Pod": {"spec": {"containers": []}},
    "Service": {"status": {"loadBalancer": {}}},
}


@dataclass(frozen=True)
class Manager:
    """Somebody who writes objects.

    Args:
        name: the name that the client gives itself, or that of its program.
        operation: `Update` or `Apply`.
        version: API version of the writes.
        subresource: the subresource that is written, "" for the object itself.
    """

    name: str
    operation: str
    version: str
    subresource: str = ""


@dataclass(frozen=True)
class Managed:
    """The fields of a manager."""

    fields: Fields
    time: str


Managers = dict[Manager, Managed]


def read(listed: object) -> Managers:
    """Return the managers in the `managedFields` of an object; none if it cannot be read."""
    found: Managers = {}
    try:
        for entry in listed if isinstance(listed, list) else ():
            manager = Manager(
                str(entry.get("manager", "")),
                entry["operation"],
                str(entry["apiVersion"]),
                str(entry.get("subresource", "")),
            )
            if manager.operation not in (UPDATE, APPLY) or entry.get("fieldsType") != FIELDS:
                return {}
            found[manager] = Managed(paths.read(entry.get("fieldsV1") or {}), str(entry.get("time", "")))
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}
    return found


def written(managers: Managers) -> list[Json]:
    """Return managers as the `managedFields` of an object: appliers first, then by time and name."""
    ordered = sorted(managers, key=lambda one: (one.operation, managers[one].time, one.name, one.version))
    return [_entry(manager, managers[manager]) for manager in ordered]


def _entry(manager: Manager, managed: Managed) -> Json:
    entry: Json = {"manager": manager.name, "operation": manager.operation, "apiVersion": manager.version}
    entry |= {"time": managed.time, "fieldsType": FIELDS, "fieldsV1": paths.written(managed.fields)}
    return entry | ({"subresource": manager.subresource} if manager.subresource else {})


def updated(kind: Kind, old: Json | None, new: Json, manager: Manager, now: str) -> list[Json]:
    """Return the `managedFields` of an object after a write that is not an apply: the manager owns what it changed."""
    given = new["metadata"].get(MEMBER)
    if given == RESET:
        return []
    managers = read(given) or (read(old["metadata"].get(MEMBER)) if old is not None else {})
    if not managers and old is not None:
        return []
    return written(_updated(kind, old, new, managers, manager, now=now))


def _updated(kind: Kind, old: Json | None, new: Json, managers: Managers, manager: Manager, *, now: str) -> Managers:
    schema = schemas.of_kind(kind)
    found = values.difference(schema, _empty(kind) if old is None else old, new)
    changed = _ownable(kind, manager, found.added | found.modified)
    others = _after(managers, manager, found, now)
    mine = managers.get(manager, Managed(frozenset(), now))
    fields = (mine.fields - found.removed) | changed
    if not fields:
        return others
    return others | {manager: mine if mine.fields == fields else Managed(fields, now)}


def _after(managers: Managers, writer: Manager, found: values.Difference, now: str) -> Managers:
    """Return the other managers of an object without the fields that a write has taken over or removed."""
    others: Managers = {}
    for manager, managed in managers.items():
        fields = managed.fields - found.added - found.modified - found.removed
        if manager != writer and fields:
            others[manager] = managed if fields == managed.fields else replace(managed, fields=fields, time=now)
    return others


def applied(
    kind: Kind, old: Json | None, config: Json, manager: Manager, now: str, *, force: bool = False
) -> tuple[Json, list[Json]]:
    """Return an object with a configuration applied to it, and its `managedFields`.

    Args:
        kind: kind of the object.
        old: the object before, None for a new one.
        config: the fields that the manager wants.
        manager: who applies.
        now: the time of the write.
        force: take over fields of other managers whose values differ.

    Raises:
        ServiceError: 409 for fields of other managers whose values differ; 500 for a configuration that does not fit
            the schema, as in the real server.
    """
    schema = schemas.of_kind(kind)
    wrong = checks.problems(schema, config)
    if wrong:
        raise refusals.untyped(wrong)
    managers = {} if old is None else read(old["metadata"].get(MEMBER))
    live = {} if old is None else _unmanaged(old)
    if old is not None and not managers:
        before = Manager(BEFORE, UPDATE, kind.api_version)
        managers = _updated(kind, None, live, {}, before, now=now)
    last = managers.get(manager)
    wanted = values.fields_of(schema, config)
    new = values.merged(schema, live, config)
    if last is not None:
        known = frozenset().union(wanted, *(one.fields for other, one in managers.items() if other != manager))
        new = _pruned(schema, new, last.fields, known)
    found = values.difference(schema, live, new)
    if not force:
        _check_conflicts(managers, manager, found)
    fields = _ownable(kind, manager, wanted)
    others = _after(managers, manager, found, now)
    if fields:
        others[manager] = last if last is not None and last.fields == fields else Managed(fields, now)
    return new, written(others)


def _pruned(schema: Json, merged: Json, last: Fields, known: Fields) -> Json:
    """Return an object without what the manager applied the last time, does not apply now, and nobody else owns."""
    mine = values.with_named(schema, last)
    every = values.with_named(schema, values.fields_of(schema, merged))
    pruned = _left(schema, merged, mine)
    kept = values.with_named(schema, values.fields_of(schema, pruned)) | values.with_named(schema, known)
    pruned = _left(schema, merged, every - kept)
    kept = values.with_named(schema, values.fields_of(schema, pruned))
    # What somebody applies as an empty map stays, though it holds only defaults, which nobody owns.
    return _left(schema, merged, ((every - kept) & mine) - known)


def _left(schema: Json, obj: Json, removed: Fields) -> Json:
    left = values.without(schema, obj, removed)
    return {} if left is values.MISSING else left


def _check_conflicts(managers: Managers, manager: Manager, found: values.Difference) -> None:
    changed = found.added | found.modified
    conflicts = [
        (_shown(other), paths.shown(path))
        for other in sorted(managers, key=lambda one: (one.name, one.operation))
        if other != manager
        for path in paths.in_order(managers[other].fields & changed)
    ]
    if conflicts:
        raise refusals.apply_conflicts(conflicts)


def _shown(manager: Manager) -> str:
    part = f' with subresource "{manager.subresource}"' if manager.subresource else ""
    return f'"{manager.name}"{part}' + ("" if manager.operation == APPLY else f" using {manager.version}")


def _ownable(kind: Kind, manager: Manager, fields: Fields | set[paths.Path]) -> Fields:
    """Return the fields that a manager can own: those that its write can change."""
    found = paths.outside(fields, UNMANAGED) - {("f:metadata",)}
    if manager.subresource == "status":
        return frozenset(path for path in found if path[0] == "f:status")
    return paths.outside(found, [("f:status",)]) if kind.has_status else found


def _unmanaged(obj: Json) -> Json:
    return obj | {"metadata": {name: value for name, value in obj["metadata"].items() if name != MEMBER}}


def _empty(kind: Kind) -> Json:
    """Return an object without content, as Go has it."""
    if kind.is_custom:
        return {"metadata": {}}
    declared = schemas.of_kind(kind).get("properties") or {}
    parts = {name: dict(part) for name, part in PARTS.items() if name in declared}
    for name, part in EMPTY.get(kind.name, {}).items():
        parts[name] = parts.get(name, {}) | part
    return parts
