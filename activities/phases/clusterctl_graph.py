"""The objects that `move` takes along, and their order: who owns whom. Pure.

Source: kubernetes-sigs/cluster-api `cmd/clusterctl/client/cluster/objectgraph.go`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from activities.phases.objects import ObjectId
from shared.json_object import Json

CLUSTER_API = "cluster.x-k8s.io"
CLUSTER = (CLUSTER_API, "Cluster")
# The kinds that move with all that they own, and the labels that say the same of other kinds and objects.
WITH_DEPENDENTS = frozenset({CLUSTER, (CLUSTER_API, "ClusterClass"), ("addons.cluster.x-k8s.io", "ClusterResourceSet")})
MOVE_LABEL = "clusterctl.cluster.x-k8s.io/move"
HIERARCHY_LABEL = "clusterctl.cluster.x-k8s.io/move-hierarchy"
CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name"
# What the names of a cluster's Secrets end with, after the cluster's name.
PURPOSES = ("kubeconfig", "etcd", "ca", "sa", "proxy", "apiserver-etcd-client")
_CORE_KINDS = frozenset({("", "Secret"), ("", "ConfigMap")})


@dataclass(frozen=True)
class Graph:
    """Objects of a cluster, by what they own.

    Args:
        objects: the objects by UID.
        definitions: the labels of the definition of each kind.
    """

    objects: Mapping[str, Json]
    definitions: Mapping[tuple[str, str], Mapping[str, str]]
    _owners: dict[str, set[str]] = field(init=False, repr=False)

    @classmethod
    def of(cls, objects: Iterable[Json], definitions: Mapping[tuple[str, str], Mapping[str, str]]) -> "Graph":
        """Return the graph of some objects."""
        return cls({one["metadata"]["uid"]: one for one in objects}, definitions)

    def __post_init__(self) -> None:
        """Find the owners of each object: those that it names, and those of which its name or labels tell."""
        clusters = {
            (one["metadata"].get("namespace"), one["metadata"]["name"]): uid
            for uid, one in self.objects.items()
            if kind_of(one) == CLUSTER
        }
        owners = {}
        for uid, one in self.objects.items():
            named = {owner["uid"] for owner in references(one)}
            soft = {clusters[key] for key in _clusters_of(one, is_owned=bool(named)) if key in clusters}
            owners[uid] = (named & self.objects.keys()) | (soft - {uid})
        object.__setattr__(self, "_owners", owners)

    def moved(self) -> list[list[Json]]:
        """Return the objects to move in groups, each after the owners of its objects.

        Objects that own each other in a circle come last, in one group: nobody can be first.
        """
        left = self._chosen()
        groups = []
        while left:
            ready = {uid for uid in left if not self._owners[uid] & left} or set(left)
            groups.append(sorted((self.objects[uid] for uid in ready), key=ObjectId.of))
            left -= ready
        return groups

    def shared(self) -> set[str]:
        """Return the UIDs of objects without a namespace, and of all that these own: others may use them, too."""
        return self._with_dependents({uid for uid, one in self.objects.items() if not one["metadata"].get("namespace")})

    def _chosen(self) -> set[str]:
        alone = {uid for uid, one in self.objects.items() if self._has(one, MOVE_LABEL)}
        roots = {
            uid
            for uid, one in self.objects.items()
            if kind_of(one) in WITH_DEPENDENTS or self._has(one, HIERARCHY_LABEL)
        }
        return alone | self._with_dependents(roots)

    def _with_dependents(self, reached: set[str]) -> set[str]:
        found: set[str] = set()
        while reached:
            found |= reached
            reached = {uid for uid, owners in self._owners.items() if owners & reached} - found
        return found

    def _has(self, one: Json, label: str) -> bool:
        return label in self.definitions.get(kind_of(one), {}) or label in (one["metadata"].get("labels") or {})


def kind_of(document: Json) -> tuple[str, str]:
    """Return the group and the kind of an object."""
    one = ObjectId.of(document)
    return one.group, one.kind


def references(document: Json) -> list[Json]:
    """Return the references of an object to its owners."""
    return list(document["metadata"].get("ownerReferences") or ())


def copy_of(document: Json, uids: Mapping[str, str], annotations: Mapping[str, str]) -> Json:
    """Return an object as it is made in another cluster: without status, and with the owners that it has there.

    Args:
        document: the object.
        uids: the UIDs in the other cluster by those in this one; an owner that stays behind is left out.
        annotations: annotations that are added.
    """
    before = document["metadata"]
    kept = ("name", "namespace", "labels", "finalizers")
    metadata = {name: before[name] for name in kept if before.get(name)}
    metadata["annotations"] = {**(before.get("annotations") or {}), **annotations}
    owners = [owner | {"uid": uids[owner["uid"]]} for owner in references(document) if owner["uid"] in uids]
    if owners:
        metadata["ownerReferences"] = owners
    return {name: value for name, value in document.items() if name not in {"status", "metadata"}} | {
        "metadata": metadata
    }


def _clusters_of(one: Json, *, is_owned: bool) -> Iterable[tuple[str | None, str]]:
    """Yield namespace and name of the clusters that a Secret or ConfigMap belongs to without naming an owner."""
    if kind_of(one) not in _CORE_KINDS:
        return
    metadata = one["metadata"]
    label = (metadata.get("labels") or {}).get(CLUSTER_NAME_LABEL)
    if label:
        yield metadata.get("namespace"), label
    if kind_of(one) == ("", "Secret") and not is_owned:
        for purpose in PURPOSES:
            if metadata["name"].endswith(f"-{purpose}"):
                yield metadata.get("namespace"), metadata["name"].removesuffix(f"-{purpose}")
