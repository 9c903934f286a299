"""Store the objects of a cluster: their current state, and the last changes for watches and consistent lists.

Everything is in the state file, so a killed process loses nothing, and a client can continue its watch from the version
that it has seen. One counter numbers all changes of a cluster, like etcd's revision.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from emulator.core.store import Store
from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.kinds import Kind

# How many changes are kept. The real server keeps five minutes of them. A client that is further behind lists again.
KEPT_CHANGES = 1000


@dataclass(frozen=True)
class Change:
    """One change of one object."""

    type: str
    resource: str
    object: Json
    previous: Json | None


@dataclass(eq=False)
class Subscription:
    """The changes of one kind from now on, in order."""

    resource: str
    changes: asyncio.Queue[Change] = field(default_factory=asyncio.Queue)


class Storage:
    """The objects of one cluster."""

    def __init__(self, store: Store, cluster: str) -> None:
        self._store = store
        self._prefix = f"{cluster}|"
        self._objects = store.table("kubernetes_objects")
        self._changes = store.table("kubernetes_changes")
        self._revisions = store.table("kubernetes_revisions")
        self._subscriptions: set[Subscription] = set()
        self._writes: Counter[str] = Counter()
        self.listeners: list[Callable[[Change], None]] = []

    @property
    def revision(self) -> int:
        """Return the number of the last change."""
        found = self._revisions.get(self._prefix)
        return 0 if found is None else int(found["revision"])

    @property
    def oldest(self) -> int:
        """Return the lowest revision after which all changes are kept."""
        return max(0, self.revision - KEPT_CHANGES)

    def writes(self, resources: Iterable[str]) -> int:
        """Return how often objects of these kinds were written in this process, which tells whether a cache holds."""
        return sum(self._writes[resource] for resource in resources)

    def get(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """Return an object, or None."""
        found = self._objects.get(self._key(kind, namespace, name))
        return None if found is None else in_version(found, kind)

    def scan(self, kind: Kind, namespace: str = "") -> Iterator[Json]:
        """Yield the objects of a kind in the order of their keys, in one namespace or in all."""
        prefix = f"{self._prefix}{kind.resource}/"
        if namespace:
            prefix += f"{namespace}/"
        for _, document in self._objects.scan(prefix):
            yield in_version(document, kind)

    def scan_as_of(self, kind: Kind, namespace: str, revision: int) -> list[Json]:
        """Return the objects of a kind as they were at a revision, in the order of their keys.

        Raises:
            ServiceError: 410 if not all later changes are kept.
        """
        if revision < self.oldest:
            raise api_errors.EXPIRED("The provided from version is too old to display a consistent list result.")
        objects = {key_of(found): found for found in self.scan(kind, namespace)}
        for change in reversed(list(self.changes_since(kind, revision))):
            if namespace and change.object["metadata"].get("namespace") != namespace:
                continue
            if change.previous is None:
                objects.pop(key_of(change.object), None)
            else:
                objects[key_of(change.object)] = in_version(change.previous, kind)
        return [objects[key] for key in sorted(objects)]

    def write(self, kind: Kind, obj: Json, previous: Json | None) -> None:
        """Store a new or changed object, and set its resourceVersion."""
        self._record(kind, Change("ADDED" if previous is None else "MODIFIED", kind.resource, obj, previous))

    def remove(self, kind: Kind, obj: Json) -> Json:
        """Remove an object; return its last state, with the version of the deletion."""
        gone = obj | {"metadata": dict(obj["metadata"])}
        self._record(kind, Change("DELETED", kind.resource, gone, obj))
        return gone

    def changes_since(self, kind: Kind, revision: int) -> Iterator[Change]:
        """Yield the changes of a kind after a revision, oldest first."""
        for _, found in self._changes.scan(self._prefix, after=self._change_key(revision)):
            if found["resource"] == kind.resource:
                yield Change(**found)

    def clear(self) -> None:
        """Delete everything of this cluster."""
        with self._store.transaction():
            for table in (self._objects, self._changes, self._revisions):
                for key, _ in table.scan(self._prefix):
                    table.delete(key)
        self._writes.clear()

    def subscribe(self, kind: Kind) -> Subscription:
        """Subscribe to the changes of a kind, until `unsubscribe`."""
        subscription = Subscription(kind.resource)
        self._subscriptions.add(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription."""
        self._subscriptions.discard(subscription)

    def _record(self, kind: Kind, change: Change) -> None:
        metadata = change.object["metadata"]
        key = self._key(kind, metadata.get("namespace", ""), metadata["name"])
        with self._store.transaction():
            revision = self.revision + 1
            metadata["resourceVersion"] = str(revision)
            stored = in_version(change.object, kind, kind.storage_version)
            if change.type == "DELETED":
                self._objects.delete(key)
            else:
                self._objects.put(key, stored)
            self._changes.put(
                self._change_key(revision),
                {"type": change.type, "resource": kind.resource, "object": stored, "previous": change.previous},
            )
            self._changes.delete(self._change_key(revision - KEPT_CHANGES))
            self._revisions.put(self._prefix, {"revision": revision})
        self._writes[kind.resource] += 1
        for subscription in self._subscriptions:
            if subscription.resource == kind.resource:
                subscription.changes.put_nowait(change)
        for listener in self.listeners:
            listener(change)

    def _key(self, kind: Kind, namespace: str, name: str) -> str:
        # Like etcd's keys, so that lists have the same order. No name contains a slash.
        return f"{self._prefix}{kind.resource}/{namespace}/{name}"

    def _change_key(self, revision: int) -> str:
        return f"{self._prefix}{revision:020d}"


def key_of(obj: Json) -> str:
    """Return the key of an object among those of its kind: `namespace/name`, or only the name."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def in_version(obj: Json, kind: Kind, version: str = "") -> Json:
    """Return an object in a version of its kind; versions of custom kinds differ only in their name.

    Args:
        obj: the object.
        kind: the kind in the wanted version.
        version: another version of the kind, "" for that of `kind`.
    """
    wanted = f"{kind.group}/{version}" if version else kind.api_version
    return obj if obj.get("apiVersion") == wanted else obj | {"apiVersion": wanted}
