"""Patches by content type, and a 415 for a type that a kind does not take."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets

JSON_PATCH = {"Content-Type": "application/json-patch+json"}
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
REJECTED = "the server rejected our request due to an error in our request"


@pytest.fixture
def a(admin: httpx.Client, config_maps: str) -> str:
    """Create a ConfigMap; return its path."""
    admin.post(config_maps, json={"metadata": {"name": "a"}, "data": {"k": "v"}}).raise_for_status()
    return f"{config_maps}/a"


def test_a_merge_patch_sets_and_removes(admin: httpx.Client, a: str) -> None:
    """Null removes a member."""
    patched = admin.patch(a, json={"data": {"k": None, "n": "1"}}, headers=MERGE)
    assert (patched.status_code, patched.json()["data"]) == (200, {"n": "1"})


@pytest.mark.parametrize(
    ("operations", "want_data"),
    [
        ([{"op": "add", "path": "/data/n", "value": "1"}], {"k": "v", "n": "1"}),
        ([{"op": "replace", "path": "/data/k", "value": "2"}], {"k": "2"}),
        ([{"op": "replace", "path": "/data/missing", "value": "2"}], {"k": "v", "missing": "2"}),
        ([{"op": "copy", "from": "/data/k", "path": "/data/n"}], {"k": "v", "n": "v"}),
        ([{"op": "move", "from": "/data/k", "path": "/data/n"}], {"n": "v"}),
        ([{"op": "add", "path": "/data/a~1b", "value": "x"}, {"op": "remove", "path": "/data/a~1b"}], {"k": "v"}),
        ([{"op": "test", "path": "/data/k", "value": "v"}], {"k": "v"}),
    ],
    ids=["add", "replace", "replace what is missing", "copy", "move", "add and remove", "test"],
)
def test_a_json_patch_is_applied(
    admin: httpx.Client, a: str, operations: list[dict[str, Any]], want_data: dict[str, str]
) -> None:
    """Each operation works; `replace` adds a missing member, as on the real server."""
    patched = admin.patch(a, json=operations, headers=JSON_PATCH)
    assert (patched.status_code, patched.json().get("data")) == (200, want_data)


@pytest.mark.parametrize(
    "operations",
    [
        [{"op": "test", "path": "/data/k", "value": "2"}],
        [{"op": "remove", "path": "/data/missing"}],
        [{"op": "bad", "path": "/data/k"}],
        [{"op": "add", "path": "/nowhere/k", "value": "x"}],
        [{"op": "add", "path": "/data/n", "value": "1"}, {"op": "test", "path": "/data/n", "value": "2"}],
    ],
    ids=["a test that fails", "a missing member", "no operation", "a missing parent", "the second of two"],
)
def test_a_json_patch_that_does_not_apply_changes_nothing(
    admin: httpx.Client, a: str, operations: list[dict[str, Any]]
) -> None:
    """The answer is a 422 without a cause, and none of the operations takes effect."""
    answer = admin.patch(a, json=operations, headers=JSON_PATCH)
    assert (answer.status_code, answer.json()) == (422, failure(422, "Invalid", REJECTED, details={}))
    assert admin.get(a).json()["data"] == {"k": "v"}


def test_what_is_no_patch_is_refused(admin: httpx.Client, a: str) -> None:
    """The errors have the real server's words; a content type that is not a patch gets a 415."""
    no_list = admin.patch(a, json={"a": 1}, headers=JSON_PATCH).json()
    assert no_list == failure(400, "BadRequest", "json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    broken = admin.patch(a, content=b"{", headers=MERGE).json()
    assert broken == failure(500, "", "Invalid JSON Patch")
    plain = admin.patch(a, json={})
    assert plain.json() == failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", details={})


def test_identity_cannot_be_patched(admin: httpx.Client, a: str) -> None:
    """A new name gets a 400, a new uid a 422."""
    name = admin.patch(a, json={"metadata": {"name": "q"}}, headers=MERGE).json()
    assert name == failure(400, "BadRequest", "the name of the object (q) does not match the name on the URL (a)")
    uid = admin.patch(a, json={"metadata": {"uid": "q"}}, headers=MERGE)
    cause = {
        "reason": "FieldValueInvalid",
        "message": 'Invalid value: "q": field is immutable',
        "field": "metadata.uid",
    }
    assert uid.status_code == 422
    assert cause in uid.json()["details"]["causes"]


@pytest.fixture
def node(admin: httpx.Client, namespace: str) -> str:
    """Create a node with two conditions; return its path."""
    status = {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Disk", "status": "True"}]}
    made = admin.post("/api/v1/nodes", json={"metadata": {"name": namespace}, "status": status})
    made.raise_for_status()
    return f"/api/v1/nodes/{namespace}"


@pytest.mark.parametrize(
    ("patch", "want_conditions"),
    [
        ([{"type": "Ready", "status": "False"}], {"Ready": "False", "Disk": "True"}),
        ([{"type": "Memory", "status": "True"}], {"Ready": "True", "Disk": "True", "Memory": "True"}),
        ([{"type": "Ready", "$patch": "delete"}], {"Disk": "True"}),
        ([{"$patch": "replace"}, {"type": "Memory", "status": "True"}], {"Memory": "True"}),
    ],
    ids=["merged by type", "added", "deleted", "replaced"],
)
def test_a_strategic_merge_patch_knows_the_keys_of_lists(
    admin: httpx.Client, node: str, patch: list[dict[str, str]], want_conditions: dict[str, str]
) -> None:
    """Conditions are merged by type."""
    answer = admin.patch(f"{node}/status", json={"status": {"conditions": patch}}, headers=STRATEGIC)
    assert answer.status_code == 200
    found = {one["type"]: one["status"] for one in answer.json()["status"]["conditions"]}
    assert found == want_conditions


def test_a_strategic_merge_patch_merges_containers_and_replaces_plain_lists(
    admin: httpx.Client, namespace: str
) -> None:
    """Containers are merged by name, ports of a Service by port; a list of arguments is replaced as a whole."""
    container = {"name": "c", "image": "i:1", "args": ["a", "b"], "env": [{"name": "A", "value": "1"}]}
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": pod}
    admin.post(path, json={"metadata": {"name": "d"}, "spec": spec}).raise_for_status()
    change = {"name": "c", "args": ["z"], "env": [{"name": "B", "value": "2"}]}
    patch = {"spec": {"template": {"spec": {"containers": [change, {"name": "e", "image": "j:1"}]}}}}
    answer = admin.patch(f"{path}/d", json=patch, headers=STRATEGIC).json()
    containers = {one["name"]: one for one in answer["spec"]["template"]["spec"]["containers"]}
    assert (containers["c"]["image"], containers["c"]["args"]) == ("i:1", ["z"])
    assert {one["name"] for one in containers["c"]["env"]} == {"A", "B"}
    assert containers["e"]["image"] == "j:1"
    services = f"/api/v1/namespaces/{namespace}/services"
    ports = [{"name": "http", "port": 80}, {"name": "https", "port": 443}]
    admin.post(services, json={"metadata": {"name": "s"}, "spec": {"ports": ports}}).raise_for_status()
    https = {"spec": {"ports": [{"port": 443, "targetPort": 8443}]}}
    found = admin.patch(f"{services}/s", json=https, headers=STRATEGIC).json()["spec"]["ports"]
    assert {one["port"]: one["targetPort"] for one in found} == {80: 80, 443: 8443}


def test_finalizers_are_a_set_for_a_strategic_merge_patch(admin: httpx.Client, a: str) -> None:
    """Finalizers are merged, and removed by name."""
    admin.patch(a, json={"metadata": {"finalizers": ["example.com/a"]}}, headers=STRATEGIC)
    two = admin.patch(a, json={"metadata": {"finalizers": ["example.com/b"]}}, headers=STRATEGIC).json()
    assert sorted(two["metadata"]["finalizers"]) == ["example.com/a", "example.com/b"]
    gone = {"$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/b"]}
    none = admin.patch(a, json={"metadata": gone}, headers=STRATEGIC).json()
    assert "finalizers" not in none["metadata"]


def test_a_custom_kind_takes_no_strategic_merge_patch(admin: httpx.Client, widgets: Widgets) -> None:
    """The 415 lists the types that the kind takes; a merge patch works, and replaces lists."""
    admin.post(widgets.path, json=widgets.widget("w", size=1, list=["a"])).raise_for_status()
    answer = admin.patch(f"{widgets.path}/w", json={"spec": {"size": 2}}, headers=STRATEGIC)
    assert answer.status_code == 415
    assert answer.json() == failure(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    )
    merged = admin.patch(f"{widgets.path}/w", json={"spec": {"list": ["b"]}}, headers=MERGE).json()
    assert merged["spec"] == {"size": 1, "color": "red", "list": ["b"]}


DEPLOYMENT = {
    "metadata": {"name": "d"},
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    },
}


@pytest.mark.parametrize(
    ("headers", "patch"),
    [
        (MERGE, {"data": {"k": 1}}),
        (MERGE, {"data": ["v"]}),
        (MERGE, {"metadata": {"labels": {"a": True}}}),
        (MERGE, {"metadata": {"labels": "a"}}),
        (MERGE, {"kind": "Secret"}),
        (MERGE, {"apiVersion": "v2"}),
        (JSON_PATCH, [{"op": "add", "path": "/data/k", "value": 1}]),
        (JSON_PATCH, [{"op": "replace", "path": "/metadata", "value": []}]),
    ],
    ids=["number", "list", "label", "labels", "kind", "version", "JSON patch", "metadata"],
)
def test_a_patch_after_which_an_object_does_not_fit_its_kind_is_invalid(
    admin: httpx.Client, a: str, headers: dict[str, str], patch: Any
) -> None:
    """The 422 is about the patch, and shows the whole object; the rest of its message is the decoder's."""
    answer = admin.patch(a, json=patch, headers=headers)
    (cause,) = answer.json()["details"]["causes"]
    assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")
    assert (cause["reason"], cause["field"]) == ("FieldValueInvalid", "patch")
    assert answer.json()["message"] == f' "" is invalid: patch: {cause["message"]}'
    assert cause["message"].startswith('Invalid value: "{\\"apiVersion\\":\\"v')
    assert admin.get(a).json()["data"] == {"k": "v"}


def test_a_secret_is_not_patched_with_plain_text(admin: httpx.Client, namespace: str) -> None:
    """Its data is Base64, whatever patches it."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    admin.post(path, json={"metadata": {"name": "s"}, "data": {"a": "YQ=="}}).raise_for_status()
    answers = [admin.patch(f"{path}/s", json={"data": {"a": "hello"}}, headers=one) for one in (MERGE, STRATEGIC)]
    assert [answer.status_code for answer in answers] == [422, 422]


@pytest.mark.parametrize(
    ("container", "want_message"),
    [
        ({"image": "j"}, "map: map[image:j] does not contain declared merge key: name"),
        ({"name": "c", "$patch": "nope"}, "unknown patch type: nope in map: map[$patch:nope name:c]"),
    ],
    ids=["no key", "no directive"],
)
def test_an_item_that_cannot_be_merged_is_an_unforeseen_error(
    admin: httpx.Client, namespace: str, container: dict[str, str], want_message: str
) -> None:
    """It shows the item as Go does."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    admin.post(path, json=DEPLOYMENT).raise_for_status()
    patch = {"spec": {"template": {"spec": {"containers": [container]}}}}
    assert admin.patch(f"{path}/d", json=patch, headers=STRATEGIC).json() == failure(500, "", want_message)


def test_a_strategic_merge_patch_is_an_object(admin: httpx.Client, a: str) -> None:
    """Anything else is a bad request."""
    for text in ("[]", "{"):
        assert admin.patch(a, content=text, headers=STRATEGIC).status_code == httpx.codes.BAD_REQUEST


def test_a_patch_cannot_remove_the_name(admin: httpx.Client, a: str) -> None:
    """Nor all metadata."""
    message = "the name of the object (a based on URL) was undeterminable: name must be provided"
    for patch in ({"metadata": None}, {"metadata": {"name": None}}):
        assert admin.patch(a, json=patch, headers=MERGE).json() == failure(400, "BadRequest", message)


def test_an_operation_without_a_value_writes_null(admin: httpx.Client, a: str) -> None:
    """Null among texts is an empty text; what stands before the first slash of a path means nothing."""
    operations = [{"op": "add", "path": "/data/n"}, {"op": "add", "path": "here/data/m", "value": "1"}]
    patched = admin.patch(a, json=operations, headers=JSON_PATCH)
    assert (patched.status_code, patched.json().get("data")) == (200, {"k": "v", "m": "1", "n": ""})


@pytest.mark.parametrize(
    ("patch", "want_names"),
    [
        ({"containers": [{"name": "z", "image": "i"}]}, "zabc"),
        ({"containers": [{"name": "z", "image": "i"}, {"name": "b", "image": "j"}]}, "zabc"),
        ({"containers": [{"name": "c", "image": "j"}, {"name": "a", "image": "j"}]}, "bca"),
        ({"containers": [{"name": "a", "$patch": "delete"}, {"name": "z", "image": "i"}]}, "zbc"),
        ({"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}, "bca"),
        (
            {
                "$setElementOrder/containers": [{"name": "a"}, {"name": "z"}, {"name": "c"}],
                "containers": [{"name": "z", "image": "i"}],
            },
            "azbc",
        ),
    ],
    ids=["new", "new and old", "turned", "deleted", "order", "order and new"],
)
def test_a_strategic_merge_patch_decides_the_order_of_what_it_names(
    admin: httpx.Client, namespace: str, patch: dict[str, Any], want_names: str
) -> None:
    """New items come first; what the patch does not name stays before what followed it."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    containers = [{"name": name, "image": "i"} for name in "abc"]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    admin.post(path, json={"metadata": {"name": "d"}, "spec": spec}).raise_for_status()
    answer = admin.patch(f"{path}/d", json={"spec": {"template": {"spec": patch}}}, headers=STRATEGIC)
    found = answer.raise_for_status().json()["spec"]["template"]["spec"]["containers"]
    assert "".join(one["name"] for one in found) == want_names


def test_new_finalizers_come_before_old_ones(admin: httpx.Client, a: str) -> None:
    """A set has the order of a list that is merged by key."""
    for names in (["x.com/a", "x.com/b"], ["x.com/c", "x.com/b"]):
        found = admin.patch(a, json={"metadata": {"finalizers": names}}, headers=STRATEGIC).json()
    assert found["metadata"]["finalizers"] == ["x.com/c", "x.com/a", "x.com/b"]
