"""Which objects move, in which order, and what they must be before."""

from typing import Any

import pytest

from activities.phases.clusterctl_graph import Graph, copy_of
from activities.phases.clusterctl_readiness import HELD, paused_by_others, providers_lacking, unready_objects
from shared.json_object import Json

GROUP = "cluster.x-k8s.io"
INITIALIZED = [{"type": "ControlPlaneInitialized", "status": "True"}]


def made(kind: str, name: str, *owners: str, version: str = f"{GROUP}/v1beta1", **metadata: Any) -> Json:
    """Return an object whose UID is its name, with the UIDs of its owners."""
    references = [{"apiVersion": "v1", "kind": "Any", "name": owner, "uid": owner} for owner in owners]
    named = {"name": name, "namespace": "default", "uid": name, "ownerReferences": references}
    return {"apiVersion": version, "kind": kind, "metadata": named | metadata}


def groups(*objects: Json, **labelled: str) -> list[list[str]]:
    """Return the names of the objects that move, in groups.

    Args:
        objects: the objects.
        labelled: the label of the definition of a kind.
    """
    definitions = {(GROUP, kind): {label: ""} for kind, label in labelled.items()}
    return [[one["metadata"]["name"] for one in group] for group in Graph.of(objects, definitions).moved()]


def test_owners_come_before_what_they_own() -> None:
    """However deep; what no cluster owns stays."""
    assert groups(
        made("Machine", "worker", "set", "cluster"),
        made("MachineSet", "set", "deployment"),
        made("Cluster", "cluster"),
        made("MachineDeployment", "deployment", "cluster"),
        made("Machine", "alone"),
        made("Machine", "of-another", "gone"),
    ) == [["cluster"], ["deployment"], ["set"], ["worker"]]


@pytest.mark.parametrize(
    ("kind", "metadata", "moves"),
    [
        pytest.param("Secret", {"name": "one-kubeconfig"}, True, id="a Secret by its name"),
        pytest.param("Secret", {"name": "one-token"}, False, id="a Secret with another name"),
        pytest.param("ConfigMap", {"name": "one-ca"}, False, id="a ConfigMap by its name"),
        pytest.param("ConfigMap", {"labels": {f"{GROUP}/cluster-name": "one"}}, True, id="by its label"),
        pytest.param("Secret", {"labels": {f"{GROUP}/cluster-name": "two"}}, False, id="the label of another"),
        pytest.param("Secret", {"name": "one-kubeconfig", "namespace": "b"}, False, id="in another namespace"),
        pytest.param("Secret", {"labels": {"clusterctl.cluster.x-k8s.io/move": ""}}, True, id="a label asks for it"),
    ],
)
def test_secrets_and_config_maps_move_with_their_cluster(kind: str, metadata: Json, *, moves: bool) -> None:
    """By owner, name or label."""
    other = made(kind, "x", version="v1")
    other["metadata"] |= metadata
    found = groups(made("Cluster", "one"), other)
    assert (len([name for group in found for name in group]) == 2) is moves


def test_the_label_of_a_definition_decides_for_its_kind() -> None:
    """Alone, or with all that its objects own."""
    objects = (made("Identity", "one"), made("Secret", "key", "one", version="v1"))
    assert groups(*objects) == []
    assert groups(*objects, Identity="clusterctl.cluster.x-k8s.io/move") == [["one"]]
    assert groups(*objects, Identity="clusterctl.cluster.x-k8s.io/move-hierarchy") == [["one"], ["key"]]


def test_what_belongs_to_no_namespace_is_shared_with_all_that_it_owns() -> None:
    """Others may use it."""
    everywhere = made("Identity", "one", namespace=None)
    objects = (everywhere, made("Secret", "key", "one", version="v1"), made("Cluster", "cluster"))
    assert Graph.of(objects, {}).shared() == {"one", "key"}


def test_objects_that_own_each_other_end() -> None:
    """The API server accepts them."""
    assert groups(made("Cluster", "cluster", "b"), made("A", "a", "cluster"), made("B", "b", "a")) == [
        ["a", "b", "cluster"]
    ]


def test_a_copy_has_the_owners_of_the_other_cluster_and_no_status() -> None:
    """Nothing that an API server gives."""
    before = made("Machine", "worker", "set", "gone", finalizers=["keep"], resourceVersion="1", generation=2)
    before |= {"spec": {"size": 1}, "status": {"phase": "Running"}}
    assert copy_of(before, {"set": "new"}, {"from": "worker"}) == {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "Machine",
        "metadata": {
            "name": "worker",
            "namespace": "default",
            "finalizers": ["keep"],
            "annotations": {"from": "worker"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Any", "name": "set", "uid": "new"}],
        },
        "spec": {"size": 1},
    }


@pytest.mark.parametrize(
    ("one", "want"),
    [
        pytest.param(made("Cluster", "a"), "its infrastructure has to be ready", id="no status"),
        pytest.param(
            made("Cluster", "a") | {"status": {"infrastructureReady": True}},
            "its control plane has to be initialized",
            id="no control plane",
        ),
        pytest.param(
            made("Cluster", "a")
            | {"spec": {"controlPlaneRef": {"name": "a"}}}
            | {"status": {"infrastructureReady": True, "conditions": INITIALIZED}},
            "its control plane has to be initialized",
            id="a control plane of its own that is not initialized",
        ),
        pytest.param(
            made("Cluster", "a")
            | {"spec": {"controlPlaneRef": {"name": "a"}}}
            | {"status": {"infrastructureReady": True, "conditions": INITIALIZED, "controlPlaneReady": True}},
            "",
            id="ready, in v1beta1",
        ),
        pytest.param(
            made("Cluster", "a")
            | {"status": {"initialization": {"infrastructureProvisioned": True}, "conditions": INITIALIZED}},
            "",
            id="ready, in v1beta2",
        ),
        pytest.param(made("Machine", "a"), "its node has to be there", id="a machine without a node"),
        pytest.param(made("Machine", "a") | {"status": {"nodeRef": {"name": "a"}}}, "", id="a machine with a node"),
    ],
)
def test_a_move_waits_for_what_is_being_made(one: Json, want: str) -> None:
    """Its controllers would be interrupted."""
    assert [reason for _, reason in unready_objects([one])] == ([want] if want else [])


def test_only_clusters_that_the_move_has_paused_may_be_paused() -> None:
    """Otherwise they would resume in the target against somebody's will."""
    paused = {"spec": {"paused": True}}
    found = paused_by_others(
        [
            made("Cluster", "running"),
            made("Cluster", "held", annotations={HELD: "true"}) | paused,
            made("Cluster", "paused") | paused,
            made("Cluster", "annotated", annotations={f"{GROUP}/paused": ""}),
        ]
    )
    assert [one.name for one in found] == ["paused", "annotated"]


def test_the_target_has_the_providers_of_the_source_in_no_older_version() -> None:
    """Newer ones read what older ones wrote."""

    def provider(name: str, version: str) -> Json:
        return {"metadata": {"name": name}, "type": "CoreProvider", "providerName": name, "version": version}

    source = [provider("a", "v1.9.0"), provider("b", "v1.10.0"), provider("c", "v1.0.0"), provider("d", "v1.0.0")]
    target = [provider("a", "v1.10.0"), provider("b", "v1.9.0"), provider("c", "v1.0.0")]
    assert providers_lacking(source, target) == ["b v1.10.0", "d v1.0.0"]
