"""Server-side apply: who manages which field, conflicts, and what is removed when a manager lets go."""

from typing import Any

import httpx
import pytest

from emulator.json_object import Json
from tests.emulator.integration.kubernetes.access.grants import allow
from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets, define

APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
TEXT = {"type": "string"}
ITEM = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "size": {"type": "integer"}}}
SPEC = {
    "keyed": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": ITEM,
    },
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
    "plain": {"type": "array", "items": TEXT},
    "atom": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": TEXT, "b": TEXT}},
    "map": {"type": "object", "additionalProperties": TEXT},
    "size": {"type": "integer", "maximum": 9},
}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": SPEC},
        "status": {"type": "object", "properties": {"size": {"type": "integer"}}},
    },
}
DEPLOYMENT = {
    "selector": {"matchLabels": {"a": "b"}},
    "template": {
        "metadata": {"labels": {"a": "b"}},
        "spec": {
            "containers": [
                {
                    "name": "x",
                    "image": "i",
                    "ports": [{"containerPort": 80}],
                    "env": [{"name": "E", "value": "1"}],
                }
            ]
        },
    },
}


def _map(name: str = "a", meta: Json | None = None, **members: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name} | (meta or {})} | members


def _deployment(**spec: Any) -> Json:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}


def _apply(client: httpx.Client, path: str, body: Json, manager: str, **options: str) -> httpx.Response:
    return client.patch(path, json=body, headers=APPLY, params={"fieldManager": manager} | options)


def _managers(obj: Json) -> dict[str, Json]:
    """Return the fields of each manager, by name and operation."""
    listed = obj["metadata"].get("managedFields") or []
    return {f"{entry['manager']} {entry['operation']}": entry["fieldsV1"] for entry in listed}


def _conflict(*causes: tuple[str, str]) -> Json:
    """Return the Status of a conflict with (manager, field), of one manager."""
    lines = "\n".join(f"- {path}" for _, path in causes)
    what = f"1 conflict: conflict with {causes[0][0]}: {causes[0][1]}"
    if len(causes) > 1:
        what = f"{len(causes)} conflicts: conflicts with {causes[0][0]}:\n{lines}"
    details = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": path}
        for manager, path in causes
    ]
    return failure(409, "Conflict", f"Apply failed with {what}", details={"causes": details})


@pytest.fixture
def applied(admin: httpx.Client, namespace: str) -> Widgets:
    """Define a custom kind with every type of list and map."""
    version = {"schema": {"openAPIV3Schema": SCHEMA}}
    return define(admin, f"applied-{namespace}.example.com", namespace, **version)


def test_an_apply_creates_and_owns_what_it_names(admin: httpx.Client, config_maps: str) -> None:
    """The second time it changes nothing, not even the version."""
    body = _map(meta={"labels": {"l": "1"}}, data={"k": "v"})
    created = _apply(admin, f"{config_maps}/a", body, "one")
    assert created.status_code == 201
    assert _managers(created.json()) == {"one Apply": {"f:data": {"f:k": {}}, "f:metadata": {"f:labels": {"f:l": {}}}}}
    entry = created.json()["metadata"]["managedFields"][0]
    assert (entry["apiVersion"], entry["fieldsType"], "time" in entry) == ("v1", "FieldsV1", True)
    again = _apply(admin, f"{config_maps}/a", body, "one")
    assert (again.status_code, again.json()) == (200, created.json())


def test_an_apply_that_creates_needs_the_right_to_create(api: Api, namespace: str, config_maps: str) -> None:
    """The right to patch is enough only for an object that exists."""
    user, admin = f"patcher-{namespace}", api.client()
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch"]}
    allow(admin, user, rule, verb="patch", resource="configmaps")
    path = f"{config_maps}/a"
    refused = _apply(api.client(user), path, _map(data={"k": "v"}), "one")
    message = 'configmaps "a" is forbidden: '
    assert refused.json() == failure(403, "Forbidden", message, details={"name": "a", "kind": "configmaps"})
    _apply(admin, path, _map(data={"k": "v"}), "one").raise_for_status()
    assert _apply(api.client(user), path, _map(data={"l": "w"}), "two").json()["data"] == {"k": "v", "l": "w"}


def test_another_value_of_another_manager_is_a_conflict(admin: httpx.Client, config_maps: str) -> None:
    """Each field is a cause; nothing is written."""
    path = f"{config_maps}/a"
    before = _apply(admin, path, _map(data={"k": "v", "l": "w"}), "one").json()
    assert _apply(admin, path, _map(data={"k": "x", "l": "w"}), "two").json() == _conflict(('"one"', ".data.k"))
    both = _apply(admin, path, _map(data={"k": "x", "l": "y", "new": "z"}), "two")
    assert (both.status_code, both.json()) == (409, _conflict(('"one"', ".data.k"), ('"one"', ".data.l")))
    assert admin.get(path).json() == before


def test_the_same_value_is_shared(admin: httpx.Client, config_maps: str) -> None:
    """A shared field stays until its last manager lets go."""
    path = f"{config_maps}/a"
    _apply(admin, path, _map(data={"k": "v", "l": "w"}), "one").raise_for_status()
    _apply(admin, path, _map(data={"k": "v"}), "two").raise_for_status()
    assert _apply(admin, path, _map(), "one").json()["data"] == {"k": "v"}
    assert "data" not in _apply(admin, path, _map(), "two").json()


def test_force_takes_fields_over(admin: httpx.Client, config_maps: str) -> None:
    """The other manager keeps the rest."""
    path = f"{config_maps}/a"
    _apply(admin, path, _map(data={"k": "v", "l": "w"}), "one").raise_for_status()
    taken = _apply(admin, path, _map(data={"k": "x"}), "two", force="true").json()
    assert taken["data"] == {"k": "x", "l": "w"}
    assert _managers(taken) == {"one Apply": {"f:data": {"f:l": {}}}, "two Apply": {"f:data": {"f:k": {}}}}


def test_an_update_takes_over_what_it_changes(admin: httpx.Client, config_maps: str) -> None:
    """The next apply of the old value is then a conflict with the program that updated."""
    path = f"{config_maps}/a"
    _apply(admin, path, _map(data={"a": "1", "b": "2"}), "one").raise_for_status()
    patched = admin.patch(path, json={"data": {"a": "9", "c": "3"}}, headers=MERGE).json()
    assert _managers(patched) == {
        "one Apply": {"f:data": {"f:b": {}}},
        "contract Update": {"f:data": {"f:a": {}, "f:c": {}}},
    }
    refused = _apply(admin, path, _map(data={"a": "1", "b": "2"}), "one").json()
    assert refused["details"]["causes"][0]["field"] == ".data.a"
    assert refused["message"].startswith('Apply failed with 1 conflict: conflict with "contract" using v1')
    put = admin.put(path, json=_map(data={"a": "1", "c": "3"}), params={"fieldManager": "putter"}).json()
    assert _managers(put) == {"contract Update": {"f:data": {"f:c": {}}}, "putter Update": {"f:data": {"f:a": {}}}}


def test_a_create_owns_everything(admin: httpx.Client, config_maps: str) -> None:
    """An apply by somebody else shares equal values and conflicts on others."""
    body = _map(meta={"labels": {"l": "m"}, "finalizers": ["example.com/f"]}, data={"a": "b"})
    created = admin.post(config_maps, json=body, params={"fieldManager": "maker"}).json()
    assert _managers(created) == {
        "maker Update": {
            "f:data": {".": {}, "f:a": {}},
            "f:metadata": {
                "f:finalizers": {".": {}, 'v:"example.com/f"': {}},
                "f:labels": {".": {}, "f:l": {}},
            },
        }
    }
    path = f"{config_maps}/a"
    assert _apply(admin, path, _map(data={"a": "c"}), "one").status_code == 409
    shared = _apply(admin, path, _map(data={"a": "b"}), "one").json()
    assert _managers(shared)["one Apply"] == {"f:data": {"f:a": {}}}
    assert _apply(admin, path, _map(), "one").json()["data"] == {"a": "b"}


def test_managers_can_be_forgotten(admin: httpx.Client, config_maps: str) -> None:
    """What is there at the next apply then belongs to `before-first-apply`."""
    path = f"{config_maps}/a"
    _apply(admin, path, _map(data={"k": "v"}), "one").raise_for_status()
    reset = admin.patch(path, json={"metadata": {"managedFields": [{}]}}, headers=MERGE).json()
    assert "managedFields" not in reset["metadata"]
    want = _conflict(('"before-first-apply" using v1', ".data.k"))
    assert _apply(admin, path, _map(data={"k": "x"}), "two").json() == want
    added = _apply(admin, path, _map(data={"l": "w"}), "two").json()
    assert _managers(added) == {
        "two Apply": {"f:data": {"f:l": {}}},
        "before-first-apply Update": {"f:data": {".": {}, "f:k": {}}},
    }


def test_a_dry_run_conflicts_and_stores_nothing(admin: httpx.Client, config_maps: str) -> None:
    """Neither a new object nor a change is kept."""
    path = f"{config_maps}/a"
    assert _apply(admin, path, _map(data={"k": "v"}), "one", dryRun="All").status_code == 201
    assert admin.get(path).status_code == 404
    before = _apply(admin, path, _map(data={"k": "v"}), "one").json()
    assert _apply(admin, path, _map(data={"k": "x"}), "two", dryRun="All").status_code == 409
    shown = _apply(admin, path, _map(data={"l": "w"}), "two", dryRun="All").json()
    assert (shown["data"], admin.get(path).json()) == ({"k": "v", "l": "w"}, before)


def test_containers_are_told_apart_by_their_names(admin: httpx.Client, namespace: str) -> None:
    """Two managers share a Deployment; removing one's part leaves the other's."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"
    created = _apply(admin, path, _deployment(replicas=2, **DEPLOYMENT), "one")
    container = _managers(created.json())["one Apply"]["f:spec"]["f:template"]["f:spec"]["f:containers"]
    assert container == {
        'k:{"name":"x"}': {
            ".": {},
            "f:env": {'k:{"name":"E"}': {".": {}, "f:name": {}, "f:value": {}}},
            "f:image": {},
            "f:name": {},
            "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}},
        }
    }
    second = {"containers": [{"name": "x", "env": [{"name": "F", "value": "2"}]}, {"name": "y", "image": "j"}]}
    added = _apply(admin, path, _deployment(template={"spec": second}), "two").json()
    containers = {one["name"]: one for one in added["spec"]["template"]["spec"]["containers"]}
    assert [one["name"] for one in containers["x"]["env"]] == ["E", "F"]
    assert containers["y"]["image"] == "j"
    rivals = {"containers": [{"name": "x", "image": "k"}]}
    refused = _apply(admin, path, _deployment(replicas=3, template={"spec": rivals}), "two")
    image = '.spec.template.spec.containers[name="x"].image'
    assert refused.json() == _conflict(('"one"', ".spec.replicas"), ('"one"', image))
    only = {"containers": [{"name": "x"}]}
    left = _apply(admin, path, _deployment(template={"spec": only}), "two").json()
    assert [one["name"] for one in left["spec"]["template"]["spec"]["containers"]] == ["x"]
    assert [one["name"] for one in left["spec"]["template"]["spec"]["containers"][0]["env"]] == ["E"]


def test_defaults_belong_to_nobody_who_applies(admin: httpx.Client, namespace: str) -> None:
    """A member that its manager stops to apply gets its default again."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"
    created = _apply(admin, path, _deployment(replicas=2, **DEPLOYMENT), "one").json()
    assert created["spec"]["progressDeadlineSeconds"] == 600
    assert "f:progressDeadlineSeconds" not in _managers(created)["one Apply"]["f:spec"]
    assert _apply(admin, path, _deployment(**DEPLOYMENT), "one").json()["spec"]["replicas"] == 1


def test_an_empty_map_that_gets_defaults_can_be_applied_again(admin: httpx.Client, namespace: str) -> None:
    """Nobody owns the defaults, but the map stays, as its kind requires."""
    size = {"type": "integer", "default": 3}
    spec = {"type": "object", "properties": {"size": size}}
    schema = {"type": "object", "required": ["spec"], "properties": {"spec": spec}}
    widgets = define(admin, f"defaults-{namespace}.example.com", namespace, schema={"openAPIV3Schema": schema})
    for _ in range(3):
        answer = admin.patch(f"{widgets.path}/a", json=widgets.widget("a"), headers=APPLY, params={"fieldManager": "m"})
        assert answer.raise_for_status().json()["spec"] == {"size": 3}


def test_the_lists_of_a_custom_kind_are_what_its_schema_says(admin: httpx.Client, applied: Widgets) -> None:
    """Keyed lists, sets and maps are merged; other lists, and atomic maps, belong to one manager as a whole."""
    path = f"{applied.path}/w"
    spec = {"keyed": [{"name": "a", "size": 1}], "set": ["x", "y"], "plain": ["p"], "atom": {"a": "1"}}
    created = _apply(admin, path, applied.widget("w", map={"k": "v"}, **spec), "one")
    assert _managers(created.json()) == {
        "one Apply": {
            "f:spec": {
                "f:atom": {},
                "f:keyed": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:size": {}}},
                "f:map": {"f:k": {}},
                "f:plain": {},
                "f:set": {'v:"x"': {}, 'v:"y"': {}},
            }
        }
    }
    other = {"keyed": [{"name": "a", "size": 2}, {"name": "b"}], "set": ["y", "z"], "plain": ["q"], "atom": {"b": "1"}}
    refused = _apply(admin, path, applied.widget("w", **other), "two")
    fields = (".spec.atom", ".spec.plain", '.spec.keyed[name="a"].size')
    assert refused.json() == _conflict(*(('"one"', field) for field in fields))
    taken = _apply(admin, path, applied.widget("w", **other), "two", force="true").json()["spec"]
    assert (taken["atom"], taken["plain"], taken["map"]) == ({"b": "1"}, ["q"], {"k": "v"})
    assert sorted(taken["set"]) == ["x", "y", "z"]
    assert {one["name"]: one.get("size") for one in taken["keyed"]} == {"a": 2, "b": None}
    left = _apply(admin, path, applied.widget("w", set=["x"], map={"k": "v"}), "one").json()["spec"]
    assert (sorted(left["set"]), {one["name"] for one in left["keyed"]}) == (["x", "y", "z"], {"a", "b"})


@pytest.mark.parametrize(
    ("body", "want"),
    [
        pytest.param(
            _map(meta={"resourceVersion": "1"}, data={"z": "q"}),
            (
                409,
                "Conflict",
                (
                    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes '
                    "to the latest version and try again"
                ),
            ),
            id="of an old version",
        ),
        pytest.param(
            _map("other"),
            (
                400,
                "BadRequest",
                "the name of the object (other) does not match the name on the URL (a)",
            ),
            id="of another name",
        ),
        pytest.param(
            _map(meta={"namespace": "other"}),
            (
                400,
                "BadRequest",
                "the namespace of the object (other) does not match the namespace on the request ({namespace})",
            ),
            id="of another namespace",
        ),
        pytest.param(
            _map(meta={"managedFields": [{"manager": "x"}]}),
            (
                400,
                "BadRequest",
                "metadata.managedFields must be nil",
            ),
            id="with managers",
        ),
        pytest.param(
            _map(meta={"managedFields": []}),
            (400, "BadRequest", "metadata.managedFields must be nil"),
            id="with an empty list of managers",
        ),
        pytest.param(
            _map(spec={"z": "q"}),
            (
                500,
                "",
                "failed to create typed patch object: .spec: field not declared in schema",
            ),
            id="with an unknown member",
        ),
        pytest.param(
            _map(data={"z": 1}),
            (
                500,
                "",
                "failed to create typed patch object: .data.z: expected string, got &value.valueUnstructured{Value:1}",
            ),
            id="with a member of another type",
        ),
        pytest.param(
            _map(meta={"finalizers": ["x/y", "x/y"]}),
            (
                500,
                "",
                'failed to create typed patch object: .metadata.finalizers: duplicate entries for key [="x/y"]',
            ),
            id="with an item twice",
        ),
    ],
)
def test_what_cannot_be_applied_is_refused(
    admin: httpx.Client, config_maps: str, namespace: str, body: Any, want: tuple[int, str, str]
) -> None:
    """The words are those of the real server."""
    status, reason, message = want
    _apply(admin, f"{config_maps}/a", _map(data={"k": "v"}), "one").raise_for_status()
    answer = _apply(admin, f"{config_maps}/a", body, "two")
    found = answer.json()
    assert (answer.status_code, found.get("reason", "")) == (status, reason)
    assert found["message"] == message.replace("{namespace}", namespace)


def test_an_apply_names_its_manager(admin: httpx.Client, config_maps: str) -> None:
    """The refusal names the option."""
    answer = admin.patch(f"{config_maps}/a", json=_map(), headers=APPLY)
    want = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
    assert (answer.status_code, answer.json()["message"]) == (422, want)


def test_a_custom_object_is_validated_after_the_merge(admin: httpx.Client, applied: Widgets) -> None:
    """Its schema's limits, its keys, and its members."""
    path = f"{applied.path}/w"
    _apply(admin, path, applied.widget("w", size=1), "one").raise_for_status()
    over = _apply(admin, path, applied.widget("w", size=10), "one")
    assert over.json()["message"].endswith("spec.size in body should be less than or equal to 9")
    typed = "failed to create typed patch object: .spec"
    unknown = _apply(admin, path, applied.widget("w", other=1), "two")
    assert (unknown.status_code, unknown.json()["message"]) == (500, f"{typed}.other: field not declared in schema")
    words = _apply(admin, path, applied.widget("w", size="x"), "two")
    assert words.json()["message"] == f"{typed}.size: expected numeric (int or float), got *value.valueUnstructured"


def test_the_status_is_applied_through_its_own_path(admin: httpx.Client, namespace: str, applied: Widgets) -> None:
    """The status of nothing is not found."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"
    _apply(admin, path, _deployment(**DEPLOYMENT), "one").raise_for_status()
    body = _deployment() | {"status": {"replicas": 3, "conditions": [{"type": "A", "status": "True"}]}}
    written = _apply(admin, f"{path}/status", body, "counter").json()
    assert (written["status"]["replicas"], written["spec"]["replicas"]) == (3, 1)
    conditions = _managers(written)["counter Apply"]["f:status"]["f:conditions"]
    assert conditions == {'k:{"type":"A"}': {".": {}, "f:status": {}, "f:type": {}}}
    assert _apply(admin, f"{path}x/status", body, "counter").status_code == 404
    _apply(admin, f"{applied.path}/w", applied.widget("w", size=1), "one").raise_for_status()
    sized = {**applied.widget("w"), "status": {"size": 2}}
    assert _apply(admin, f"{applied.path}/w/status", sized, "counter").json()["status"] == {"size": 2}


@pytest.fixture
def emulated_admin(emulated_api: EmulatedApi) -> httpx.Client:
    """Return a client of the emulated server: the real one of these tests is older than what it is asked for."""
    return emulated_api.client()


def test_a_manager_of_a_subresource_is_another_one(emulated_admin: httpx.Client) -> None:
    """Since 1.22, entries name the subresource, and replicas belong to who scaled last."""
    admin, path = emulated_admin, "/apis/apps/v1/namespaces/default/deployments/d"
    _apply(admin, path, _deployment(replicas=2, **DEPLOYMENT), "one").raise_for_status()
    admin.patch(f"{path}/scale", json={"spec": {"replicas": 5}}, headers=MERGE).raise_for_status()
    refused = _apply(admin, path, _deployment(replicas=2, **DEPLOYMENT), "one")
    want = _conflict(('"contract" with subresource "scale" using apps/v1', ".spec.replicas"))
    assert refused.json() == want
    kept = _apply(admin, path, _deployment(**DEPLOYMENT), "one").json()
    assert kept["spec"]["replicas"] == 5


def test_what_the_cluster_changes_is_its_own(emulated_api: EmulatedApi) -> None:
    """An operator inside the process takes fields over as any client does."""
    admin, path = emulated_api.client(), "/api/v1/namespaces/default/configmaps/shared"
    _apply(admin, path, _map("shared", data={"k": "v"}), "one").raise_for_status()
    emulated_api.put(_map("shared", meta={"namespace": "default"}, data={"k": "operator"}))
    refused = _apply(admin, path, _map("shared", data={"k": "v"}), "one")
    assert refused.json() == _conflict(('"openshift" using v1', ".data.k"))


def test_a_merged_list_has_the_order_of_the_applied_one(emulated_admin: httpx.Client) -> None:
    """Items that others own stay beside their neighbours."""
    path = "/apis/apps/v1/namespaces/default/deployments/d"
    emulated_admin.delete(path)
    containers = [{"name": name, "image": "i"} for name in ("a", "b", "c")]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}
    spec = DEPLOYMENT | {"template": template}
    _apply(emulated_admin, path, _deployment(**spec), "one").raise_for_status()
    second = {"spec": {"containers": [{"name": "new", "image": "j"}, {"name": "c"}, {"name": "a"}]}}
    found = _apply(emulated_admin, path, _deployment(template=second), "two").json()
    assert [one["name"] for one in found["spec"]["template"]["spec"]["containers"]] == ["b", "new", "c", "a"]


def test_an_apply_creates_only_what_has_a_name_and_no_uid(admin: httpx.Client, config_maps: str) -> None:
    """The name in the path does not stand in for that of the object."""
    nameless = _apply(admin, f"{config_maps}/new", {"apiVersion": "v1", "kind": "ConfigMap"}, "one")
    message = "the name of the object (new based on URL) was undeterminable: name must be provided"
    assert nameless.json() == failure(400, "BadRequest", message)
    known = _apply(admin, f"{config_maps}/a", _map(meta={"uid": "1"}), "one")
    why = "uid mismatch: the provided object specified uid 1, and no existing object was found"
    message = f'Operation cannot be fulfilled on configmaps "a": {why}'
    assert known.json() == failure(409, "Conflict", message, details={"name": "a", "kind": "configmaps"})
