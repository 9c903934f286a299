"""Async operations, and their plans.

A plan is twenty times as long as the rest of its operation and never changes, so it is a document of its own, with an
id that follows from the operation's. In memory an operation may have its plan inside, as the operations have that
earlier builds have stored.
"""

import json
from collections.abc import Iterator

from azure.cosmos import ContainerProxy

from shared.documents import OperationDocument, PlanDocument
from shared.steps import ResolvedPlan
from shared.store.containers import Conflict, Decide, Items
from shared.store.limited_cache import LimitedCache
from shared.store.lost_answers import ensure_written
from shared.store.records import TTL_SECONDS

# An operation lives for seven days after its end. Its plan was written at its beginning, and has to outlive it.
_PLAN_TTL_SECONDS = TTL_SECONDS + 86_400
# More than the number of operations that one process works on at a time; a forgotten plan only costs a read.
_MOST_PLANS, _MOST_BYTES = 64, 4 << 20


class _Plans(Items[PlanDocument]):
    """The plans in the container `AsyncOperations`."""

    name = "AsyncOperations"
    shape = PlanDocument
    required = ("id", "planOf", "plan")


class Operations(Items[OperationDocument]):
    """The container `AsyncOperations`."""

    name = "AsyncOperations"
    shape = OperationDocument

    def __init__(self, container: ContainerProxy) -> None:
        """Wrap a container of the SDK."""
        super().__init__(container)
        self._plans = _Plans(container)
        self._cache: LimitedCache[ResolvedPlan] = LimitedCache(_MOST_PLANS, _MOST_BYTES)

    def create(self, document: OperationDocument) -> OperationDocument:
        """Create an operation, after its plan, so that no operation is ever without. Cosmos DB expires both.

        Raises:
            OutcomeUnknown: if the plan may have been written.
        """
        operation = document.copy()
        if plan := operation.pop("plan", None):
            self._create_plan(document["id"], plan)
        return super().create({"ttl": TTL_SECONDS, **operation})

    def _create_plan(self, operation_id: str, plan: ResolvedPlan) -> None:
        document = PlanDocument(id=_plan_id(operation_id), planOf=operation_id, plan=plan, ttl=_PLAN_TTL_SECONDS)
        try:
            ensure_written(lambda: self._plans.create(document), lambda: self._plans.read(document["id"]) is not None)
        except Conflict:
            # The id of an operation is never used twice, so this is the plan of an earlier try.
            return

    def with_plan(self, document: OperationDocument) -> OperationDocument:
        """Return an operation with its plan inside; without one if the plan has expired."""
        if "plan" in document:
            return document
        plan = self._cache.get(document["id"])
        if plan is None:
            stored = self._plans.read(_plan_id(document["id"]))
            if stored is None:
                return document
            plan = stored["plan"]
            self._cache.put(document["id"], plan, len(json.dumps(plan)))
        return {**document, "plan": plan}

    def discard(self, document_id: str) -> None:
        """Delete an operation that nobody knows of, then its plan. What is gone already is left alone."""
        super().discard(document_id)
        self._plans.discard(_plan_id(document_id))

    def of_cluster(self, operation_id: str) -> OperationDocument | None:
        """Return an operation on a cluster, or None. Those on sites are for operators alone."""
        operation = self.read(operation_id)
        return operation if operation is not None and "openShiftClusterKey" in operation else None

    def begun_on(self, cluster_document_id: str) -> list[tuple[str, str]]:
        """Return the start and the id of every operation on a cluster, the newest first.

        Args:
            cluster_document_id: id of the cluster's document. A later cluster of the same name has another.
        """
        query = "SELECT c.id, c.asyncOperation FROM c WHERE c.clusterDocumentId = @id"
        operations = self.query(query, id=cluster_document_id)
        return sorted(
            ((operation["asyncOperation"]["startTime"], operation["id"]) for operation in operations), reverse=True
        )

    def unended(self) -> Iterator[OperationDocument]:
        """Yield every operation that has not ended."""
        return self.query("SELECT * FROM c WHERE NOT IS_DEFINED(c.asyncOperation.endTime) AND NOT IS_DEFINED(c.planOf)")

    def update_by_id(self, operation_id: str, decide: Decide[OperationDocument]) -> OperationDocument:
        """Update an operation that is found by its id; see `Items.update`."""
        return self.update(lambda: self.read(operation_id), decide)


def _plan_id(operation_id: str) -> str:
    return f"{operation_id}-plan"
