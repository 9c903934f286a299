"""Namespaces: objects need one that exists, and are deleted with it."""

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import EmulatedApi
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets, define

MERGE = {"Content-Type": "application/merge-patch+json"}


def test_nothing_is_made_in_a_namespace_that_is_missing(admin: httpx.Client, widgets: Widgets) -> None:
    """The 404 names the namespace, and comes before any other check."""
    want = failure(404, "NotFound", 'namespaces "nope" not found', details={"name": "nope", "kind": "namespaces"})
    built_in = admin.post("/api/v1/namespaces/nope/configmaps", json={"metadata": {"name": "A_b"}})
    custom = admin.post(f"/apis/{widgets.group}/v1/namespaces/nope/widgets", json=widgets.widget("w", size=1))
    assert (built_in.status_code, built_in.json()) == (404, want)
    assert (custom.status_code, custom.json()) == (404, want)


def test_a_list_in_a_missing_namespace_is_empty(admin: httpx.Client) -> None:
    """Listing in a missing namespace is not an error."""
    answer = admin.get("/api/v1/namespaces/nope/configmaps")
    assert (answer.status_code, answer.json()["items"]) == (200, [])


def test_a_new_namespace_is_active(admin: httpx.Client, namespace: str) -> None:
    """The namespace's spec has the finalizer of the namespace controller."""
    found = admin.get(f"/api/v1/namespaces/{namespace}").json()
    assert found["spec"] == {"finalizers": ["kubernetes"]}
    assert found["status"] == {"phase": "Active"}


def test_a_namespace_has_the_name_of_a_label(admin: httpx.Client) -> None:
    """Unlike other names, a namespace's may not contain dots."""
    answer = admin.post("/api/v1/namespaces", json={"metadata": {"name": "a.b"}})
    assert answer.status_code == 422
    assert answer.json()["message"].startswith(
        'Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": a lowercase RFC 1123 label must consist of'
    )


def test_the_first_namespaces_stay(admin: httpx.Client) -> None:
    """A deletion of `default` gets a 403; the other namespaces that a cluster begins with are there."""
    answer = admin.delete("/api/v1/namespaces/default")
    assert answer.json() == failure(
        403,
        "Forbidden",
        'namespaces "default" is forbidden: this namespace may not be deleted',
        details={"name": "default", "kind": "namespaces"},
    )
    names = {item["metadata"]["name"] for item in admin.get("/api/v1/namespaces").json()["items"]}
    assert {"default", "kube-system", "kube-public", "kube-node-lease"} <= names


def test_a_deleted_namespace_terminates(admin: httpx.Client, config_maps: str, namespace: str) -> None:
    """The answer shows the namespace Terminating; while it lasts, nothing can be created in it."""
    admin.post(config_maps, json={"metadata": {"name": "held", "finalizers": ["example.com/x"]}}).raise_for_status()
    answer = admin.delete(f"/api/v1/namespaces/{namespace}")
    found = answer.json()
    assert (answer.status_code, found["kind"], found["status"]["phase"]) == (200, "Namespace", "Terminating")
    assert "deletionTimestamp" in found["metadata"]
    refused = admin.post(config_maps, json={"metadata": {"name": "late"}})
    assert refused.json() == failure(
        403,
        "Forbidden",
        f'configmaps "late" is forbidden: unable to create new content in namespace {namespace} because it is being '
        "terminated",
        details={
            "name": "late",
            "kind": "configmaps",
            "causes": [
                {
                    "reason": "NamespaceTerminating",
                    "message": f"namespace {namespace} is being terminated",
                    "field": "metadata.namespace",
                }
            ],
        },
    )


@pytest.fixture
def emulated_admin(emulated_api: EmulatedApi) -> httpx.Client:
    """Return a client of the emulated server: no controller runs behind the real one."""
    return emulated_api.client()


def test_a_namespace_ends_with_its_last_object(emulated_admin: httpx.Client) -> None:
    """A namespace's objects are deleted with it, custom ones too; an object with a finalizer keeps it."""
    emulated_admin.post("/api/v1/namespaces", json={"metadata": {"name": "ending"}}).raise_for_status()
    widgets = define(emulated_admin, "ending.example.com", "ending")
    emulated_admin.post(widgets.path, json=widgets.widget("w", size=1)).raise_for_status()
    maps = "/api/v1/namespaces/ending/configmaps"
    held = {"metadata": {"name": "held", "finalizers": ["example.com/x"]}}
    emulated_admin.post(maps, json=held).raise_for_status()
    emulated_admin.delete("/api/v1/namespaces/ending").raise_for_status()
    assert emulated_admin.get(f"{widgets.path}/w").status_code == 404
    assert emulated_admin.get("/api/v1/namespaces/ending").status_code == 200
    emulated_admin.patch(f"{maps}/held", json={"metadata": {"finalizers": []}}, headers=MERGE).raise_for_status()
    assert emulated_admin.get("/api/v1/namespaces/ending").status_code == 404


def test_a_namespace_with_two_kinds_of_objects_is_gone_when_the_answer_comes(emulated_admin: httpx.Client) -> None:
    """The answer is the namespace, Terminating, as `kubectl delete namespace` expects."""
    emulated_admin.post("/api/v1/namespaces", json={"metadata": {"name": "full"}}).raise_for_status()
    for plural, count in (("configmaps", 2), ("secrets", 2)):
        for number in range(count):
            body = {"metadata": {"name": f"n{number}"}}
            emulated_admin.post(f"/api/v1/namespaces/full/{plural}", json=body).raise_for_status()
    answer = emulated_admin.delete("/api/v1/namespaces/full")
    assert (answer.status_code, answer.json()["status"]) == (200, {"phase": "Terminating"})
    assert emulated_admin.get("/api/v1/namespaces/full").status_code == 404
    assert emulated_admin.get("/api/v1/namespaces/full/secrets").json()["items"] == []
