"""The objects of one cluster and their rules, for the HTTP endpoints and for callers in this process."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from itertools import chain

from emulator.core.clock import Clock
from emulator.core.store import Store
from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.kinds import DEFINITIONS, Kind, Kinds
from emulator.openshift.kubernetes.objects import addresses, bootstrap, rules, strategies
from emulator.openshift.kubernetes.objects import metadata as metadatas
from emulator.openshift.kubernetes.objects.fields import managers
from emulator.openshift.kubernetes.objects.rules import ANY, Removal
from emulator.openshift.kubernetes.objects.storage import Storage

# The name under which the cluster's own parts manage fields.
CLUSTER = "openshift"
PROTECTED_NAMESPACES = frozenset({"default", "kube-system", "kube-public"})

Change = Callable[[Json], Json]
# Takes an object before (None for a new one) and after a write; returns its managers.
Track = Callable[[Json | None, Json], list[Json]]
Listener = Callable[[str, Json], None]


@dataclass
class Objects:
    """The objects of one cluster. Call it in the thread of the event loop, because it notifies watches at once.

    A kind is written `ConfigMap` for the core group, `ClusterOperator.config.openshift.io` for other groups. Errors are
    `ServiceError`s; their code is the reason of a Kubernetes Status.

    Args:
        store: keeps them.
        clock: the clock of their timestamps.
        cluster: prefix of their keys in the store.
        services: the network of the cluster's Services.
    """

    store: Store
    clock: Clock
    cluster: str
    services: str = addresses.NETWORK
    kinds: Kinds = field(init=False)
    storage: Storage = field(init=False)
    # The namespaces that are being emptied right now.
    _emptied: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.kinds = Kinds()
        self.storage = Storage(self.store, self.cluster)
        if self.storage.revision == 0:
            # In one transaction: if the process dies here, the next one starts over.
            with self.store.transaction():
                for obj in bootstrap.objects(self.services):
                    self.create(obj)
        for definition in self.list(DEFINITIONS):
            self.kinds.define(definition)
        for namespace in self.list("Namespace"):
            self._finish_namespace(namespace["metadata"]["name"])

    # For callers in this process.

    def subscribe(self, callback: Listener) -> None:
        """Call back after each stored change of any kind, with `ADDED`, `MODIFIED` or `DELETED` and the object.

        A callback may write, but must stop at some point, because it is called for its own changes too.
        """
        self.storage.listeners.append(lambda change: callback(change.type, change.object))

    def clear(self) -> None:
        """Forget everything, because the cluster is gone."""
        self.storage.clear()
        self.kinds = Kinds()

    def define(self, crd: Json) -> None:
        """Create or replace a CustomResourceDefinition; its kind can be used when this returns."""
        self.put({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"} | crd)

    def get(self, kind: str, name: str, namespace: str = "") -> Json | None:
        """Return an object, or None.

        Args:
            kind: name of the kind.
            name: name of the object.
            namespace: namespace of the object, "" for a cluster-scoped kind.
        """
        return self.storage.get(self._named(kind), namespace, name)

    def list(self, kind: str, namespace: str = "", labels: Mapping[str, str] | None = None) -> list[Json]:
        """Return the objects of a kind."""
        wanted = (labels or {}).items()
        return [
            found
            for found in self.storage.scan(self._named(kind), namespace)
            if wanted <= (found["metadata"].get("labels") or {}).items()
        ]

    def create(self, obj: Json) -> Json:
        """Create an object.

        Raises:
            ServiceError: 409 AlreadyExists; 404 NotFound for its kind or namespace; 422 Invalid; 403 Forbidden for a
                namespace that is being deleted.
        """
        kind = self._kind_of(obj)
        return self.add(kind, obj["metadata"].get("namespace", "") if kind.namespaced else "", obj)

    def put(self, obj: Json) -> Json:
        """Create an object, or replace it whatever its version; its status does not change."""
        kind = self._kind_of(obj)
        namespace = obj["metadata"].get("namespace", "") if kind.namespaced else ""
        if self.storage.get(kind, namespace, obj["metadata"].get("name", "")) is None:
            return self.create(obj)

        def replaced(current: Json) -> Json:
            version = {"resourceVersion": current["metadata"]["resourceVersion"]}
            return obj | {"metadata": obj["metadata"] | version}

        return self.change(kind, namespace, obj["metadata"]["name"], replaced)

    def set_status(self, kind: str, name: str, status: Json, namespace: str = "") -> Json:
        """Replace the status of an object.

        Raises:
            ServiceError: 404 NotFound; 422 Invalid.
        """
        found = self._named(kind)
        return self.change(found, namespace, name, lambda current: current | {"status": status}, "status")

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object, if it exists."""
        found = self._named(kind)
        if self.storage.get(found, namespace, name) is not None:
            self.remove(found, namespace, name)

    # For the endpoints.

    def add(self, kind: Kind, namespace: str, obj: Json, *, dry_run: bool = False, track: Track | None = None) -> Json:
        """Create an object.

        Args:
            kind: kind of the object.
            namespace: namespace of the object, "" for a cluster-scoped kind.
            obj: the object, which is not modified.
            dry_run: store nothing.
            track: decides who manages its fields; by default nobody, until somebody applies to it.

        Raises:
            ServiceError: as `create`.
        """
        new = copy.deepcopy(obj) | {"apiVersion": kind.api_version, "kind": kind.kind}
        metadata = rules.first_metadata(kind, namespace, new, self.now())
        if kind.namespaced:
            self._check_namespace(kind, namespace, metadata.get("name", ""))
        if kind.has_status and kind.name != "Node":
            new.pop("status", None)
            if kind.name in strategies.FIRST_STATUS:
                new["status"] = copy.deepcopy(strategies.FIRST_STATUS[kind.name])
        new = rules.settled(kind, new)
        rules.set_managers(new, [] if track is None else track(None, new))
        rules.refuse(kind, new, rules.causes(kind, new))
        if self.storage.get(kind, namespace, metadata["name"]) is not None:
            raise api_errors.already_exists(kind, metadata["name"])
        self._assign(kind, new)
        if not dry_run:
            self._keep(kind, new, None)
        return new

    def change(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        change: Change,
        subresource: str = "",
        *,
        dry_run: bool = False,
        track: Track | None = None,
    ) -> Json:
        """Replace an object with the result of `change`.

        Args:
            kind: kind of the object.
            namespace: namespace of the object, "" for a cluster-scoped kind.
            name: name of the object.
            change: takes the current object, which it must not modify, and returns the new one.
            subresource: `status` changes only the status, "" everything else.
            dry_run: store nothing.
            track: decides who manages its fields; by default the cluster manages what it changes.

        Raises:
            ServiceError: 404; 409 for another version; 422; and the errors of `change`.
        """
        old = self.storage.get(kind, namespace, name)
        if old is None:
            raise api_errors.not_found(kind, name)
        wanted = change(old)
        if track is None and wanted == old:
            # The cluster's own parts write what is there already, and nobody asks who manages it.
            return old
        new = copy.deepcopy(wanted)
        metadata = new["metadata"] = metadatas.decode(kind, new.get("metadata"))
        rules.check_version(kind, name, old, metadata)
        new = rules.settled(kind, rules.merged(kind, old, new, subresource))
        if kind.name == "Service":
            before = rules.settled(kind, old)
            addresses.keep(before, new)
            addresses.let_go(before, new)
        rules.set_managers(new, (track or self._tracked(kind, subresource))(old, new))
        if rules.without_version(new) == rules.without_version(old):
            return old
        if kind.has_generation and rules.wanted(kind, old) != rules.wanted(kind, new):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        rules.refuse(kind, new, chain(rules.causes(kind, new), rules.change_causes(kind, old, new)))
        self._assign(kind, new)
        if dry_run:
            return new
        if (
            "deletionTimestamp" in new["metadata"]
            and not new["metadata"].get("finalizers")
            and kind.name != "Namespace"
        ):
            self._drop(kind, new)
        else:
            self._keep(kind, new, old)
        return new

    def remove(self, kind: Kind, namespace: str, name: str, how: Removal = ANY) -> tuple[Json, bool]:
        """Delete an object, or only mark it as deleted while it has finalizers.

        Returns:
            The last state of the object, and whether it is gone.

        Raises:
            ServiceError: 404; 403 for a protected namespace; 409 if the object does not meet the conditions.
        """
        old = self.storage.get(kind, namespace, name)
        if kind.name == "Namespace" and name in PROTECTED_NAMESPACES:
            raise api_errors.forbidden_object(kind, name, "this namespace may not be deleted")
        if old is None:
            raise api_errors.not_found(kind, name)
        rules.check_meant(kind, old, how)
        waits = bool(old["metadata"].get("finalizers")) or kind.name == "Namespace"
        if not waits:
            return (old, True) if how.dry_run else (self._drop(kind, old), True)
        if "deletionTimestamp" in old["metadata"]:
            return old, False
        new = copy.deepcopy(old)
        new["metadata"]["deletionTimestamp"] = self.now()
        if kind.name == "Namespace":
            new.setdefault("status", {})["phase"] = "Terminating"
        else:
            new["metadata"]["deletionGracePeriodSeconds"] = 0
        if kind.has_generation:
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        if not how.dry_run:
            self._keep(kind, new, old)
            if kind.name == "Namespace":
                self._finish_namespace(name)
        return new, False

    # The rules.

    def _assign(self, kind: Kind, new: Json) -> None:
        """Give a Service what it needs of the cluster's network."""
        if kind.name == "Service":
            rules.refuse(kind, new, iter(addresses.assign(new, self.storage.scan(kind), self.services)))

    def _named(self, name: str) -> Kind:
        kind = self.kinds.named(name)
        if kind is None:
            raise api_errors.NO_SUCH_RESOURCE()
        return kind

    def _kind_of(self, obj: Json) -> Kind:
        kind = self.kinds.of(str(obj.get("apiVersion", "")), str(obj.get("kind", "")))
        if kind is None:
            raise api_errors.NO_SUCH_RESOURCE()
        return kind

    def now(self) -> str:
        """Return the time as objects have it."""
        return self.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _tracked(self, kind: Kind, subresource: str) -> Track:
        manager = managers.Manager(CLUSTER, managers.UPDATE, kind.api_version, subresource)
        return lambda old, new: managers.updated(kind, old, new, manager, self.now())

    def _check_namespace(self, kind: Kind, namespace: str, name: str) -> None:
        namespaces = self._named("Namespace")
        found = self.storage.get(namespaces, "", namespace)
        if found is None:
            raise api_errors.not_found(namespaces, namespace)
        if "deletionTimestamp" in found["metadata"]:
            message = f"namespace {namespace} is being terminated"
            raise api_errors.forbidden_object(
                kind,
                name,
                f"unable to create new content in namespace {namespace} because it is being terminated",
                causes=[{"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}],
            )

    def _keep(self, kind: Kind, new: Json, old: Json | None) -> None:
        if kind.name == DEFINITIONS:
            new["status"] = rules.established(new, self.now()) if old is None else new.get("status", {})
            self.kinds.define(new)
        self.storage.write(kind, new, old)

    def _drop(self, kind: Kind, obj: Json) -> Json:
        if kind.name == DEFINITIONS:
            self._drop_kind(obj)
        gone = self.storage.remove(kind, obj)
        namespace = obj["metadata"].get("namespace")
        if namespace:
            self._finish_namespace(namespace)
        return gone

    def _drop_kind(self, definition: Json) -> None:
        kind = self.kinds.named(f"{definition['spec']['names']['kind']}.{definition['spec']['group']}")
        if kind is not None:
            for obj in list(self.storage.scan(kind)):
                self.storage.remove(kind, obj)
        self.kinds.forget(definition)

    def _finish_namespace(self, name: str) -> None:
        """Empty a namespace that is being deleted, and remove it once it is empty, as the namespace controller does.

        This runs again when the last object is removed, and at the start of a process that was killed in between.
        """
        namespaces = self._named("Namespace")
        found = self.storage.get(namespaces, "", name)
        if found is None or "deletionTimestamp" not in found["metadata"]:
            return
        if name in self._emptied:
            # Each object that is removed comes back here.
            return
        self._emptied.add(name)
        try:
            for kind, obj in list(self._contents(name)):
                if "deletionTimestamp" not in obj["metadata"]:
                    self.delete(kind.name, obj["metadata"]["name"], name)
        finally:
            self._emptied.discard(name)
        found = self.storage.get(namespaces, "", name)
        if found is None:
            return
        if not any(self._contents(name)):
            self.storage.remove(namespaces, found)

    def _contents(self, namespace: str) -> Iterator[tuple[Kind, Json]]:
        for kind in self._stored_kinds():
            for obj in self.storage.scan(kind, namespace):
                yield kind, obj

    def _stored_kinds(self) -> Iterator[Kind]:
        for kind in self.kinds:
            if kind.namespaced and kind.version == (kind.storage_version or kind.version):
                yield kind
