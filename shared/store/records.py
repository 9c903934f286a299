"""The containers of progress, subscriptions and billing, and those that operators write."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from azure.cosmos import ContainerProxy

from shared import durations
from shared.documents import (
    BillingDocument,
    CatalogueDocument,
    Document,
    RoleSetDocument,
    SubscriptionDocument,
    TaskHubDocument,
)
from shared.steps import ProgressItem
from shared.store.containers import Conflict, Items

TTL_SECONDS = int(durations.OPERATIONS_KEPT.total_seconds())
_CATALOGUE_AGE_SECONDS = durations.CATALOGUE_KEPT.total_seconds()

Entry = TypeVar("Entry", bound=Document)


class Progress(Items[ProgressItem]):
    """The container `OperationProgress`: one item for each (operation, step, attempt)."""

    name = "OperationProgress"
    shape = ProgressItem
    required = ("id", "operationId", "step", "attempt", "status", "startTime")

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

    def list(self, operation_id: str, since: int = 0) -> list[ProgressItem]:
        """Return every item of an operation that can be read, oldest first.

        Args:
            operation_id: the operation.
            since: the second, in Unix time, from which on they were written.
        """
        query = "SELECT * FROM c WHERE c.operationId = @id AND c._ts >= @since"
        return in_order(self.readable(self.query(query, operation_id, id=operation_id, since=since)))


def in_order(items: Iterable[ProgressItem]) -> list[ProgressItem]:
    """Sort progress items, the oldest first."""
    return sorted(items, key=lambda item: (item["startTime"], item["attempt"]))


class Subscriptions(Items[SubscriptionDocument]):
    """The container `Subscriptions`: what ARM has last reported about each subscription."""

    name = "Subscriptions"
    shape = SubscriptionDocument

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

    name = "TaskHubs"
    shape = TaskHubDocument
    required = ("id", "lastSeen", "listeningSince")

    def __init__(self, container: ContainerProxy) -> None:
        """Wrap a container of the SDK."""
        super().__init__(container)
        # The sign that this process has written last.
        self.last_sign: TaskHubDocument | None = None

    def put(self, document: TaskHubDocument) -> TaskHubDocument:
        """Write the sign of life of this deployment's hub. A hub writes no other document."""
        self.last_sign = super().upsert({"ttl": TTL_SECONDS, **document})
        return self.last_sign

    def get(self, name: str) -> TaskHubDocument | None:
        """Return a hub's sign of life, or None if there is none that can be read."""
        sign = self.read(name)
        return next(self.readable([sign] if sign is not None else []), None)

    def all(self) -> dict[str, TaskHubDocument]:
        """Return every hub's sign of life that can be read, by the hub's name."""
        return {document["id"]: document for document in self.readable(self.query("SELECT * FROM c"))}


class Billing(Items[BillingDocument]):
    """The container `Billing`. A record is created once, each of its times is set once, and it outlives its cluster."""

    name = "Billing"
    shape = BillingDocument

    def ensure(self, document: BillingDocument) -> BillingDocument:
        """Create a record; leave an existing one unchanged."""
        try:
            return self.create(document)
        except Conflict:
            return self.read(document["id"]) or document


class Catalogue(Items[Entry]):
    """A container that operators write and customers' requests read, so what these read is cached for a while."""

    # What customers' requests read of it.
    offered = "SELECT * FROM c"

    def __init__(self, container: ContainerProxy, clock: Callable[[], float] = time.monotonic) -> None:
        """Wrap the container; only the cache uses the clock."""
        super().__init__(container)
        self._clock = clock
        self._lock = threading.Lock()
        self._writes = 0
        self._read_at = float("-inf")
        self._cached: list[Entry] = []

    def enabled(self) -> list[Entry]:
        """Return what is offered, at most ten seconds old; this instance's own writes are always in it."""
        with self._lock:
            if self._clock() - self._read_at <= _CATALOGUE_AGE_SECONDS:
                return self._cached
            writes = self._writes
        entries = list(self.query(self.offered))
        with self._lock:
            # A write since then may not be in the answer.
            if writes == self._writes:
                self._cached, self._read_at = entries, self._clock()
        return entries

    def all(self) -> list[Entry]:
        """Return every entry as it is now, offered or not."""
        return list(self.query("SELECT * FROM c"))

    def says(self, wanted: Entry) -> bool:
        """Tell whether the stored entry with the same id has the same content, whoever wrote it."""
        entry = self.read(wanted["id"])
        return entry is not None and _content(entry) == _content(wanted)

    def put(self, document: Entry) -> Entry:
        """Create an entry, or replace it if nobody has written it since it was read.

        Raises:
            Conflict: if somebody has created it meanwhile.
            PreconditionFailed: if somebody has written it since.
            NotFound: if somebody has deleted it.
        """
        return self.replace(document) if "_etag" in document else self.create(document)

    def create(self, document: Entry) -> Entry:
        """Create an entry; see `Items.create`."""
        with self._writing():
            return super().create(document)

    def replace(self, document: Entry) -> Entry:
        """Replace an entry; see `Items.replace`."""
        with self._writing():
            return super().replace(document)

    def delete(self, document: Entry, partition: str | None = None) -> None:
        """Delete an entry; see `Items.delete`."""
        with self._writing():
            super().delete(document, partition)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Forget what is cached after a write, even after one whose answer is lost."""
        try:
            yield
        finally:
            with self._lock:
                self._writes += 1
                self._read_at = float("-inf")


def _content(document: Document) -> dict[str, object]:
    return {name: value for name, value in document.items() if not name.startswith("_")}


class Versions(Catalogue[CatalogueDocument]):
    """The container `OpenShiftVersions`. Every PUT of a cluster reads it."""

    name = "OpenShiftVersions"
    shape = CatalogueDocument

    offered = "SELECT * FROM c WHERE c.enabled = true"


class RoleSets(Catalogue[RoleSetDocument]):
    """The container `PlatformWorkloadIdentityRoleSets`."""

    name = "PlatformWorkloadIdentityRoleSets"
    shape = RoleSetDocument
