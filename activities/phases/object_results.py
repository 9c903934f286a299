"""Objects that an executor applies, one by one: what became of each, and whether it is what it should be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from activities.phases.objects import Cluster, Conflicts, NotThere, ObjectId, Rejected, UnknownKind
from activities.phases.statuses import Found, Status, status_of
from shared.json_object import Json
from shared.openshift.client import NotDone

# How many objects a message names.
SHOWN = 5


@dataclass(frozen=True)
class Change:
    """What became of an object, or would become of it.

    Args:
        object: the object.
        verb: `created`, `changed`, `unchanged`, `pruned`, `moved`, `kept` or `refused`.
        message: why, if it was refused or kept.
    """

    object: ObjectId
    verb: str
    message: str = ""

    def __str__(self) -> str:
        return f"{self.object}: {self.verb}" + (f" ({self.message})" if self.message else "")


def applied(cluster: Cluster, document: Json, among: Sequence[Json]) -> Change:
    """Apply an object; return what became of it.

    Args:
        cluster: the cluster.
        document: the object as it is wanted.
        among: the objects that are applied with it, which may define its kind or make its namespace.

    Raises:
        UnknownKind: the definition among the objects is not established yet; call again.
        NotDone: the API server is away; call again.
    """
    one = ObjectId.of(document)
    try:
        before = cluster.read(document)
        after = cluster.apply(document)
    except UnknownKind:
        if not defines(among, one):
            return Change(one, "refused", f"the cluster does not serve {one.kind}")
        if cluster.dry_run:
            return Change(one, "created", "once its definition is established")
        raise
    except NotThere as error:
        if not cluster.dry_run:
            raise NotThere(f"{one}: {error}") from error
        made = _makes_namespace(among, one.namespace)
        return Change(one, "created", "once its namespace exists") if made else Change(one, "refused", str(error))
    except (Conflicts, Rejected) as error:
        return Change(one, "refused", str(error))
    except NotDone as error:
        raise type(error)(f"{one}: {error}") from error
    if before is None:
        return Change(one, "created")
    return Change(one, "unchanged" if _content(before) == _content(after) else "changed")


def look(
    cluster: Cluster, documents: Iterable[Json]
) -> tuple[dict[ObjectId, Json | None], list[tuple[ObjectId, Found]]]:
    """Return the objects as they are, and those that have not become what they ask for yet, each with its status.

    Raises:
        NotDone: the API server does not answer, or refuses.
    """
    live = {ObjectId.of(document): cluster.read(document) for document in documents}
    found = [(one, status_of(document)) for one, document in live.items()]
    return live, [(one, status) for one, status in found if status.status is not Status.CURRENT]


def in_words(waiting: Sequence[tuple[ObjectId, Found]]) -> str:
    """Return what is waited for as a sentence that names the first few objects."""
    shown = "; ".join(f"{one} is {found.status}: {found.message}" for one, found in waiting[:SHOWN])
    more = len(waiting) - SHOWN
    return f"{shown} And {more} more." if more > 0 else shown


def defines(among: Iterable[Json], one: ObjectId) -> bool:
    """Tell whether a definition among objects has the kind of another."""
    return any(
        definition.get("kind") == "CustomResourceDefinition"
        and definition.get("spec", {}).get("group") == one.group
        and definition.get("spec", {}).get("names", {}).get("kind") == one.kind
        for definition in among
    )


def _makes_namespace(among: Iterable[Json], name: str) -> bool:
    """Tell whether a namespace is among objects."""
    return any(ObjectId.of(one) == ObjectId("", "Namespace", "", name) for one in among)


def _content(document: Json) -> Json:
    """Return an object without what the API server keeps for itself."""
    metadata = dict(document.get("metadata") or {})
    for name in ("managedFields", "resourceVersion", "generation"):
        metadata.pop(name, None)
    return {name: value for name, value in document.items() if name not in {"metadata", "status"}} | {
        "metadata": metadata
    }
