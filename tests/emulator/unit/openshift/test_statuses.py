"""Workloads become current by themselves, a while after each change."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from emulator.core.clock import Clock
from emulator.core.store import Store
from emulator.json_object import Json
from emulator.openshift.boot.timeline import PODS_SECONDS
from emulator.openshift.kubernetes import Objects
from emulator.openshift.operators.statuses import EVERYTHING, Key, Statuses

BEGIN = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
TEMPLATE: Json = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
SELECTOR = {"matchLabels": {"app": "web"}}


@dataclass
class Stage:
    """Objects, and a clock that the test moves."""

    store: Store
    moment: dt.datetime = BEGIN
    objects: Objects = field(init=False)
    statuses: Statuses = field(init=False)

    def __post_init__(self) -> None:
        self.objects = Objects(self.store, Clock(1, lambda: self.moment), "cluster")
        self.restart()

    def restart(self) -> None:
        """Continue as another process would."""
        self.statuses = Statuses(self.objects, self.objects.clock)

    def put(self, kind: str, spec: Json) -> Key:
        """Write an object; return its key."""
        group, _, name = kind.rpartition("/")
        self.objects.put(
            {"apiVersion": f"{group}/v1" if group else "v1", "kind": name, "metadata": {"name": "web"}, "spec": spec}
            | {"metadata": {"name": "web", "namespace": "default"}}
        )
        return (f"{name}.{group}" if group else name, "default", "web")

    def after(self, seconds: float, *changed: Key) -> dt.datetime | None:
        """Let time pass, and the statuses be written that are due then."""
        self.moment += dt.timedelta(seconds=seconds)
        return self.statuses.reconcile(changed)

    def status(self, key: Key) -> Json:
        """Return the status of an object."""
        found: Json = (self.objects.get(key[0], key[2], key[1]) or {}).get("status") or {}
        return found

    def conditions(self, key: Key) -> dict[str, str]:
        """Return the conditions of an object."""
        return {one["type"]: one["status"] for one in self.status(key).get("conditions") or ()}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Return an empty cluster."""
    store = Store(tmp_path / "state.sqlite")
    yield Stage(store)
    store.close()


DEPLOYMENT = {"replicas": 2, "selector": SELECTOR, "template": TEMPLATE}
WORKLOADS = [
    ("apps/Deployment", DEPLOYMENT, "Available"),
    ("batch/Job", {"template": {"spec": TEMPLATE["spec"] | {"restartPolicy": "Never"}}}, "Complete"),
    ("Pod", TEMPLATE["spec"], "Ready"),
]


@pytest.mark.parametrize(("kind", "spec", "condition"), WORKLOADS, ids=[row[0] for row in WORKLOADS])
def test_a_workload_becomes_current_after_a_while(stage: Stage, kind: str, spec: Json, condition: str) -> None:
    """Not before, and then nothing more is due."""
    key = stage.put(kind, spec)
    due = stage.after(0, key)
    assert due == BEGIN + dt.timedelta(seconds=PODS_SECONDS)
    assert condition not in stage.conditions(key)
    assert stage.after(PODS_SECONDS) is None
    assert stage.conditions(key)[condition] == "True"


def test_the_replicas_of_a_change_are_there_later(stage: Stage) -> None:
    """Until then the status is of the generation before."""
    key = stage.put("apps/StatefulSet", DEPLOYMENT | {"serviceName": "web"})
    stage.after(0, key)
    stage.after(PODS_SECONDS)
    assert (stage.status(key)["readyReplicas"], stage.status(key)["observedGeneration"]) == (2, 1)
    stage.put("apps/StatefulSet", DEPLOYMENT | {"serviceName": "web", "replicas": 0})
    stage.after(0, key)
    assert (stage.status(key)["readyReplicas"], stage.status(key)["observedGeneration"]) == (2, 1)
    stage.after(PODS_SECONDS)
    assert (stage.status(key)["replicas"], stage.status(key)["observedGeneration"]) == (0, 2)
    assert "readyReplicas" not in stage.status(key)


def test_another_process_continues(stage: Stage) -> None:
    """It finds what is not current, and leaves the rest as it is."""
    key = stage.put("apps/Deployment", DEPLOYMENT)
    stage.after(0, key)
    stage.restart()
    stage.after(0, *EVERYTHING)
    stage.after(PODS_SECONDS)
    assert stage.conditions(key)["Available"] == "True"
    stage.restart()
    assert stage.after(0, *EVERYTHING) is None


def test_what_is_deleted_meanwhile_is_forgotten(stage: Stage) -> None:
    """Nothing fails."""
    key = stage.put("apps/Deployment", DEPLOYMENT)
    stage.after(0, key)
    stage.objects.delete("Deployment.apps", "web", "default")
    assert stage.after(PODS_SECONDS, key) is None


def test_a_suspended_job_completes_once_it_is_resumed(stage: Stage) -> None:
    """Until then it says that it waits."""
    spec = {"template": {"spec": TEMPLATE["spec"] | {"restartPolicy": "Never"}}}
    key = stage.put("batch/Job", spec | {"suspend": True})
    stage.after(0, key)
    stage.after(PODS_SECONDS)
    assert stage.conditions(key) == {"Suspended": "True"}
    stage.put("batch/Job", spec | {"suspend": False})
    stage.after(0, key)
    stage.after(PODS_SECONDS)
    assert stage.conditions(key) == {"SuccessCriteriaMet": "True", "Complete": "True"}
