"""Clusterctl's `move` between two API servers: whole, killed after each of its changes, and refused."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from activities.phases.clusterctl_init import INVENTORY_VERSION
from activities.phases.clusterctl_move import Move, Side
from activities.phases.objects import Cluster, ObjectId
from shared import fence
from shared.arm.errors import CloudError
from shared.json_object import Json
from tests.local_azure import wait_for
from tests.product.integration.phases.test_clusterctl_init import Shown, message
from tests.product.integration.phases.test_kubernetes_apply import namespace

GROUP = "cluster.x-k8s.io"
VERSION = f"{GROUP}/v1beta1"
READY = {
    "infrastructureReady": True,
    "conditions": [{"type": "ControlPlaneInitialized", "status": "True"}],
}
MOVED = {("Cluster", "one"), ("Machine", "worker"), ("Secret", "one-kubeconfig"), ("ConfigMap", "bootstrap")}


class KilledError(Exception):
    """The process is gone."""


def definition(kind: str) -> Json:
    """Return the definition of a kind of Cluster API."""
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}", "labels": {"clusterctl.cluster.x-k8s.io": ""}},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def made(kind: str, name: str, where: str, version: str = VERSION, **members: Any) -> Json:
    """Return an object."""
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": where}} | members


@dataclass
class Site:
    """Two clusters, one of which has a cluster with what belongs to it.

    Args:
        source: from where to move.
        target: to where.
        name: the namespace.
    """

    source: Cluster
    target: Cluster
    name: str
    shown: Shown = field(default_factory=Shown)

    @property
    def move(self) -> Move:
        """The move."""
        return Move(Side("parent", self.source), Side("child", self.target), self.name, self.shown)

    def fill(self) -> None:
        """Make the objects in the source."""
        for cluster in (self.source, self.target):
            for kind in ("Cluster", "Machine"):
                cluster.apply(definition(kind))
                wait_for(lambda one=cluster, served=kind: served in one.kinds(VERSION), "the definition")  # type: ignore[misc]  # the defaults are typed by what they hold
        for installed in self.source.listing(INVENTORY_VERSION, "Provider"):
            # Other tests install providers, and a target has to have those of its source.
            self.source.delete(installed)
        self.source.apply(namespace(self.name))
        owner = self.source.create(made("Cluster", "one", self.name, spec={"size": 3}))
        machine = made("Machine", "worker", self.name, status={"nodeRef": {"name": "worker"}})
        machine["metadata"] |= {"finalizers": ["machine.example.com/keep"], "ownerReferences": [reference(owner)]}
        owner = self.source.create(machine)
        data = made("ConfigMap", "bootstrap", self.name, "v1", data={"a": "b"})
        data["metadata"] |= {"ownerReferences": [reference(owner)], "labels": {"app": "agent"}}
        self.source.create(data)
        self.source.create(made("Secret", "one-kubeconfig", self.name, "v1", data={"value": "YQ=="}))
        self.source.create(made("Secret", "unrelated", self.name, "v1"))

    def make_ready(self) -> None:
        """Let the cluster be as one that is up."""
        self.source.merge(made("Cluster", "one", self.name), {"status": READY})

    def objects(self, cluster: Cluster) -> dict[tuple[str, str], Json]:
        """Return the objects of a cluster by kind and name."""
        kinds = [(VERSION, "Cluster"), (VERSION, "Machine"), ("v1", "Secret"), ("v1", "ConfigMap")]
        found = [one for kind in kinds for one in cluster.listing(*kind, self.name)]
        return {
            (one["kind"], one["metadata"]["name"]): one
            for one in found
            if one["metadata"]["name"] != "kube-root-ca.crt"
        }

    def is_moved(self) -> None:
        """Assert that all is in the target as it was in the source, and runs."""
        assert self.objects(self.source).keys() == {("Secret", "unrelated")}
        there = self.objects(self.target)
        assert there.keys() == MOVED
        cluster, machine = there["Cluster", "one"], there["Machine", "worker"]
        assert cluster["spec"] == {"size": 3}
        assert "status" not in cluster
        assert machine["metadata"]["finalizers"] == ["machine.example.com/keep"]
        assert [one["uid"] for one in machine["metadata"]["ownerReferences"]] == [cluster["metadata"]["uid"]]
        [owner] = there["ConfigMap", "bootstrap"]["metadata"]["ownerReferences"]
        assert owner == reference(machine)
        assert there["ConfigMap", "bootstrap"]["metadata"]["labels"] == {"app": "agent"}
        assert there["Secret", "one-kubeconfig"]["data"] == {"value": "YQ=="}


def reference(owner: Json) -> Json:
    """Return a reference to an owner."""
    return {
        **{name: owner[name] for name in ("apiVersion", "kind")},
        **{name: owner["metadata"][name] for name in ("name", "uid")},
    }


@pytest.fixture
def filled(cluster: Cluster, second_cluster: Cluster, name: str) -> Site:
    """Give two clusters with something to move."""
    found = Site(cluster, second_cluster, name)
    found.fill()
    return found


def test_objects_move_with_their_owners_once_they_are_ready(filled: Site) -> None:
    """Paused in the source, running in the target; what belongs to nobody stays."""
    want = f"Cluster.cluster.x-k8s.io {filled.name}/one: its infrastructure has to be ready."
    assert message(filled.move.proceed()) == want
    left = f"4 objects are still in 'parent', such as Cluster.cluster.x-k8s.io {filled.name}/one."
    assert message(filled.move.status()) == f"{want} {left}"
    filled.make_ready()
    assert message(filled.move.proceed()) == "The clusters in 'parent' are paused; their controllers come to rest."
    assert filled.objects(filled.source)["Cluster", "one"]["spec"]["paused"] is True
    assert message(filled.move.status()) == left
    assert filled.move.proceed() is None
    filled.is_moved()
    assert filled.move.status() is None

    filled.shown.taken()
    assert filled.move.proceed() is None
    [change] = filled.shown.changes
    want = f"Namespace {filled.name}: kept ('parent' has no Cluster API objects to move in it)"
    assert str(change) == want
    assert [str(one) for one in filled.move.dry_run()] == [want]


def test_a_move_that_is_killed_after_each_of_its_changes_ends_as_any_other(filled: Site) -> None:
    """At every moment each object is somewhere, and at most one of the clusters works on it."""
    filled.make_ready()
    kills = 0
    while not one_change(filled.move):
        kills += 1
        here, there = filled.objects(filled.source), filled.objects(filled.target)
        assert here.keys() | there.keys() == MOVED | {("Secret", "unrelated")}
        running = [side for side in (here, there) if not side.get(("Cluster", "one"), PAUSED)["spec"].get("paused")]
        assert len(running) <= 1
    # Pause, the namespace, four objects made, four marked and deleted, a finalizer, and the cluster resumed.
    assert kills >= 16
    filled.is_moved()


PAUSED = {"spec": {"paused": True}}


def one_change(move: Move) -> bool:
    """Run until one change is made; return whether all is done, which takes a run without any."""
    left = 1

    def count() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KilledError

    token = fence.check.set(count)
    try:
        move.proceed()
    except KilledError:
        return False
    finally:
        fence.check.reset(token)
    return left == 1


def test_a_dry_run_of_move_tells_everything_and_changes_nothing(filled: Site) -> None:
    """With what would be waited for."""
    before = filled.objects(filled.source)
    told = {(one.object.kind, one.object.name): (one.verb, one.message) for one in filled.move.dry_run()}
    way = "from 'parent' to 'child'"
    assert told == dict.fromkeys(MOVED, ("moved", way)) | {
        ("Cluster", "one"): ("moved", f"{way}, once its infrastructure has to be ready"),
    }
    assert (filled.objects(filled.source), filled.objects(filled.target)) == (before, {})


def test_what_blocks_a_move_is_waited_for(filled: Site) -> None:
    """A provider may need time to pause; it removes its annotation when it is ready."""
    filled.make_ready()
    machine, annotation = made("Machine", "worker", filled.name), "clusterctl.cluster.x-k8s.io/block-move"
    filled.source.merge(machine, {"metadata": {"annotations": {annotation: ""}}})
    filled.move.proceed()
    assert message(filled.move.proceed()) == (
        f"Machine.cluster.x-k8s.io {filled.name}/worker is not ready to move: it has the annotation {annotation}."
    )
    assert filled.objects(filled.target) == {}
    filled.source.merge(machine, {"metadata": {"annotations": {annotation: None}}})
    assert filled.move.proceed() is None
    filled.is_moved()


def test_what_cannot_be_moved_is_refused_before_anything_changes(filled: Site) -> None:
    """A cluster that somebody paused, and an object of the same name in the target."""
    filled.make_ready()
    filled.source.merge(made("Cluster", "one", filled.name), {"spec": {"paused": True}})
    filled.target.apply(namespace(filled.name))
    filled.target.create(made("Machine", "worker", filled.name))
    before = filled.objects(filled.source)
    with pytest.raises(CloudError) as caught:
        filled.move.proceed()
    assert (caught.value.status_code, caught.value.code) == (409, "Conflict")
    assert caught.value.message == (
        f"The objects in 'parent' cannot be moved to 'child': {ObjectId(GROUP, 'Cluster', filled.name, 'one')}: "
        f"somebody has paused it; resume it first, or delete it; {ObjectId(GROUP, 'Machine', filled.name, 'worker')}: "
        "'child' has another object of this name; delete one of them."
    )
    assert [change.verb for change in filled.move.dry_run()] == ["refused", "refused"]
    assert filled.objects(filled.source) == before
