"""Cluster documents: found by resource id, paged, and the fence of the operations on a cluster."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from azure.cosmos import ContainerProxy

from shared import deadline
from shared.documents import ClusterDocument
from shared.store.containers import next_page
from shared.store.fenced_documents import Fence, Fenced

# The keys of this many clusters fit into one answer of the store.
_KEYS = 5000


def partition_of(key: str) -> str:
    """Return the partition of a cluster's key: its subscription id."""
    return key.split("/", 3)[2]


class Clusters(Fenced[ClusterDocument]):
    """The container `OpenShiftClusters`; keys are lower-cased resource ids."""

    name = "OpenShiftClusters"
    shape = ClusterDocument
    required = ("id", "key", "partitionKey", "openShiftCluster")

    def __init__(self, container: ContainerProxy) -> None:
        """Wrap the container, whose partition key is `/partitionKey`."""
        super().__init__(container)
        self._clusters = container

    def get(self, key: str) -> ClusterDocument | None:
        """Return the cluster document of a resource id, or None."""
        if key != key.lower():
            raise ValueError(f"'{key}' is not a key: keys are lower-cased resource ids")
        return self.find_by(partition_of(key), "key", key)

    def named(self, partition: str, keys: Sequence[str]) -> dict[str, ClusterDocument]:
        """Return those documents that exist, by key.

        Args:
            partition: the subscription id.
            keys: lower-cased resource ids.
        """
        documents = self.query("SELECT * FROM c WHERE ARRAY_CONTAINS(@keys, c.key)", partition, keys=list(keys))
        return {document["key"]: document for document in documents}

    def find_by(self, partition: str, member: str, value: str) -> ClusterDocument | None:
        """Return the document whose top-level member has this value, or None.

        Args:
            partition: the subscription id.
            member: one of the members that have to be unique.
            value: its value.
        """
        if member not in ("key", "clusterResourceGroupIdKey", "clientIdKey", "asyncOperationId"):
            raise ValueError(f"clusters are not found by '{member}'")
        # The member is one of the four names above, never text from a caller.
        documents = self.query(f"SELECT * FROM c WHERE c.{member} = @value", partition, value=value)  # noqa: S608 - the member is one of ours
        return next(documents, None)

    def page(
        self, prefix: str, partition: str, continuation: str | None = None, size: int = 10
    ) -> tuple[list[ClusterDocument], str | None]:
        """Return one page of the clusters whose key begins with a prefix, and the token of the next page.

        Clusters that cannot be read are left out, so a page may be shorter than its size.

        Args:
            prefix: beginning of the keys.
            partition: the subscription id.
            continuation: the token of the page, or None for the first.
            size: how many clusters a page has at most.
        """
        tokens: list[str | None] = [None]

        def note(headers: Mapping[str, str], _: object) -> None:
            # The pager reads its token from the headers of the client's last answer, whichever thread got it.
            tokens.append(headers.get("x-ms-continuation"))

        pages = self._clusters.query_items(
            "SELECT * FROM c WHERE STARTSWITH(c.key, @prefix)",
            parameters=[{"name": "@prefix", "value": prefix}],
            partition_key=partition,
            max_item_count=size,
            response_hook=note,
        ).by_page(continuation)
        with deadline.call():
            documents: list[Any] = [dict(document) for document in next_page(pages) or ()]
        return list(self.readable(documents)), tokens[-1] or None

    def following(self, key: str, size: int) -> tuple[list[ClusterDocument], str | None]:
        """Return the clusters of all subscriptions that follow a key, in their order, and the last key if more follow.

        The store orders nothing across partitions, and its token leads into one partition alone. So the keys are read
        first, and then the documents of one page.

        Args:
            key: the key before the first one; "" for the beginning.
            size: how many clusters a page has at most. Those that cannot be read are left out.
        """
        found = self.query("SELECT c.key FROM c WHERE c.key > @after", page_size=_KEYS, after=key)
        keys = sorted(each["key"] for each in found)
        page = keys[:size]
        documents = self.query("SELECT * FROM c WHERE ARRAY_CONTAINS(@keys, c.key)", page_size=size, keys=page)
        readable = sorted(self.readable(documents if page else []), key=lambda document: document["key"])
        return readable, page[-1] if len(keys) > size else None

    def of(self, subscription_id: str) -> Iterator[ClusterDocument]:
        """Yield every cluster of a subscription."""
        prefix = f"/subscriptions/{subscription_id}/"
        return self.query("SELECT * FROM c WHERE STARTSWITH(c.key, @prefix)", subscription_id, prefix=prefix)

    def non_terminal(self) -> Iterator[ClusterDocument]:
        """Yield every cluster that names a running operation."""
        return self.query("SELECT * FROM c WHERE IS_DEFINED(c.asyncOperationId)")

    def scheduled(self) -> Iterator[ClusterDocument]:
        """Yield every cluster that stops and starts by a schedule."""
        return self.query("SELECT * FROM c WHERE IS_DEFINED(c.openShiftCluster.properties.powerSchedule)")

    def idle(self) -> Iterator[ClusterDocument]:
        """Yield every cluster on which no operation runs."""
        return self.query("SELECT * FROM c WHERE NOT IS_DEFINED(c.asyncOperationId)")

    def undeleted(self) -> Iterator[ClusterDocument]:
        """Yield id and key of every cluster that is not being deleted."""
        return self.query(
            "SELECT c.id, c.key FROM c WHERE c.openShiftCluster.properties.provisioningState != 'Deleting'"
        )

    def not_deleting(self) -> Iterator[ClusterDocument]:
        """Yield every cluster that is not being deleted."""
        return self.query("SELECT * FROM c WHERE c.openShiftCluster.properties.provisioningState != 'Deleting'")

    def creating(self, version: str) -> Iterator[ClusterDocument]:
        """Yield the key of every cluster that is being created with a version of OpenShift."""
        return self.query(
            "SELECT c.key FROM c WHERE c.openShiftCluster.properties.provisioningState = 'Creating'"
            " AND c.openShiftCluster.properties.clusterProfile.version = @version",
            version=version,
        )

    def existing(self, document_ids: Sequence[str]) -> set[str]:
        """Return those ids that belong to documents of any subscription."""
        documents = self.query("SELECT c.id FROM c WHERE ARRAY_CONTAINS(@ids, c.id)", ids=list(document_ids))
        return {document["id"] for document in documents}

    def of_fence(self, fence: Fence) -> ClusterDocument | None:
        """Return the cluster document that a fence is about, or None."""
        if fence.document_id:
            return self.read(fence.document_id, partition_of(fence.key))
        return self.get(fence.key)

    def delete(self, document: ClusterDocument, partition: str | None = None) -> None:
        """Delete a document as it was read. If it is gone already, do nothing.

        Raises:
            PreconditionFailed: if somebody has written it since.
        """
        super().delete(document, partition or document["partitionKey"])
