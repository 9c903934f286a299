"""The running clusters, found by their machines."""

import secrets

from emulator.core.platform import Platform
from emulator.openshift.boot.download import Downloads
from emulator.openshift.boot.machines import Machine, Machines
from emulator.openshift.cluster import control_plane
from emulator.openshift.cluster.cluster import Cluster, Controllers
from emulator.openshift.cluster.records import Record, Records


class Clusters:
    """Every cluster of the platform."""

    def __init__(self, platform: Platform, machines: Machines, downloads: Downloads, controllers: Controllers) -> None:
        self._platform, self._machines, self._downloads = platform, machines, downloads
        self._controllers = controllers
        self._records = Records(platform)
        self._running: dict[str, Cluster] = {}

    def resume(self) -> None:
        """Continue every cluster."""
        for record in self._records.all():
            self._run(record)

    def prepare(self, machine: Machine, texts: list[str]) -> str:
        """Record the cluster that a bootstrap machine will install; return its id."""
        record = Record(id=f"cluster-{secrets.token_hex(8)}", bootstrap=machine.id, image=machine.image)
        self._records.create(record, texts)
        return record.id

    def begin(self, cluster: str) -> None:
        """Start a cluster's installation, after its bootstrap machine has applied its config."""
        record = self._records.get(cluster)
        if record is None:
            return
        running = self._running.get(cluster) or self._run(record)
        running.reach("ignition")
        running.wake()

    def _run(self, record: Record) -> Cluster:
        cluster = Cluster(
            self._platform, record, self._records, self._machines, self._downloads, controllers=self._controllers
        )
        self._running[record.id] = cluster
        self._platform.spawn(self._until_forgotten(cluster), f"cluster {record.id}")
        return cluster

    async def _until_forgotten(self, cluster: Cluster) -> None:
        try:
            await cluster.run()
        finally:
            self._running.pop(cluster.record.id, None)

    def get(self, cluster: str) -> Cluster | None:
        """Return a running cluster, or None."""
        return self._running.get(cluster)

    def wake(self, cluster: str) -> None:
        """Let a cluster check its machines now."""
        found = self._running.get(cluster)
        if found is not None:
            found.wake()

    def access_changed(self, whose: str) -> None:
        """Let the clusters whose credentials depend on what has changed try them again."""
        for cluster in self._running.values():
            cluster.access_changed(whose)

    def port(self, machine: Machine, port: int) -> int | None:
        """Return the local port that serves a port of a machine now, or None."""
        found = self._running.get(machine.cluster)
        return None if found is None else found.port(machine, port)

    def machine_gone(self, machine: Machine) -> None:
        """Handle the deletion of a machine; a cluster without bootstrap machine and masters is forgotten."""
        if not machine.cluster:
            return
        left = self._machines.of(machine.cluster)
        if not any(one.role in ("bootstrap", "master") for one in left):
            self._records.forget(machine.cluster)
        self.wake(machine.cluster)

    # Calls of machines to their cluster

    def has_etcd_on_masters_first(self, cluster: str) -> bool:
        """Tell whether masters start etcd first, before there is an API server."""
        found = self._running.get(cluster)
        return found is not None and found.installation.flavour == "A"

    async def join_etcd(self, machine: Machine) -> str:
        """Let a master's etcd member find its peers; return why it cannot, or ""."""
        found = self._running.get(machine.cluster)
        return "its cluster is gone" if found is None else await control_plane.join_etcd(found, machine)

    async def introduce(self, machine: Machine) -> str:
        """Let a kubelet request its certificate; return why it cannot, or ""."""
        found = self._running.get(machine.cluster)
        return "its cluster is gone" if found is None else await control_plane.introduce(found, machine)

    def joined(self, machine: Machine) -> None:
        """Create the node of a machine that has joined its cluster."""
        found = self._running.get(machine.cluster)
        if found is not None:
            control_plane.put_node(found, machine)
            found.wake()
