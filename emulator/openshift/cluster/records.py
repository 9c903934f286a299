"""What is known of each cluster. It outlives the process; what runs of a cluster is in `cluster.py`."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from emulator.core.platform import Platform

Json = dict[str, Any]


@dataclass
class Record:
    """A cluster.

    Args:
        id: its own; a bootstrap machine made anew begins another cluster.
        bootstrap: resource id of the bootstrap machine.
        image: sku of that machine's image.
        reached: when each row of the timeline came true, RFC 3339.
        broken: why it will never be what it was to be, "" while it may.
        stuck: operators that never become available, and why.
        postponed: rows that come true later than they should, and when.
        workers: the virtual machines that the cluster has made for its Machines, by name; `operators/machine_api.py`.
        router: the address of its router, and what it consists of in Azure; `operators/ingress.py`.
        rollouts: what operators make of changes of their configuration; `operators/rollouts.py`.
        refused: operators that Azure, or the directory, refuses, and why; `operators/access.py`.
        named: for which names its API server shows the certificates that it was given, in their order.
    """

    id: str
    bootstrap: str
    image: str
    reached: dict[str, str] = field(default_factory=dict)
    broken: str = ""
    stuck: dict[str, str] = field(default_factory=dict)
    postponed: dict[str, str] = field(default_factory=dict)
    workers: dict[str, Json] = field(default_factory=dict)
    router: Json = field(default_factory=dict)
    rollouts: dict[str, Json] = field(default_factory=dict)
    named: list[list[str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class Records:
    """The clusters, and the configs that their bootstrap machines fetched, which hold their keys."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("openshift_clusters")
        self._configs = platform.store.table("openshift_configs")

    def create(self, record: Record, texts: list[str]) -> None:
        """Note a cluster with the configs that it is made from."""
        self._configs.put(record.id, {"texts": texts})
        self.save(record)

    def get(self, cluster: str) -> Record | None:
        """Return a cluster, or None."""
        found = self._table.get(cluster)
        return None if found is None else Record(**found)

    def texts(self, cluster: str) -> list[str]:
        """Return the configs that a cluster is made from."""
        found = self._configs.get(cluster)
        return list(found["texts"]) if found else []

    def save(self, record: Record) -> None:
        """Write a cluster."""
        self._table.put(record.id, asdict(record))

    def forget(self, cluster: str) -> None:
        """Remove a cluster."""
        self._configs.delete(cluster)
        self._table.delete(cluster)

    def all(self) -> Iterator[Record]:
        """Yield every cluster."""
        for _, document in self._table.scan():
            yield Record(**document)
