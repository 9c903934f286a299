"""Objects for callers in the process: machines and operators use them without HTTP."""

from typing import Any

import pytest

from emulator.core.clock import Clock
from emulator.core.service_error import ServiceError
from emulator.core.store import Store
from emulator.openshift.kubernetes import Objects
from emulator.openshift.kubernetes.kinds import DEFINITIONS

OPERATOR = "ClusterOperator.config.example.com"
CRD: dict[str, Any] = {
    "metadata": {"name": "clusteroperators.config.example.com"},
    "spec": {
        "group": "config.example.com",
        "scope": "Cluster",
        "names": {"plural": "clusteroperators", "kind": "ClusterOperator"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


@pytest.fixture
def store() -> Store:
    """Return a store in memory."""
    return Store(":memory:")


@pytest.fixture
def objects(store: Store) -> Objects:
    """Return the objects of a new cluster, with one custom kind."""
    made = Objects(store, Clock(), "c")
    made.define(CRD)
    return made


def _operator(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "config.example.com/v1", "kind": "ClusterOperator", "metadata": {"name": name}, "spec": spec}


def test_put_creates_then_replaces_and_keeps_the_status(objects: Objects) -> None:
    """The generation counts the spec's changes."""
    objects.put(_operator("dns", a=1))
    objects.set_status(OPERATOR, "dns", {"conditions": []})
    replaced = objects.put(_operator("dns", a=2))
    assert (replaced["spec"], replaced["status"]) == ({"a": 2}, {"conditions": []})
    assert replaced["metadata"]["generation"] == 2
    assert objects.get(OPERATOR, "dns") == replaced


def test_defining_a_kind_twice_keeps_its_objects(objects: Objects) -> None:
    """A caller need not check first whether the kind is defined."""
    objects.put(_operator("dns"))
    objects.define(CRD)
    assert [one["metadata"]["name"] for one in objects.list(OPERATOR)] == ["dns"]
    assert len(objects.list(DEFINITIONS)) == 1


def test_objects_are_listed_by_label_and_namespace(objects: Objects) -> None:
    """All matching objects come, in order."""
    for namespace, name in (("default", "a"), ("kube-system", "b"), ("default", "c")):
        metadata = {"name": name, "namespace": namespace, "labels": {"of": name}}
        objects.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    assert [one["metadata"]["name"] for one in objects.list("ConfigMap", "default")] == ["a", "c"]
    assert [one["metadata"]["name"] for one in objects.list("ConfigMap", labels={"of": "b"})] == ["b"]


def test_what_is_missing_is_none_and_its_deletion_no_error(objects: Objects) -> None:
    """Setting the status of a missing object is an error."""
    assert objects.get(OPERATOR, "missing") is None
    objects.delete(OPERATOR, "missing")
    with pytest.raises(ServiceError) as refused:
        objects.set_status(OPERATOR, "missing", {})
    assert (refused.value.status_code, refused.value.code) == (404, "NotFound")


def test_a_second_create_is_refused(objects: Objects) -> None:
    """The error is a 409 AlreadyExists; a missing kind or namespace is a 404."""
    objects.create(_operator("dns"))
    with pytest.raises(ServiceError, match="AlreadyExists"):
        objects.create(_operator("dns"))
    with pytest.raises(ServiceError, match="NotFound"):
        objects.create({"apiVersion": "other/v1", "kind": "Other", "metadata": {"name": "x"}})
    with pytest.raises(ServiceError, match='namespaces "nope" not found'):
        objects.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x", "namespace": "nope"}})


def test_a_listener_is_told_every_change(objects: Objects) -> None:
    """A listener hears of a change once it is stored, and not of a write that changes nothing."""
    told: list[tuple[str, str]] = []
    objects.subscribe(lambda event, obj: told.append((event, obj["metadata"]["name"])))
    objects.put(_operator("dns"))
    objects.put(_operator("dns"))
    objects.set_status(OPERATOR, "dns", {"x": 1})
    objects.delete(OPERATOR, "dns")
    assert told == [("ADDED", "dns"), ("MODIFIED", "dns"), ("DELETED", "dns")]


def test_another_process_finds_the_same(objects: Objects, store: Store) -> None:
    """Another process finds the objects and kinds, and nothing of another cluster."""
    kept = objects.put(_operator("dns", a=1))
    assert Objects(store, Clock(), "c").get(OPERATOR, "dns") == kept
    with pytest.raises(ServiceError):
        Objects(store, Clock(), "c2").get(OPERATOR, "dns")


def test_a_cluster_that_is_cleared_leaves_nothing(objects: Objects, store: Store) -> None:
    """Other clusters keep everything."""
    Objects(store, Clock(), "c2")
    objects.clear()
    tables = [store.table(f"kubernetes_{name}") for name in ("objects", "changes", "revisions")]
    assert [key for table in tables for key, _ in table.scan("c|")] == []
    assert all(list(table.scan("c2|")) for table in tables)


def test_a_namespace_that_was_going_goes_when_the_process_starts(objects: Objects, store: Store) -> None:
    """A kill between the mark and the removal loses nothing and leaves nothing."""
    objects.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "going"}})
    kind = objects.kinds.named("Namespace")
    marked = objects.get("Namespace", "going")
    assert kind is not None
    assert marked is not None
    marked["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    objects.storage.write(kind, marked, marked)
    assert Objects(store, Clock(), "c").get("Namespace", "going") is None
