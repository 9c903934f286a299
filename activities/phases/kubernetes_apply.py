"""KubernetesApply: applies the documents of a phase to its cluster, waits for them, and prunes what the phase dropped.

Every part may run twice. The inventory is written before the first object, with all that was and will be in it, so a
run that dies leaves nothing behind that a later one does not know of.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from activities.phases.inventory import Inventory, owner_of
from activities.phases.kind_order import in_order
from activities.phases.object_results import Change, applied, look
from activities.phases.objects import Cluster, ObjectId, UnknownKind
from activities.phases.statuses import Found, Status, quotable
from shared.json_object import Json
from shared.phase_documents.apply_options import Options, find

LEFT = Found(Status.NOT_APPLIED, "It is not from this version of the bundle.")


@dataclass(frozen=True)
class Application:
    """One phase on one cluster.

    Args:
        cluster: the cluster.
        phase: name of the phase.
        documents: the documents of the phase that are deployed.
        options: what the executor's document asks for.
        before: for a dry run, what earlier phases would apply, too.
    """

    cluster: Cluster
    phase: str
    documents: Sequence[Json]
    options: Options
    before: Sequence[Json] = ()
    _inventory: Inventory = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find the inventory."""
        object.__setattr__(self, "_inventory", Inventory(self.cluster, self.phase))

    def apply(self) -> list[Change]:
        """Apply every object, in the order of kinds; return what became of each.

        If the policy refuses an object, nothing is applied, and only the refused ones are returned.

        Raises:
            UnknownKind: a definition among the objects is not established yet; call again.
            NotDone: the API server is away; call again.
        """
        wanted = in_order(self.documents)
        refused = [change for document in wanted if (change := self._refused(document)) is not None]
        if refused:
            return refused
        if not self.cluster.dry_run:
            self._inventory.write(self._inventory.objects() | {ObjectId.of(one) for one in wanted})
        among = [*self.documents, *self.before]
        return [applied(self.cluster, self._inventory.owned(document), among) for document in wanted]

    def waiting(self) -> list[tuple[ObjectId, Found]]:
        """Return the objects that are not what they should be yet, each with its status; [] once all are.

        Those that this phase has not applied as they are wanted come first.

        Raises:
            NotDone: the API server does not answer, or refuses.
        """
        wanted = {ObjectId.of(document): document for document in in_order(self.documents)}
        live, short = look(self.cluster, wanted.values())
        there = {one: document for one, document in live.items() if document is not None}
        left = [(one, LEFT) for one, found in there.items() if not self._inventory.has_applied(wanted[one], found)]
        return [*left, *short] or list(self._unmet(there.values()))

    def prune(self) -> list[Change]:
        """Delete what the phase applied before and no longer has, the last kinds first; then forget it.

        Raises:
            NotDone: the API server does not answer, or refuses.
        """
        wanted = {ObjectId.of(one) for one in self.documents}
        dropped = self._inventory.objects() - wanted
        if not self.options.prune:
            return [Change(one, "kept", "pruning is off") for one in sorted(dropped)]
        former = [self._former(one) for one in dropped]
        changes = [self._pruned(document) for document in reversed(in_order(former))]
        if not self.cluster.dry_run:
            self._inventory.write(wanted)
        return changes

    def _refused(self, document: Json) -> Change | None:
        """Return why the phase may not apply an object, or None."""
        try:
            live = self.cluster.read(document)
        except UnknownKind:
            return None
        if self._inventory.may_apply(live, self.options.policy):
            return None
        owner = owner_of(live or {}) or "nobody's inventory"
        message = f"it exists and belongs to {owner}; the inventory policy is '{self.options.policy}'"
        return Change(ObjectId.of(document), "refused", message)

    def _unmet(self, live: Iterable[Json]) -> Iterator[tuple[ObjectId, Found]]:
        """Yield the objects for which a condition of the document does not hold."""
        for document in live:
            for wanted in self.options.conditions:
                if (document.get("apiVersion"), document.get("kind")) != (wanted["apiVersion"], wanted["kind"]):
                    continue
                values = find(document, wanted["jsonPath"])
                if not (wanted["value"] in map(_text, values) if "value" in wanted else values):
                    shown = ", ".join(map(_text, find(quotable(document), wanted["jsonPath"])))
                    has = (
                        "it has another value, which is not shown"
                        if values and not shown
                        else f"it is {shown or 'nothing'}"
                    )
                    want = f"has to be {wanted['value']}" if "value" in wanted else "has to exist"
                    message = f"{wanted['jsonPath']} {want}; {has}."
                    yield ObjectId.of(document), Found(Status.IN_PROGRESS, message)

    def _former(self, one: ObjectId) -> Json:
        """Return a document that names an object of the inventory, in a version that the cluster serves."""
        metadata = {"name": one.name} | ({"namespace": one.namespace} if one.namespace else {})
        return {"apiVersion": self.cluster.version_of(one.group), "kind": one.kind, "metadata": metadata}

    def _pruned(self, document: Json) -> Change:
        one = ObjectId.of(document)
        try:
            live = self.cluster.read(document)
        except UnknownKind:
            return Change(one, "pruned", "the cluster does not serve its kind any more")
        if live is None:
            return Change(one, "pruned", "it was gone")
        if not self._inventory.may_prune(live):
            return Change(one, "kept", f"it belongs to {owner_of(live) or 'nobody'}, or an annotation keeps it")
        self.cluster.delete(live)
        return Change(one, "pruned")


def _text(value: Any) -> str:
    return {True: "True", False: "False"}.get(value, str(value)) if isinstance(value, bool) else str(value)
