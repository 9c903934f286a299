"""The conditions of clusters, apart from their documents: a timer writes them, requests read them."""

from collections.abc import Sequence

from shared.documents import ClusterConditionsDocument, ClusterDocument
from shared.store.containers import Items
from shared.store.records import TTL_SECONDS


class ClusterConditions(Items[ClusterConditionsDocument]):
    """The container `ClusterConditions`. Ids and partitions are those of the clusters' documents.

    What is stored of a cluster that was deleted expires, because nobody writes it any more.
    """

    name = "ClusterConditions"
    shape = ClusterConditionsDocument
    required = ("id", "partitionKey", "observedAt", "conditions")

    def of(self, cluster: ClusterDocument) -> ClusterConditionsDocument | None:
        """Return what is stored of a cluster, or None if there is nothing that can be read."""
        found = self.read(cluster["id"], cluster["partitionKey"])
        return next(self.readable([found] if found is not None else []), None)

    def of_each(self, clusters: Sequence[ClusterDocument]) -> dict[str, ClusterConditionsDocument]:
        """Return what is stored of clusters, by their documents' ids, in one query."""
        if not clusters:
            return {}
        ids, partitions = [each["id"] for each in clusters], {each["partitionKey"] for each in clusters}
        query = "SELECT * FROM c WHERE ARRAY_CONTAINS(@ids, c.id)"
        found = self.query(query, partitions.pop() if len(partitions) == 1 else None, ids=ids)
        return {each["id"]: each for each in self.readable(found)}

    def all(self) -> dict[str, ClusterConditionsDocument]:
        """Return what is stored of all clusters, by their documents' ids."""
        return {each["id"]: each for each in self.readable(self.query("SELECT * FROM c"))}

    def put(self, document: ClusterConditionsDocument) -> None:
        """Write what was found of a cluster. Only the timer writes, and it never runs twice at the same time."""
        self.upsert({"ttl": TTL_SECONDS, **document})
