"""The rows that scale workers: run twice, interrupted, in a race with the owner; one effect."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.json_object import Json
from tests.product.unit.activities.calls import call, error_of
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.openshift.api_fake import FakeApi, failure
from tests.product.unit.openshift.test_machine_sets import LABEL
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
NAMESPACE = "openshift-machine-api"
SETS = [f"c1-x7k2p-worker-eastus{zone}" for zone in (1, 2, 3)]


def machine_set(name: str, replicas: int | None = 1) -> Json:
    """Make a machine set with its machines."""
    return {
        "kind": "MachineSet",
        "metadata": {"name": name, "namespace": NAMESPACE, "generation": 1},
        "spec": {} if replicas is None else {"replicas": replicas},
        "status": {"observedGeneration": 1, "availableReplicas": 1 if replicas is None else replicas},
    }


def machine(name: str, of: str, phase: str, message: str, made: datetime) -> Json:
    """Make a worker machine."""
    return {
        "kind": "Machine",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "labels": {LABEL: of},
            "creationTimestamp": made.isoformat(),
        },
        "status": {"phase": phase, "errorMessage": message},
    }


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """Give the API of a cluster with three workers whose customer wants five."""
    made = cluster_api_fake.wire(accepted, monkeypatch)
    accepted.properties["workerProfiles"][0]["count"] = 5
    accepted.cluster["scaling"] = {"before": 3, "begun": False}
    made.add(*map(machine_set, SETS), machine_set("gpu", 7))
    return made


def scale() -> Json:
    """Run the row that changes machine sets."""
    return cluster_api_fake.run("activities.cluster.worker_scaling:scale_workers")


def status(**more: Any) -> Json:
    """Ask the row that waits."""
    return call("workers_scaled", "status", **more)


def asked(api: FakeApi) -> list[int]:
    """Return the replicas of the machine sets of the workers."""
    return [api.at("MachineSet", name, NAMESPACE)["spec"]["replicas"] for name in SETS]


def test_the_sets_of_the_workers_reach_the_total_and_no_other_changes(accepted: World, api: FakeApi) -> None:
    """A second run writes nothing."""
    assert scale() == DONE
    assert asked(api) == [2, 2, 1]
    assert api.at("MachineSet", "gpu", NAMESPACE)["spec"]["replicas"] == 7
    assert accepted.cluster["scaling"] == {"before": 3, "begun": True}
    written = len(api.changes)
    assert scale() == DONE
    assert len(api.changes) == written == 2


def test_a_set_that_does_not_say_how_many_machines_it_wants_has_one(accepted: World, api: FakeApi) -> None:
    """It is left as it is, if one is what it is to have."""
    for name in SETS:
        api.add(machine_set(name, None))
    accepted.properties["workerProfiles"][0]["count"] = 4
    assert scale() == DONE
    assert [api.at("MachineSet", name, NAMESPACE)["spec"] for name in SETS] == [{"replicas": 2}, {}, {}]


def test_a_run_that_died_after_its_first_write_is_finished_by_the_next(api: FakeApi) -> None:
    """The sets end as they would have."""

    def dies(method: str, path: str) -> Any:
        return failure(500, "InternalError", "gone") if method == "PATCH" and path.endswith(SETS[1]) else None

    api.first = dies
    assert scale()["outcome"] == "wait"
    assert asked(api) == [2, 1, 1]
    api.first = lambda _method, _path: None
    assert scale() == DONE
    assert asked(api) == [2, 2, 1]


def test_somebody_who_writes_at_the_same_time_loses_nothing(api: FakeApi) -> None:
    """The write is repeated on the version that they left."""
    rivals = iter([{"note": "mine"}])

    def first(method: str, path: str) -> Any:
        if method == "PATCH" and (labels := next(rivals, None)):
            api.objects[path]["metadata"] |= {"annotations": labels, "resourceVersion": "99"}
        return None

    api.first = first
    assert scale() == DONE
    assert asked(api) == [2, 2, 1]
    assert api.at("MachineSet", SETS[0], NAMESPACE)["metadata"]["annotations"] == {"note": "mine"}


def test_a_cluster_without_such_a_set_says_so(accepted: World, api: FakeApi) -> None:
    """Nothing is recorded as begun, so that the next request starts from the number before."""
    for name in SETS:
        del api.objects[f"/apis/machine.openshift.io/v1beta1/namespaces/{NAMESPACE}/machinesets/{name}"]
    error = error_of(scale())
    assert (error["code"], error["target"]) == ("InvalidParameter", "properties.workerProfiles['worker'].count")
    assert "begins with 'c1-x7k2p-worker-'" in error["message"]
    assert accepted.cluster["scaling"] == {"before": 3, "begun": False}


def test_sets_are_waited_for_until_they_have_what_they_ask_for(api: FakeApi) -> None:
    """Whatever the owner asks them for meanwhile."""
    changed = machine_set(SETS[0], 4)
    changed["metadata"]["generation"] = 2
    api.add(changed)
    assert f"MachineSet '{SETS[0]}' has not seen its change yet" in status()["message"]
    changed["status"]["observedGeneration"] = 2
    changed["status"]["availableReplicas"] = 3
    api.add(changed)
    assert f"MachineSet '{SETS[0]}' has 3 of 4 machines" in status()["message"]
    changed["status"]["availableReplicas"] = 4
    api.add(changed)
    assert status() == DONE


def test_a_machine_that_failed_before_is_made_anew_and_one_that_fails_now_ends_the_update(api: FakeApi) -> None:
    """Of the service's machine sets only; a machine of the owner's stays as it is."""
    began = datetime.now(UTC)
    before, after = began - timedelta(minutes=1), began + timedelta(minutes=1)
    changed = machine_set(SETS[0], 2)
    changed["status"]["availableReplicas"] = 1
    api.add(changed)
    api.add(machine("old", SETS[0], "Failed", "QuotaExceeded", before))
    api.add(machine("theirs", "gpu", "Failed", "QuotaExceeded", before))
    assert status(startTime=began.isoformat())["outcome"] == "wait"
    assert [path.rsplit("/", 1)[-1] for method, path, _ in api.changes if method == "DELETE"] == ["old"]
    api.add(machine("new", SETS[0], "Failed", "QuotaExceeded", after))
    error = error_of(status(startTime=began.isoformat()))
    assert error["code"] == "QuotaExceeded"
    assert "'new'" in error["message"]
