"""What `fieldValidation` says about unknown members: a rule of servers newer than the real one of these tests."""

from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import EmulatedApi
from tests.emulator.integration.kubernetes.statuses import failure
from tests.emulator.integration.kubernetes.widgets import Widgets, define

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
POD: dict[str, Any] = {
    "kind": "Pod",
    "apiVersion": "v1",
    "metadata": {"name": "web", "owner": "me"},
    "spec": {"containers": [{"name": "a", "image": "a", "cmd": ["b"]}], "replica": 1},
}
UNKNOWN = ['unknown field "spec.containers[0].cmd"', 'unknown field "spec.replica"', 'unknown field "metadata.owner"']


@pytest.fixture
def admin(emulated_api: EmulatedApi) -> httpx.Client:
    """Return a client that may do everything."""
    return emulated_api.client()


@pytest.fixture(scope="module")
def widgets(emulated_api: EmulatedApi) -> Widgets:
    """Define a custom kind."""
    return define(emulated_api.client(), "strict.example.com", "default")


def _warnings(answer: httpx.Response) -> list[str]:
    return answer.headers.get_list("warning")


def _shown(problem: str) -> str:
    quoted = problem.replace('"', '\\"')
    return f'299 - "{quoted}"'


def test_strict_refuses_unknown_members(admin: httpx.Client) -> None:
    """All of them at once, with their paths."""
    answer = admin.post(PODS, params={"fieldValidation": "Strict"}, json=POD)
    message = f'Pod in version "v1" cannot be handled as a Pod: strict decoding error: {", ".join(UNKNOWN)}'
    assert answer.json() == failure(400, "BadRequest", message)


@pytest.mark.parametrize("query", [{"fieldValidation": "Warn"}, {}], ids=["asked", "by default"])
def test_warn_drops_unknown_members_and_says_so(admin: httpx.Client, query: dict[str, str]) -> None:
    """One header for each."""
    answer = admin.post(PODS, params={"dryRun": "All"} | query, json=POD)
    assert answer.status_code == httpx.codes.CREATED
    assert _warnings(answer) == [_shown(problem) for problem in UNKNOWN]
    assert "replica" not in answer.json()["spec"]
    assert "owner" not in answer.json()["metadata"]


def test_ignore_drops_unknown_members_silently(admin: httpx.Client) -> None:
    """No header."""
    answer = admin.post(PODS, params={"dryRun": "All", "fieldValidation": "Ignore"}, json=POD)
    assert (answer.status_code, _warnings(answer)) == (httpx.codes.CREATED, [])
    assert "cmd" not in answer.json()["spec"]["containers"][0]


def test_an_unknown_directive_is_invalid(admin: httpx.Client) -> None:
    """The message lists those that exist."""
    answer = admin.post(PODS, params={"fieldValidation": "strict"}, json=POD)
    message = 'Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"'
    assert answer.json() == failure(
        422,
        "Invalid",
        f'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: {message}',
        details={
            "group": "meta.k8s.io",
            "kind": "CreateOptions",
            "causes": [{"reason": "FieldValueNotSupported", "message": message, "field": "fieldValidation"}],
        },
    )


@pytest.mark.parametrize(
    ("content_type", "patch", "shown"),
    [
        ("strategic-merge-patch", '{"spec": {"replica": 2}}', "map[spec:map[replica:2]]"),
        ("merge-patch", '{"spec": {"replica": 2}}', None),
    ],
    ids=["strategic merge patch", "merge patch"],
)
def test_a_patch_with_an_unknown_member_is_refused_or_warned_of(
    admin: httpx.Client, content_type: str, patch: str, shown: str | None
) -> None:
    """The refusal is a 422 that shows the patch, or what it makes of the object."""
    name = f"patched-{content_type}"
    admin.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
    headers = {"Content-Type": f"application/{content_type}+json"}
    answer = admin.patch(f"/api/v1/namespaces/{name}", content=patch, headers=headers)
    assert (answer.status_code, _warnings(answer)) == (200, [_shown('unknown field "spec.replica"')])
    strict = admin.patch(
        f"/api/v1/namespaces/{name}", params={"fieldValidation": "Strict"}, content=patch, headers=headers
    )
    assert (strict.status_code, strict.json()["reason"]) == (422, "Invalid")
    cause = strict.json()["details"]["causes"][0]
    assert (cause["field"], cause["reason"]) == ("patch", "FieldValueInvalid")
    assert cause["message"].endswith(': strict decoding error: unknown field "spec.replica"')
    assert shown is None or cause["message"].startswith(f'Invalid value: "{shown}"')


def test_an_update_is_strict_too(admin: httpx.Client) -> None:
    """The object stays as it is."""
    admin.post(MAPS, json={"metadata": {"name": "updated"}}).raise_for_status()
    body = {"metadata": {"name": "updated"}, "dat": {"a": "b"}}
    answer = admin.put(f"{MAPS}/updated", params={"fieldValidation": "Strict"}, json=body)
    message = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"'
    assert answer.json() == failure(400, "BadRequest", message)


def test_members_that_a_schema_lacks_are_unknown(admin: httpx.Client, widgets: Widgets) -> None:
    """In alphabetical order; members of maps and of open objects are known."""
    body = widgets.widget("strict", size=1, zone="a", any={"what": "ever"}, map={"a": "b"}) | {"about": 1}
    problems = ['unknown field "about"', 'unknown field "spec.zone"']
    answer = admin.post(widgets.path, params={"fieldValidation": "Strict"}, json=body)
    message = f'Widget in version "v1" cannot be handled as a Widget: strict decoding error: {", ".join(problems)}'
    assert answer.json() == failure(400, "BadRequest", message)
    warned = admin.post(widgets.path, json=body)
    assert warned.json()["spec"] == {"size": 1, "color": "red", "any": {"what": "ever"}, "map": {"a": "b"}}
    assert _warnings(warned) == [_shown(problem) for problem in problems]
