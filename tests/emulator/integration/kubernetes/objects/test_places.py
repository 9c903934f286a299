"""Where an object is: what its body says of name, namespace, uid and version, against what the path says."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import DEFINITIONS, definition, established

MERGE = {"Content-Type": "application/merge-patch+json"}
CLUSTER_SCOPED = ("/api/v1/nodes", "/apis/rbac.authorization.k8s.io/v1/clusterroles")


@pytest.mark.parametrize("path", CLUSTER_SCOPED)
def test_an_object_of_the_cluster_has_no_namespace(admin: httpx.Client, namespace: str, path: str) -> None:
    """A namespace in the body is dropped, so the object exists once, whatever its body says."""
    name = f"placed-{namespace}"
    created = admin.post(path, json={"metadata": {"name": name, "namespace": "default"}})
    assert (created.status_code, created.json()["metadata"].get("namespace")) == (201, None)
    again = admin.post(path, json={"metadata": {"name": name, "namespace": "other"}})
    assert (again.status_code, again.json()["reason"]) == (409, "AlreadyExists")
    patched = admin.patch(f"{path}/{name}", json={"metadata": {"namespace": "other"}}, headers=MERGE)
    assert (patched.status_code, patched.json()["metadata"].get("namespace")) == (200, None)


def test_a_namespace_is_in_no_other_namespace(admin: httpx.Client, namespace: str) -> None:
    """A new one drops it; an update is refused, because a namespace's path counts as inside of it."""
    made = admin.post("/api/v1/namespaces", json={"metadata": {"name": f"in-{namespace}", "namespace": "other"}})
    assert (made.status_code, made.json()["metadata"].get("namespace")) == (201, None)
    moved = admin.patch(f"/api/v1/namespaces/{namespace}", json={"metadata": {"namespace": "other"}}, headers=MERGE)
    assert moved.json() == failure(
        400,
        "BadRequest",
        f"the namespace of the object (other) does not match the namespace on the request ({namespace})",
    )


def test_a_custom_object_of_the_cluster_has_no_namespace(admin: httpx.Client, namespace: str) -> None:
    """Otherwise there could be two ClusterVersions named `version`."""
    group = f"{namespace}.example.com"
    crd = definition(group)
    crd["spec"]["scope"] = "Cluster"
    admin.post(DEFINITIONS, json=crd).raise_for_status()
    path = f"/apis/{group}/v1/widgets"
    established(admin, group, path)
    widget = {"apiVersion": f"{group}/v1", "kind": "Widget", "spec": {"size": 1}}
    created = admin.post(path, json=widget | {"metadata": {"name": "version", "namespace": "default"}})
    assert (created.status_code, created.json()["metadata"].get("namespace")) == (201, None)
    again = admin.post(path, json=widget | {"metadata": {"name": "version"}})
    assert (again.status_code, again.json()["reason"]) == (409, "AlreadyExists")


def test_an_operator_s_object_of_the_cluster_has_no_namespace(emulated_api: EmulatedApi) -> None:
    """What is written inside the process follows the same rules."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "of-operator", "namespace": "default"}}
    assert "namespace" not in emulated_api.put(node)["metadata"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_update_cannot_move_an_object(admin: httpx.Client, config_maps: str, namespace: str, method: str) -> None:
    """Another namespace gets a 400 that names both; so does another name."""
    admin.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    headers = MERGE if method == "PATCH" else {}
    moved = admin.request(
        method, f"{config_maps}/a", json={"metadata": {"name": "a", "namespace": "b"}}, headers=headers
    )
    assert moved.json() == failure(
        400, "BadRequest", f"the namespace of the object (b) does not match the namespace on the request ({namespace})"
    )
    renamed = admin.request(method, f"{config_maps}/a", json={"metadata": {"name": "b"}}, headers=headers)
    assert renamed.json() == failure(
        400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)"
    )


def test_an_update_of_version_0_is_of_whatever_version(admin: httpx.Client, config_maps: str) -> None:
    """For a built-in kind, 0 means that the client does not care."""
    admin.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    body = {"metadata": {"name": "a", "resourceVersion": "0"}, "data": {"k": "v"}}
    assert admin.put(f"{config_maps}/a", json=body).json()["data"] == {"k": "v"}


def test_a_long_prefix_is_cut_for_the_generated_name(admin: httpx.Client, config_maps: str) -> None:
    """The name fits a label; the prefix is kept as it was sent."""
    made = admin.post(config_maps, json={"metadata": {"generateName": "a" * 80}}).json()["metadata"]
    assert (len(made["name"]), made["name"][:58], made["generateName"]) == (63, "a" * 58, "a" * 80)


@pytest.mark.parametrize("prefix", ["Bad_", "a" * 260])
def test_a_bad_prefix_is_refused_even_beside_a_name(admin: httpx.Client, config_maps: str, prefix: str) -> None:
    """It follows the rules of names, except for a dash at its end."""
    answer = admin.post(config_maps, json={"metadata": {"name": "a", "generateName": prefix}})
    fields = [cause["field"] for cause in answer.json()["details"]["causes"]]
    assert (answer.status_code, fields) == (422, ["metadata.generateName"])
    assert admin.post(config_maps, json={"metadata": {"generateName": "a-"}}).status_code == 201


@pytest.mark.parametrize(
    ("condition", "want"),
    [
        (
            "uid",
            (
                "the UID in the precondition (z) does not match the UID in record ({uid}). The object might have been "
                "deleted and then recreated"
            ),
        ),
        (
            "resourceVersion",
            (
                "the ResourceVersion in the precondition (z) does not match the ResourceVersion in record "
                "({resourceVersion}). The object might have been modified"
            ),
        ),
    ],
)
def test_a_deletion_of_another_object_is_refused(
    admin: httpx.Client, config_maps: str, condition: str, want: str
) -> None:
    """The refusal names the condition and the truth."""
    found: dict[str, Any] = admin.post(config_maps, json={"metadata": {"name": "a"}}).json()["metadata"]
    answer = admin.request("DELETE", f"{config_maps}/a", json={"preconditions": {condition: "z"}})
    message = f'Operation cannot be fulfilled on ConfigMap "a": {want.format(**found)}'
    assert answer.json() == failure(409, "Conflict", message, details={"name": "a", "kind": "ConfigMap"})


def test_a_deletion_is_a_dry_run_or_none(admin: httpx.Client, config_maps: str) -> None:
    """In the query as in the body; another value is refused, and nothing is deleted."""
    admin.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    message = 'Unsupported value: []string{"Some"}: supported values: "All"'
    want = f'DeleteOptions.meta.k8s.io "" is invalid: dryRun: {message}'
    for path in (f"{config_maps}/a", config_maps):
        for options in ({"json": {"dryRun": ["Some"]}}, {"params": {"dryRun": "Some"}}):
            answer = admin.request("DELETE", path, **options)
            assert (answer.status_code, answer.json()["message"]) == (422, want)
        for options in ({"json": {"dryRun": ["All"]}}, {"params": {"dryRun": "All"}}):
            assert admin.request("DELETE", path, **options).status_code == 200
    assert admin.get(f"{config_maps}/a").status_code == 200


def test_protobuf_is_answered_in_json_if_the_client_takes_both(admin: httpx.Client) -> None:
    """Go's typed clients ask so."""
    accept = {"Accept": "text/x-unknown,application/json"}
    assert admin.get("/api/v1/namespaces/default", headers=accept).json()["kind"] == "Namespace"


@pytest.mark.parametrize("body", [b"{}", b"k8s\0", b"k8s\0\x0a\x0f\x0a\x02v1"], ids=["JSON", "nothing", "cut"])
def test_a_body_that_is_not_protobuf_is_refused(admin: httpx.Client, body: bytes) -> None:
    """With 400, though its Content-Type says that it is."""
    headers = {"Content-Type": "application/vnd.kubernetes.protobuf"}
    answer = admin.post("/api/v1/namespaces", content=body, headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")


def test_answers_are_not_in_protobuf(emulated_api: Api) -> None:
    """A client that takes nothing else is refused."""
    admin, protobuf = emulated_api.client(), "application/vnd.kubernetes.protobuf"
    for path in ("/api/v1/namespaces/default", "/api", "/apis/apps/v1", "/version"):
        assert admin.get(path, headers={"Accept": protobuf}).status_code == 406
        both = admin.get(path, headers={"Accept": f"{protobuf},application/json"})
        assert (both.status_code, both.headers["Content-Type"]) == (200, "application/json")
