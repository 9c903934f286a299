"""Kinds that are defined at run time: schemas, the status subresource, generations, finalizers."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import EmulatedApi
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import DEFINITIONS, Widgets, define, definition

MERGE = {"Content-Type": "application/merge-patch+json"}
JSON_PATCH = {"Content-Type": "application/json-patch+json"}


@pytest.fixture
def w(admin: httpx.Client, widgets: Widgets) -> str:
    """Create an object; return its path."""
    admin.post(widgets.path, json=widgets.widget("w", size=1)).raise_for_status()
    return f"{widgets.path}/w"


def test_an_object_is_pruned_and_defaulted(admin: httpx.Client, widgets: Widgets) -> None:
    """Unknown members and nulls are dropped, defaults are added, and a status is not taken on creation."""
    body = widgets.widget("w", size=1, unknown=1, color=None, name=None, any={"x": {"y": None}}, map={"a": "b"})
    made = admin.post(widgets.path, json=body | {"status": {"ready": True}, "other": 1})
    assert made.status_code == 201
    spec = {"size": 1, "color": "red", "any": {"x": {"y": None}}, "map": {"a": "b"}}
    assert made.json()["spec"] == spec
    assert made.json()["metadata"]["generation"] == 1
    assert {"status", "other"}.isdisjoint(made.json())


@pytest.mark.parametrize(
    ("spec", "want_causes"),
    [
        pytest.param({}, [("FieldValueRequired", "spec.size", "Required value")], id="a missing member"),
        pytest.param(
            {"size": 0},
            [
                (
                    "FieldValueInvalid",
                    "spec.size",
                    "Invalid value: 0: spec.size in body should be greater than or equal to 1",
                )
            ],
            id="too small",
        ),
        pytest.param(
            {"size": 11},
            [
                (
                    "FieldValueInvalid",
                    "spec.size",
                    "Invalid value: 11: spec.size in body should be less than or equal to 10",
                )
            ],
            id="too large",
        ),
        pytest.param(
            {"size": 3.5},
            [
                (
                    "FieldValueInvalid",
                    "spec.size",
                    'Invalid value: "number": spec.size in body must be of type integer: "number"',
                )
            ],
            id="a fraction",
        ),
        pytest.param(
            {"size": 1, "color": "green"},
            [("FieldValueNotSupported", "spec.color", 'Unsupported value: "green": supported values: "red", "blue"')],
            id="none of an enumeration",
        ),
        pytest.param(
            {"size": 1, "name": "ABC"},
            [("FieldValueInvalid", "spec.name", "Invalid value: \"ABC\": spec.name in body should match '^[a-z]+$'")],
            id="against a pattern",
        ),
        pytest.param(
            {"size": 1, "name": "abcdefg"},
            [
                (
                    "FieldValueInvalid",
                    "spec.name",
                    'Invalid value: "abcdefg": spec.name in body should be at most 5 chars long',
                )
            ],
            id="too long",
        ),
        pytest.param(
            {"size": 1, "list": ["a", "b", "c"]},
            [("FieldValueInvalid", "spec.list", "Invalid value: 3: spec.list in body should have at most 2 items")],
            id="too many",
        ),
        pytest.param(
            {"size": 1, "list": [1]},
            [
                (
                    "FieldValueInvalid",
                    "spec.list",
                    'Invalid value: "integer": spec.list in body must be of type string: "integer"',
                )
            ],
            id="an item of another type",
        ),
        pytest.param(
            {"size": 1, "map": {"a": 1}},
            [
                (
                    "FieldValueInvalid",
                    "spec.map.a",
                    'Invalid value: "integer": spec.map.a in body must be of type string: "integer"',
                )
            ],
            id="a value of another type",
        ),
        pytest.param(
            {"size": 1, "port": True},
            [
                (
                    "FieldValueInvalid",
                    "spec.port",
                    'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
                )
            ],
            id="neither integer nor string",
        ),
        pytest.param(
            {"size": 1, "since": "x"},
            [
                (
                    "FieldValueInvalid",
                    "spec.since",
                    'Invalid value: "x": spec.since in body must be of type date-time: "x"',
                )
            ],
            id="no time",
        ),
    ],
)
def test_an_object_against_its_schema_is_refused(
    admin: httpx.Client, widgets: Widgets, spec: dict[str, Any], want_causes: list[tuple[str, str, str]]
) -> None:
    """The 422 has the cause, word for word."""
    answer = admin.post(widgets.path, json=widgets.widget("w", **spec))
    assert (answer.status_code, answer.json()) == (422, widgets.invalid("w", *want_causes))


def test_all_causes_are_told_at_once(admin: httpx.Client, widgets: Widgets) -> None:
    """The causes come in no particular order, as from the real server, whose maps have none."""
    answer = admin.post(widgets.path, json=widgets.widget("w", size="1", color="green", any=1, map=[]))
    causes = {(cause["reason"], cause["field"]) for cause in answer.json()["details"]["causes"]}
    assert causes == {
        ("FieldValueInvalid", "spec.size"),
        ("FieldValueNotSupported", "spec.color"),
        ("FieldValueInvalid", "spec.any"),
        ("FieldValueInvalid", "spec.map"),
    }


def test_a_patch_is_held_against_the_schema(admin: httpx.Client, widgets: Widgets, w: str) -> None:
    """The whole object is validated, whatever the patch touches."""
    answer = admin.patch(w, json=[{"op": "replace", "path": "/spec/size", "value": 0}], headers=JSON_PATCH)
    message = "Invalid value: 0: spec.size in body should be greater than or equal to 1"
    assert answer.json() == widgets.invalid("w", ("FieldValueInvalid", "spec.size", message))


def test_the_kind_of_an_object_must_fit(emulated_api: EmulatedApi) -> None:
    """The real server has another status for each of these."""
    admin = emulated_api.client()
    widgets = define(admin, "fits.example.com", "default")
    body = widgets.widget("w", size=1)
    for other in ({"kind": "Gadget"}, {"apiVersion": f"{widgets.group}/v2"}, {"apiVersion": None}):
        answer = admin.post(widgets.path, json=body | other)
        assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")
        assert "cannot be handled as a Widget" in answer.json()["message"]


def test_a_replacement_names_its_version(admin: httpx.Client, widgets: Widgets, w: str) -> None:
    """Custom kinds require a resource version; an old one conflicts."""
    answer = admin.put(w, json=widgets.widget("w", size=2))
    message = "Invalid value: 0x0: must be specified for an update"
    cause = {"reason": "FieldValueInvalid", "message": message, "field": "metadata.resourceVersion"}
    assert answer.json() == failure(
        422,
        "Invalid",
        f'widgets.{widgets.group} "w" is invalid: metadata.resourceVersion: {message}',
        details={"name": "w", "group": widgets.group, "kind": "widgets", "causes": [cause]},
    )
    current = admin.get(w).json()
    current["spec"]["size"] = 2
    assert admin.put(w, json=current).json()["spec"]["size"] == 2
    stale = admin.put(w, json=current)
    assert (stale.status_code, stale.json()["details"]) == (
        409,
        {"name": "w", "group": widgets.group, "kind": "widgets"},
    )


def test_status_and_spec_are_written_apart(admin: httpx.Client, w: str) -> None:
    """Writing the status or the spec leaves the other alone; only changes of the spec raise the generation."""
    spec = admin.patch(w, json={"spec": {"size": 2}, "status": {"ready": True}}, headers=MERGE).json()
    assert (spec["metadata"]["generation"], "status" in spec) == (2, False)
    status = admin.patch(f"{w}/status", json={"spec": {"size": 3}, "status": {"ready": True}}, headers=MERGE).json()
    assert (status["metadata"]["generation"], status["status"], status["spec"]["size"]) == (2, {"ready": True}, 2)
    labels = admin.patch(w, json={"metadata": {"labels": {"a": "b"}}}, headers=MERGE).json()
    assert (labels["metadata"]["generation"], labels["status"]) == (2, {"ready": True})
    assert admin.get(f"{w}/status").json() == admin.get(w).json()


def test_a_status_is_held_against_the_schema(admin: httpx.Client, widgets: Widgets, w: str) -> None:
    """A wrong status gets a 422, as a wrong spec does."""
    answer = admin.patch(f"{w}/status", json={"status": {"ready": "yes"}}, headers=MERGE)
    message = 'Invalid value: "string": status.ready in body must be of type boolean: "string"'
    assert answer.json() == widgets.invalid("w", ("FieldValueInvalid", "status.ready", message))


def test_a_kind_without_the_subresource_keeps_its_status_with_the_rest(admin: httpx.Client, namespace: str) -> None:
    """Changes of the status raise the generation."""
    widgets = define(admin, f"whole-{namespace}.example.com", namespace, subresources={})
    body = widgets.widget("w", size=1) | {"status": {"ready": False}}
    made = admin.post(widgets.path, json=body).json()
    assert made["status"] == {"ready": False}
    patched = admin.patch(f"{widgets.path}/w", json={"status": {"ready": True}}, headers=MERGE).json()
    assert (patched["status"], patched["metadata"]["generation"]) == ({"ready": True}, 2)
    answer = admin.get(f"{widgets.path}/w/status")
    assert (answer.status_code, answer.json()["message"]) == (404, f'widgets.{widgets.group} "w" not found')


def test_finalizers_hold_an_object_until_they_are_gone(admin: httpx.Client, w: str) -> None:
    """The first deletion marks the object, a second changes nothing, and removing the last finalizer deletes it."""
    admin.patch(w, json={"metadata": {"finalizers": ["example.com/x"]}}, headers=MERGE)
    marked = admin.delete(w)
    metadata = marked.json()["metadata"]
    assert marked.status_code == 200
    assert (metadata["deletionGracePeriodSeconds"], metadata["generation"]) == (0, 2)
    assert admin.delete(w).json() == marked.json()
    finalizers = {"metadata": {"finalizers": ["example.com/x", "example.com/y"]}}
    added = admin.patch(w, json=finalizers, headers=MERGE)
    want = (
        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
        '[]string{"example.com/y"}'
    )
    assert added.status_code == 422
    assert {cause["message"] for cause in added.json()["details"]["causes"]} == {want}
    last = admin.patch(w, json={"metadata": {"finalizers": None}}, headers=MERGE)
    assert (last.status_code, "finalizers" in last.json()["metadata"]) == (200, False)
    assert admin.get(w).status_code == 404


def test_a_definition_tells_what_it_accepted(admin: httpx.Client, widgets: Widgets) -> None:
    """The server fills in names, conditions and stored versions."""
    found = admin.get(f"{DEFINITIONS}/widgets.{widgets.group}").json()
    names = {
        "plural": "widgets",
        "singular": "widget",
        "shortNames": ["w"],
        "kind": "Widget",
        "listKind": "WidgetList",
    }
    assert found["spec"]["names"] == found["status"]["acceptedNames"] == names
    assert found["spec"]["conversion"] == {"strategy": "None"}
    assert found["status"]["storedVersions"] == ["v1"]
    conditions = {one["type"]: (one["status"], one["reason"]) for one in found["status"]["conditions"]}
    assert conditions == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert found["metadata"]["generation"] == 1


def test_a_bad_definition_is_refused(admin: httpx.Client) -> None:
    """The definition's name does not match its names, and its version has no schema."""
    body = definition("bad.example.com", schema=None)
    body["metadata"]["name"] = "other.bad.example.com"
    answer = admin.post(DEFINITIONS, json=body)
    assert answer.status_code == 422
    assert answer.json()["details"]["causes"] == [
        {
            "reason": "FieldValueInvalid",
            "message": 'Invalid value: "other.bad.example.com": must be spec.names.plural+"."+spec.group',
            "field": "metadata.name",
        },
        {
            "reason": "FieldValueRequired",
            "message": "Required value: schemas are required",
            "field": "spec.versions[0].schema.openAPIV3Schema",
        },
    ]
