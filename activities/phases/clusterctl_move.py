"""Clusterctl's `move`: takes the Cluster API objects of a namespace from one cluster to another.

The clusters are paused, their objects are made in the target, owners first, then deleted in the source, dependents
first, and the clusters resume in the target. Each object in the target says which object it was, so that a run that was
killed goes on where it was: what is there is not made again, and nothing is deleted whose copy is not there.

Source: kubernetes-sigs/cluster-api `cmd/clusterctl/client/cluster/mover.go`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from activities.phases.clusterctl_graph import CLUSTER, CLUSTER_API, Graph, copy_of, kind_of
from activities.phases.clusterctl_init import INVENTORY_VERSION
from activities.phases.clusterctl_readiness import (
    BLOCKED,
    HELD,
    annotations_of,
    is_held,
    paused_by_others,
    providers_lacking,
    unready_objects,
)
from activities.phases.object_results import SHOWN, Change
from activities.phases.objects import Cluster, NotThere, ObjectId, UnknownKind
from activities.runtime.executor import wait
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.json_object import Json
from shared.phase_documents.clusterctl_providers import CLUSTERCTL_LABEL
from shared.steps import Outcome

# With what a moved object says which one it was in the source.
MOVED_FROM = "aro.openshift.io/moved-from"
_DELETE_FOR_MOVE = "clusterctl.cluster.x-k8s.io/delete-for-move"
_DEFINITIONS = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_CORE_KINDS = (("v1", "Secret"), ("v1", "ConfigMap"))


@dataclass(frozen=True)
class Side:
    """One of the two clusters.

    Args:
        name: its name.
        cluster: the cluster.
    """

    name: str
    cluster: Cluster


@dataclass(frozen=True)
class Move:
    """The move of a namespace.

    Args:
        source: from where.
        target: to where.
        namespace: the namespace.
        say: shows what became of objects.
    """

    source: Side
    target: Side
    namespace: str
    say: Callable[[Sequence[Change]], None]

    def proceed(self) -> Outcome | None:
        """Do the next part; return what is waited for, or None once all is moved. May run any number of times.

        Raises:
            CloudError: the objects cannot be moved as things are; the message says what to do.
            NotDone: an API server is away; call again.
        """
        graph = self._graph()
        groups = graph.moved()
        if not _leaving(graph) and not self._held():
            self.say([self._nothing()])
            return None
        objects = [one for group in groups for one in group]
        refused = self._refused(graph, objects)
        if refused:
            told = "; ".join(f"{change.object}: {change.message}" for change in refused[:SHOWN])
            message = f"The objects in '{self.source.name}' cannot be moved to '{self.target.name}': {told}."
            raise CloudError(409, ErrorCode.CONFLICT, message, owner=Owner.CUSTOMER)
        waiting = self._waiting(objects)
        if waiting:
            return wait(waiting)
        if self._pause(objects):
            return wait(f"The clusters in '{self.source.name}' are paused; their controllers come to rest.")
        self._make(groups)
        self._delete(graph, groups)
        self._resume()
        return None

    def status(self) -> Outcome | None:
        """Return what is not moved yet, or None; change nothing."""
        objects = _leaving(self._graph())
        if objects:
            left = f"{len(objects)} objects are still in '{self.source.name}', such as {ObjectId.of(objects[0])}."
            return wait(" ".join(filter(None, (self._waiting(objects), left))))
        held = self._held()
        if held:
            return wait(f"{_named(map(ObjectId.of, held))} has not resumed in '{self.target.name}'.")
        return None

    def dry_run(self) -> list[Change]:
        """Return what would become of each object; change nothing."""
        graph = self._graph()
        objects = _leaving(graph)
        if not objects:
            return [Change(ObjectId.of(one), "changed", "it resumes") for one in self._held()] or [self._nothing()]
        lacks = dict(unready_objects(objects))
        way = f"from '{self.source.name}' to '{self.target.name}'"
        return self._refused(graph, objects) or [
            Change(one, "moved", f"{way}, once {lacks[one]}" if one in lacks else way)
            for one in map(ObjectId.of, objects)
        ]

    def _graph(self) -> Graph:
        """Read the objects of the source that may be moved."""
        cluster, definitions = self.source.cluster, {}
        kinds = list(_CORE_KINDS)
        for found in cluster.listing(*_DEFINITIONS, labels=CLUSTERCTL_LABEL):
            spec = found["spec"]
            if spec["group"] != CLUSTERCTL_LABEL:
                definitions[spec["group"], spec["names"]["kind"]] = found["metadata"].get("labels") or {}
                stored = next(version["name"] for version in spec["versions"] if version["storage"])
                kinds.append((f"{spec['group']}/{stored}", spec["names"]["kind"]))
        return Graph.of((one for kind in kinds for one in cluster.listing(*kind, self.namespace)), definitions)

    def _nothing(self) -> Change:
        nothing = f"'{self.source.name}' has no Cluster API objects to move in it"
        return Change(ObjectId("", "Namespace", "", self.namespace), "kept", nothing)

    def _held(self) -> list[Json]:
        """Return the clusters in the target that a move has made and that have not resumed."""
        cluster = self.target.cluster
        found = cluster.listing(cluster.version_of(CLUSTER_API), CLUSTER[1], self.namespace)
        return [one for one in found if is_held(one)]

    def _refused(self, graph: Graph, objects: Sequence[Json]) -> list[Change]:
        """Return what can never be moved as things are, each with what to do."""
        found = [
            Change(one, "refused", "somebody has paused it; resume it first, or delete it")
            for one in paused_by_others(objects)
        ]
        lacking = providers_lacking(*(side.cluster.listing(INVENTORY_VERSION, "Provider") for side in self._sides()))
        if objects and lacking:
            missing = (
                f"'{self.target.name}' lacks the providers {', '.join(lacking)}; install them with the action 'init'"
            )
            found.append(Change(ObjectId("", "Namespace", "", self.namespace), "refused", missing))
        shared = graph.shared()
        for one in objects:
            try:
                there = self.target.cluster.read(one)
            except UnknownKind:
                unknown = (
                    f"'{self.target.name}' does not serve {one['kind']} in {one['apiVersion']}; install its provider"
                )
                found.append(Change(ObjectId.of(one), "refused", unknown))
                continue
            if there is not None and not _is_copy(there, one) and one["metadata"]["uid"] not in shared:
                exists = f"'{self.target.name}' has another object of this name; delete one of them"
                found.append(Change(ObjectId.of(one), "refused", exists))
        return found

    def _sides(self) -> tuple[Side, Side]:
        return self.source, self.target

    def _waiting(self, objects: Sequence[Json]) -> str:
        """Return what is waited for before objects are moved, or ""."""
        clusters = [one for one in objects if kind_of(one) == CLUSTER]
        lacks = [] if all(map(is_held, clusters)) else list(unready_objects(objects))
        blocked = [ObjectId.of(one) for one in objects if BLOCKED in annotations_of(one)]
        ending = [ObjectId.of(one) for one in objects if self._is_ending(one)]
        if lacks:
            return "; ".join(f"{one}: {reason}" for one, reason in lacks[:SHOWN]) + "."
        if ending:
            return f"{_named(ending)} is being deleted in '{self.source.name}'."
        if blocked and clusters and all(map(is_held, clusters)):
            return f"{_named(blocked)} is not ready to move: it has the annotation {BLOCKED}."
        return ""

    def _is_ending(self, one: Json) -> bool:
        """Tell whether somebody else deletes an object: it is being deleted, and has no copy."""
        if not one["metadata"].get("deletionTimestamp"):
            return False
        there = self.target.cluster.read(one)
        return there is None or not _is_copy(there, one)

    def _pause(self, objects: Iterable[Json]) -> bool:
        """Pause the clusters that are not paused yet; return whether there were some."""
        running = [one for one in objects if kind_of(one) == CLUSTER and not is_held(one)]
        for one in running:
            held = {"metadata": {"annotations": {HELD: "true"}}, "spec": {"paused": True}}
            self.source.cluster.merge(one, held)
            self.say([Change(ObjectId.of(one), "changed", f"paused in '{self.source.name}'")])
        return bool(running)

    def _make(self, groups: Sequence[Sequence[Json]]) -> None:
        """Make the objects in the target that it does not have, owners first."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}
        if groups and self.target.cluster.read(namespace) is None:
            self.target.cluster.create(namespace)
        uids: dict[str, str] = {}
        for group in groups:
            for one in group:
                uid = one["metadata"]["uid"]
                there = self.target.cluster.read(one)
                if there is None:
                    there = self.target.cluster.create(copy_of(one, uids, {MOVED_FROM: uid}))
                    self.say([Change(ObjectId.of(one), "created", f"in '{self.target.name}'")])
                uids[uid] = there["metadata"]["uid"]

    def _delete(self, graph: Graph, groups: Sequence[Sequence[Json]]) -> None:
        """Delete the objects in the source, dependents first, but not what others may use."""
        shared = graph.shared()
        for group in reversed(groups):
            for one in group:
                if one["metadata"]["uid"] not in shared:
                    self._delete_one(one)
                    way = f"from '{self.source.name}' to '{self.target.name}'"
                    self.say([Change(ObjectId.of(one), "moved", way)])

    def _delete_one(self, one: Json) -> None:
        cluster = self.source.cluster
        try:
            if _DELETE_FOR_MOVE not in annotations_of(one):
                cluster.merge(one, {"metadata": {"annotations": {_DELETE_FOR_MOVE: ""}}})
            if not one["metadata"].get("deletionTimestamp"):
                cluster.delete(one)
            if one["metadata"].get("finalizers"):
                # Its controller is paused and would never finish.
                cluster.merge(one, {"metadata": {"finalizers": None}})
        except NotThere:
            return

    def _resume(self) -> None:
        """Let the clusters in the target go on; the mark goes with the pause."""
        for one in self._held():
            self.target.cluster.merge(one, {"metadata": {"annotations": {HELD: None}}, "spec": {"paused": None}})
            self.say([Change(ObjectId.of(one), "changed", f"resumed in '{self.target.name}'")])


def _leaving(graph: Graph) -> list[Json]:
    """Return the objects that are to leave the source, in order; what others may use stays there."""
    shared = graph.shared()
    return [one for group in graph.moved() for one in group if one["metadata"]["uid"] not in shared]


def _is_copy(there: Json, one: Json) -> bool:
    return bool(annotations_of(there).get(MOVED_FROM) == one["metadata"]["uid"])


def _named(found: Iterable[ObjectId]) -> str:
    """Return the first of some objects, and how many more there are."""
    first, *more = found
    return f"{first} and {len(more)} more" if more else str(first)
