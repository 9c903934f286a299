"""The stored state of each cluster, which survives a restart of the process. `cluster.py` has the running part."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from emulator.core.platform import Platform
from emulator.json_object import Json


@dataclass
class Record:
    """A cluster.

    Args:
        id: the cluster's id; a bootstrap machine that is created again installs another cluster.
        bootstrap: resource id of the bootstrap machine.
        image: SKU of that machine's image.
        reached: when each row of the timeline came true, RFC 3339.
        broken: why the cluster has failed for good, "" while it has not.
        stuck: operators that never become available, and why.
        postponed: rows that come true later than they should, and when, RFC 3339.
        workers: the virtual machines that the cluster has for its Machines, by name; `operators/machine_api.py`.
        router: unused.
        rollouts: the state of each roll-out of a changed configuration, by its key; `operators/rollouts.py`.
        refused: operators whose access Azure or the directory refuses, and why; `operators/access.py`.
        away: since when too few masters run for etcd's quorum, RFC 3339; "" while enough do.
        back: when enough ran again last, RFC 3339; "" if they always did.
        settled: whether the operators are well since then.
        named: for each certificate that the API server was given, the names for which it is presented, in order.
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
    away: str = ""
    back: str = ""
    settled: bool = True


class Records:
    """The records of the clusters, and the configs of their bootstrap machines, which contain private keys."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("openshift_clusters")
        self._configs = platform.store.table("openshift_configs")

    def create(self, record: Record, texts: list[str]) -> None:
        """Store a new cluster with the configs from which it is installed."""
        self._configs.put(record.id, {"texts": texts})
        self.save(record)

    def get(self, cluster: str) -> Record | None:
        """Return a cluster, or None."""
        found = self._table.get(cluster)
        return None if found is None else Record(**found)

    def texts(self, cluster: str) -> list[str]:
        """Return the configs from which a cluster is installed."""
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
