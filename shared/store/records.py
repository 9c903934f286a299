"""The containers besides clusters and domains: operations, progress, subscriptions, task hubs, billing, versions."""

import time
from collections.abc import Callable, Iterator

from azure.cosmos import ContainerProxy

from shared.documents import (
    BillingDocument,
    CatalogueDocument,
    OperationDocument,
    SubscriptionDocument,
    TaskHubDocument,
)
from shared.steps import ProgressItem
from shared.store.containers import Conflict, Decide, Items

# Operations and their progress items live for seven days, like ARM's documents.
TTL_SECONDS = 604_800
_VERSIONS_AGE_SECONDS = 10


class Operations(Items[OperationDocument]):
    """The container `AsyncOperations`."""

    def create(self, document: OperationDocument) -> OperationDocument:
        """Create an operation; Cosmos DB expires it after seven days."""
        return super().create({"ttl": TTL_SECONDS, **document})

    def unended(self) -> Iterator[OperationDocument]:
        """Yield every operation that has not ended."""
        return self.query("SELECT * FROM c WHERE NOT IS_DEFINED(c.asyncOperation.endTime)")

    def update_by_id(self, operation_id: str, decide: Decide[OperationDocument]) -> OperationDocument:
        """Update an operation that is found by its id; see `Items.update`."""
        return self.update(lambda: self.read(operation_id), decide)


class Progress(Items[ProgressItem]):
    """The container `OperationProgress`: one item for each (operation, step, attempt)."""

    def get(self, operation_id: str, step: str, attempt: int) -> ProgressItem | None:
        """Return the progress of one step in one attempt, or None if it has not begun.

        Args:
            operation_id: the operation.
            step: the step's name.
            attempt: the attempt, from 1.
        """
        return self.read(f"{step}-{attempt}", operation_id)

    def upsert(self, document: ProgressItem) -> ProgressItem:
        """Write an item; only one writer at a time writes the items of a step."""
        return super().upsert({"ttl": TTL_SECONDS, **document})

    def list(self, operation_id: str) -> list[ProgressItem]:
        """Return every item of an operation, oldest first."""
        items = self.query("SELECT * FROM c WHERE c.operationId = @id", operation_id, id=operation_id)
        return sorted(items, key=lambda item: (item["startTime"], item["attempt"]))


class Subscriptions(Items[SubscriptionDocument]):
    """The container `Subscriptions`: what ARM has last reported about each subscription."""

    def get(self, subscription_id: str) -> SubscriptionDocument | None:
        """Return a subscription, or None."""
        return self.read(subscription_id.lower())

    def deleting(self) -> Iterator[SubscriptionDocument]:
        """Yield every subscription whose clusters have to be deleted."""
        return self.query("SELECT * FROM c WHERE c.deleting = true")

    def put(self, document: SubscriptionDocument) -> SubscriptionDocument:
        """Create the document, or replace it if nobody has written it since it was read.

        Raises:
            Conflict: if somebody has created the document meanwhile.
            PreconditionFailed: if somebody has written it since.
        """
        return self.replace(document) if "_etag" in document else self.create(document)


class TaskHubs(Items[TaskHubDocument]):
    """The container `TaskHubs`: the last sign of life of each task hub that shares this database."""

    def put(self, document: TaskHubDocument) -> TaskHubDocument:
        """Write the sign of life of this deployment's hub. A hub writes no other document."""
        return super().upsert({"ttl": TTL_SECONDS, **document})

    def all(self) -> dict[str, TaskHubDocument]:
        """Return every hub's sign of life, by the hub's name."""
        return {document["id"]: document for document in self.query("SELECT * FROM c")}


class Billing(Items[BillingDocument]):
    """The container `Billing`. A record is created once, each of its times is set once, and it outlives its cluster."""

    def ensure(self, document: BillingDocument) -> BillingDocument:
        """Create a record; leave an existing one unchanged."""
        try:
            return self.create(document)
        except Conflict:
            return self.read(document["id"]) or document


class Versions:
    """The container `OpenShiftVersions`, cached for ten seconds because every PUT reads it."""

    def __init__(self, container: ContainerProxy, clock: Callable[[], float] = time.monotonic) -> None:
        """Wrap the container; only the cache uses the clock."""
        self._items: Items[CatalogueDocument] = Items(container)
        self._clock = clock
        self._read_at = float("-inf")
        self._cached: list[CatalogueDocument] = []

    def enabled(self) -> list[CatalogueDocument]:
        """Return the enabled versions, `{"id", "version", "enabled", "default", ...}`."""
        if self._clock() - self._read_at > _VERSIONS_AGE_SECONDS:
            self._cached = list(self._items.query("SELECT * FROM c WHERE c.enabled = true"))
            self._read_at = self._clock()
        return self._cached
