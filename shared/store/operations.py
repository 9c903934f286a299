"""Async operations."""

from collections.abc import Iterator

from shared.documents import OperationDocument
from shared.store.containers import Decide, Items
from shared.store.records import TTL_SECONDS


class Operations(Items[OperationDocument]):
    """The container `AsyncOperations`."""

    name = "AsyncOperations"
    shape = OperationDocument

    def create(self, document: OperationDocument) -> OperationDocument:
        """Create an operation; Cosmos DB expires it after seven days."""
        return super().create({"ttl": TTL_SECONDS, **document})

    def of_cluster(self, operation_id: str) -> OperationDocument | None:
        """Return an operation on a cluster, or None. Those on sites are for operators alone."""
        found = self.read(operation_id)
        return found if found is not None and "openShiftClusterKey" in found else None

    def unended(self) -> Iterator[OperationDocument]:
        """Yield every operation that has not ended."""
        return self.query("SELECT * FROM c WHERE NOT IS_DEFINED(c.asyncOperation.endTime)")

    def update_by_id(self, operation_id: str, decide: Decide[OperationDocument]) -> OperationDocument:
        """Update an operation that is found by its id; see `Items.update`."""
        return self.update(lambda: self.read(operation_id), decide)
