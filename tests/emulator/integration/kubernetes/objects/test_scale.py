"""The subresource `scale`, of built-in and of custom kinds."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets, define

MERGE = {"Content-Type": "application/merge-patch+json"}
PATCHES: dict[str, Any] = {
    "application/merge-patch+json": {"spec": {"replicas": 5}},
    "application/strategic-merge-patch+json": {"spec": {"replicas": 5}},
    "application/json-patch+json": [{"op": "add", "path": "/spec/replicas", "value": 5}],
}
PATHS = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size", "labelSelectorPath": ".status.sel"}
COUNTED = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 9}, "sel": {"type": "string"}}}
SCHEMA = {"type": "object", "properties": {"spec": COUNTED, "status": COUNTED}}
SELECTOR = {
    "matchLabels": {"b": "c", "app": "x"},
    "matchExpressions": [
        {"key": "z", "operator": "In", "values": ["2", "1"]},
        {"key": "y", "operator": "DoesNotExist"},
        {"key": "w", "operator": "NotIn", "values": ["3"]},
        {"key": "v", "operator": "Exists"},
    ],
}


def _workload(name: str, **spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "x", "b": "c", "v": "", "z": "1"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    return {"metadata": {"name": name}, "spec": {"selector": SELECTOR, "template": template} | spec}


@pytest.fixture
def counted(admin: httpx.Client, namespace: str) -> Widgets:
    """Define a custom kind with a scale."""
    version = {"subresources": {"status": {}, "scale": PATHS}, "schema": {"openAPIV3Schema": SCHEMA}}
    return define(admin, f"scaled-{namespace}.example.com", namespace, **version)


@pytest.mark.parametrize(
    ("plural", "more"), [("deployments", {}), ("replicasets", {}), ("statefulsets", {"serviceName": "s"})]
)
def test_a_workload_has_a_scale(admin: httpx.Client, namespace: str, plural: str, more: dict[str, str]) -> None:
    """It shows the replicas and the selector, and a PUT of it changes the workload."""
    path = f"/apis/apps/v1/namespaces/{namespace}/{plural}"
    metadata = admin.post(path, json=_workload("w", **more)).json()["metadata"]
    shown = admin.get(f"{path}/w/scale").json()
    assert shown == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            name: metadata[name] for name in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        },
        "spec": {"replicas": 1},
        "status": {"replicas": 0, "selector": "app=x,b=c,v,w notin (3),!y,z in (1,2)"},
    }
    written = admin.put(f"{path}/w/scale", json=shown | {"spec": {"replicas": 3}})
    assert (written.status_code, written.json()["spec"]) == (200, {"replicas": 3})
    found = admin.get(f"{path}/w").json()
    assert (found["spec"]["replicas"], found["metadata"]["generation"]) == (3, 2)
    assert admin.put(f"{path}/w/scale", json=shown).json() == failure(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {plural}.apps "w": the object has been modified; please apply your changes '
        "to the latest version and try again",
        details={"name": "w", "group": "apps", "kind": plural},
    )


@pytest.mark.parametrize("media_type", PATCHES)
def test_a_scale_is_patched(admin: httpx.Client, namespace: str, media_type: str) -> None:
    """A dry run changes nothing; 0 is left out, as Go does."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    admin.post(path, json=_workload("w")).raise_for_status()
    headers, scale = {"Content-Type": media_type}, f"{path}/w/scale"
    dry = admin.patch(scale, json=PATCHES[media_type], headers=headers, params={"dryRun": "All"})
    assert (dry.json()["spec"], admin.get(scale).json()["spec"]) == ({"replicas": 5}, {"replicas": 1})
    assert admin.patch(scale, json=PATCHES[media_type], headers=headers).json()["spec"] == {"replicas": 5}
    assert admin.patch(scale, json={"spec": {"replicas": 0}}, headers=MERGE).json()["spec"] == {}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param({"spec": {"replicas": -3}}, 422, id="below 0"),
        pytest.param({"spec": {"replicas": "x"}}, 400, id="not a number"),
        pytest.param({"metadata": {"name": "other"}}, 400, id="of another name"),
    ],
)
def test_a_bad_scale_is_refused(admin: httpx.Client, namespace: str, change: dict[str, Any], status: int) -> None:
    """And the workload keeps its replicas."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    admin.post(path, json=_workload("w")).raise_for_status()
    body = {"metadata": {"name": "w", "namespace": namespace}, "spec": {"replicas": 2}} | change
    answer = admin.put(f"{path}/w/scale", json=body)
    assert (answer.status_code, answer.json()["reason"]) == (status, {400: "BadRequest", 422: "Invalid"}[status])
    assert admin.get(f"{path}/w").json()["spec"]["replicas"] == 1


def test_the_scale_of_nothing_is_not_found(admin: httpx.Client, namespace: str, counted: Widgets) -> None:
    """The refusal names the scale of a built-in kind, and the object of a custom kind."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    assert admin.get(f"{path}/w/scale").json() == failure(
        404,
        "NotFound",
        'deployments/scale.apps "w" not found',
        details={"name": "w", "group": "apps", "kind": "deployments/scale"},
    )
    assert admin.get(f"{counted.path}/w/scale").json()["message"] == f'widgets.{counted.group} "w" not found'
    assert admin.delete(f"{path}/w/scale").status_code == 405
    daemons = admin.get(f"/apis/apps/v1/namespaces/{namespace}/daemonsets/w/scale")
    assert daemons.json()["message"] == "the server could not find the requested resource"


def test_a_custom_object_is_scaled_where_its_kind_says(admin: httpx.Client, counted: Widgets) -> None:
    """The schema holds for the replicas; the selector is a member of the status."""
    admin.post(counted.path, json=counted.widget("w")).raise_for_status()
    scale = f"{counted.path}/w/scale"
    missing = admin.get(scale)
    message = 'Internal error occurred: the spec replicas field ".spec.size" does not exist'
    assert (missing.status_code, missing.json()["message"]) == (500, message)
    body = {"metadata": {"name": "w"}, "spec": {"replicas": 3}}
    assert admin.put(scale, json=body).json()["spec"] == {"replicas": 3}
    status = {"status": {"size": 2, "sel": "a=b"}}
    admin.patch(f"{counted.path}/w/status", json=status, headers=MERGE).raise_for_status()
    assert admin.get(scale).json()["status"] == {"replicas": 2, "selector": "a=b"}
    negative = admin.put(scale, json=body | {"spec": {"replicas": -3}})
    assert negative.json() == counted.invalid(
        "w", ("FieldValueInvalid", ".spec.size", "Invalid value: -3: should be a non-negative integer")
    )
    large = admin.put(scale, json=body | {"spec": {"replicas": 13}})
    assert large.json()["details"]["causes"][0]["message"] == (
        "Invalid value: 13: spec.size in body should be less than or equal to 9"
    )
    assert admin.get(f"{counted.path}/w").json()["spec"] == {"size": 3}


def test_discovery_has_the_scale(admin: httpx.Client, counted: Widgets) -> None:
    """Its group, version and kind are those of the Scale."""
    want = {"group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": ["get", "patch", "update"]}
    for path, name in (("/apis/apps/v1", "deployments"), (f"/apis/{counted.group}/v1", "widgets")):
        resources = {one["name"]: one for one in admin.get(path).json()["resources"]}
        assert resources[f"{name}/scale"].items() >= want.items()
