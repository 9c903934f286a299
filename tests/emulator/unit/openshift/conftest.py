"""A cluster with all its operators, without machines and listeners, and a clock that the test moves."""

import asyncio
import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.boot.download import Downloads
from emulator.openshift.boot.machines import Machines
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.cluster.records import Record, Records
from emulator.openshift.operators import cluster_operators, controllers
from emulator.openshift.release import kinds
from tests import bootstrap_ignition

DOMAIN = "c1.eastus.aroapp.io"


@cache
def ignition() -> str:
    """Return the ignition of the clusters here, unless they bring their own."""
    return bootstrap_ignition.Cluster(DOMAIN).bootstrap()


@dataclass
class Stage:
    """A cluster, and the time.

    Args:
        platform: clock and store.
        late: rows that have not come true.
        ignition: the bootstrap machine's config.
    """

    platform: Platform
    moment: list[dt.datetime]
    late: frozenset[str] = frozenset()
    ignition: str = field(default_factory=ignition)
    cluster: Cluster = field(init=False)

    def __post_init__(self) -> None:
        self.cluster = self._made()
        # One write instead of hundreds.
        with self.platform.store.transaction():
            for definition in kinds.definitions():
                self.cluster.objects.define(definition)
            for obj in kinds.foundation():
                self.cluster.objects.put(obj)
            asyncio.run(self._begin())

    def _made(self) -> Cluster:
        records = Records(self.platform)
        record = records.get("cluster")
        if record is None:
            record = Record("cluster", "/bootstrap", "aro_419")
            records.create(record, [self.ignition])
        machines = Machines(self.platform)
        downloads = Downloads(self.platform, lambda _vm, _port: None)
        return Cluster(self.platform, record, records, machines, downloads, controllers=controllers)

    async def _begin(self) -> None:
        await cluster_operators.payload(self.cluster)
        await cluster_operators.console(self.cluster)
        for row in timeline.rows("C"):
            if row.name not in self.late:
                if row.name.startswith(timeline.OPERATOR):
                    await controllers.run(self.cluster, timeline.Row(row.name, row.needs, row.seconds))
                self.cluster.reach(row.name)

    def restart(self) -> None:
        """Continue as another process would."""
        self.cluster = self._made()

    def after(self, seconds: float) -> None:
        """Let time pass, and let the cluster do what is due."""
        self.moment[0] += dt.timedelta(seconds=seconds)
        asyncio.run(self.cluster.reconcile())

    def patch(self, kind: str, spec: Json, name: str = "cluster", namespace: str = "") -> Json:
        """Change members of an object's spec; return the changed object.

        Args:
            kind: kind with its group, such as `Console.operator.openshift.io`.
            spec: members that are added or replaced.
            name: name of the object.
            namespace: namespace; empty for a kind without namespaces.
        """
        found = self.cluster.objects.get(kind, name, namespace)
        assert found is not None
        return self.cluster.objects.put(found | {"spec": found["spec"] | spec})

    def secret(self, name: str, namespace: str, pair: tuple[str, str] | None) -> None:
        """Write or delete a TLS Secret.

        Args:
            name: name of the Secret.
            namespace: namespace of the Secret.
            pair: certificate and key, in PEM; None deletes the Secret.
        """
        if pair is None:
            self.cluster.objects.delete("Secret", name, namespace)
            return
        self.cluster.objects.put(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": name, "namespace": namespace},
                "type": "kubernetes.io/tls",
                "stringData": {"tls.crt": pair[0], "tls.key": pair[1]},
            }
        )

    def conditions(self, operator: str) -> dict[str, str]:
        """Return the conditions of a ClusterOperator by type, except `Upgradeable`, which callers do not wait for."""
        found = self.cluster.objects.get(cluster_operators.CLUSTER_OPERATOR, operator) or {}
        return {one["type"]: one["status"] for one in found["status"]["conditions"] if one["type"] != "Upgradeable"}

    def message(self, operator: str, kind: str) -> str:
        """Return the message of a ClusterOperator's condition."""
        found = self.cluster.objects.get(cluster_operators.CLUSTER_OPERATOR, operator) or {}
        return str(next(one.get("message", "") for one in found["status"]["conditions"] if one["type"] == kind))


@pytest.fixture
def make_stage(tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Return a function that makes a cluster in which all rows but these have come true."""
    moment = [dt.datetime(2026, 3, 1, tzinfo=dt.UTC)]
    platform = Platform(tmp_path, clock=Clock(source=lambda: moment[0]), world=World())
    yield lambda *late: Stage(platform, moment, frozenset(late))
    asyncio.run(platform.stop())


@pytest.fixture
def stage(make_stage: Callable[..., Stage]) -> Stage:
    """Make a finished cluster."""
    return make_stage()
