"""Watches: the events that a client gets while it follows a kind."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from kubernetes import client, watch

from tests.emulator.integration.kubernetes.servers import Api
from tests.emulator.integration.kubernetes.widgets import Widgets

MERGE = {"Content-Type": "application/merge-patch+json"}
Event = tuple[str, str]


def _events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in answer.iter_lines():
        yield json.loads(line)


def _short(event: dict[str, Any]) -> Event:
    return event["type"], event["object"]["metadata"].get("name", "")


def _version(admin: httpx.Client, path: str) -> str:
    version: str = admin.get(path).json()["metadata"]["resourceVersion"]
    return version


def test_a_watch_tells_changes_from_a_version_on(admin: httpx.Client, config_maps: str) -> None:
    """Past and future changes arrive, each with the object as it then was."""
    version = _version(admin, config_maps)
    admin.post(config_maps, json={"metadata": {"name": "a"}, "data": {"k": "1"}})
    query = {"watch": "true", "resourceVersion": version, "fieldSelector": "metadata.name=a"}
    with admin.stream("GET", config_maps, params=query) as answer:
        assert answer.headers["content-type"] == "application/json"
        events = _events(answer)
        added = next(events)
        admin.patch(f"{config_maps}/a", json={"data": {"k": "2"}}, headers=MERGE)
        modified = next(events)
        admin.delete(f"{config_maps}/a")
        deleted = next(events)
    assert [_short(event) for event in (added, modified, deleted)] == [
        ("ADDED", "a"),
        ("MODIFIED", "a"),
        ("DELETED", "a"),
    ]
    assert [event["object"]["data"]["k"] for event in (added, modified, deleted)] == ["1", "2", "2"]
    assert (added["object"]["kind"], added["object"]["apiVersion"]) == ("ConfigMap", "v1")
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in (added, modified, deleted)]
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("version", ["", "0"])
def test_a_watch_from_nowhere_begins_with_what_there_is(admin: httpx.Client, widgets: Widgets, version: str) -> None:
    """Each object arrives as if just added, then new changes follow."""
    for name in ("a", "b"):
        admin.post(widgets.path, json=widgets.widget(name, size=1))
    with admin.stream("GET", widgets.path, params={"watch": "1", "resourceVersion": version}) as answer:
        events = _events(answer)
        begun = {_short(next(events)) for _ in range(2)}
        admin.post(widgets.path, json=widgets.widget("c", size=1))
        assert begun == {("ADDED", "a"), ("ADDED", "b")}
        assert _short(next(events)) == ("ADDED", "c")


def test_a_watch_with_a_selector_sees_objects_come_and_go(admin: httpx.Client, config_maps: str) -> None:
    """An object is added when its labels begin to match and deleted when they stop; others are not reported."""
    query = {"watch": "1", "resourceVersion": _version(admin, config_maps), "labelSelector": "on=yes"}
    admin.post(config_maps, json={"metadata": {"name": "other"}})
    admin.post(config_maps, json={"metadata": {"name": "a"}})
    with admin.stream("GET", config_maps, params=query) as answer:
        events = _events(answer)
        for labels in ({"on": "yes"}, {"on": "yes", "more": "x"}, {"on": None}):
            admin.patch(f"{config_maps}/a", json={"metadata": {"labels": labels}}, headers=MERGE)
        found = [next(events) for _ in range(3)]
    assert [_short(event) for event in found] == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_a_watch_sees_its_namespace_only(admin: httpx.Client, config_maps: str, namespace: str) -> None:
    """A watch of all namespaces sees the others too."""
    version = _version(admin, config_maps)
    admin.post("/api/v1/namespaces/default/configmaps", json={"metadata": {"name": f"in-default-{namespace}"}})
    admin.post(config_maps, json={"metadata": {"name": "a"}})
    query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": "1"}
    names = {event["object"]["metadata"]["name"] for event in _events(admin.get(config_maps, params=query))}
    everywhere = admin.get("/api/v1/configmaps", params=query)
    all_names = {event["object"]["metadata"]["name"] for event in _events(everywhere)}
    assert names - {"kube-root-ca.crt"} == {"a"}
    assert {"a", f"in-default-{namespace}"} <= all_names


def test_a_watch_ends_after_its_time(admin: httpx.Client, config_maps: str) -> None:
    """The watch ends without an error, so that the client can continue from where it was."""
    query = {"watch": "1", "resourceVersion": _version(admin, config_maps), "timeoutSeconds": "1"}
    answer = admin.get(config_maps, params=query)
    assert (answer.status_code, answer.text) == (200, "")


def test_a_watch_can_replace_a_list(emulated_api: Api) -> None:
    """It begins with what there is, then a bookmark says that this was all; changes follow. Release 1.27."""
    admin, path = emulated_api.client(), "/api/v1/namespaces/default/configmaps"
    made = admin.post(path, json={"metadata": {"name": "listed"}}).raise_for_status().json()
    query = {"watch": "1", "sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    query |= {"allowWatchBookmarks": "true", "fieldSelector": "metadata.name=listed"}
    query |= {"resourceVersion": made["metadata"]["resourceVersion"]}
    with admin.stream("GET", path, params=query) as answer:
        events = _events(answer)
        added, end = next(events), next(events)
        admin.delete(f"{path}/listed")
        deleted = next(events)
    assert [_short(event) for event in (added, end, deleted)] == [
        ("ADDED", "listed"),
        ("BOOKMARK", ""),
        ("DELETED", "listed"),
    ]
    metadata = end["object"]["metadata"]
    assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(metadata["resourceVersion"]) >= int(made["metadata"]["resourceVersion"])


def test_a_watch_with_bookmarks_is_told_a_version_before_it_ends(admin: httpx.Client, widgets: Widgets) -> None:
    """The next watch can then begin after what this one has seen."""
    version = _version(admin, widgets.path)
    # The bookmark comes two seconds before the end. The real server sends none about changes from before the watch.
    query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": "10", "allowWatchBookmarks": "true"}
    with admin.stream("GET", widgets.path, params=query) as answer:
        made = admin.post(widgets.path, json=widgets.widget("a", size=1)).json()
        bookmarks = [event for event in _events(answer) if event["type"] == "BOOKMARK"]
    assert bookmarks
    last = bookmarks[-1]["object"]
    assert (last["kind"], last["apiVersion"]) == ("Widget", f"{widgets.group}/v1")
    assert int(last["metadata"]["resourceVersion"]) >= int(made["metadata"]["resourceVersion"])


def test_a_watch_from_a_forgotten_version_is_told_so(admin: httpx.Client, widgets: Widgets, api: Api) -> None:
    """The answer is a 200 with one event, a Status 410, after which the client lists again."""
    version = "1"
    if not api.is_real:
        # The emulated server forgets a version after a number of changes, the real one if it is older than the kind.
        for number in range(1000):
            admin.patch(
                "/api/v1/namespaces/default", json={"metadata": {"labels": {"n": str(number)}}}, headers=MERGE
            ).raise_for_status()
    answer = admin.get(widgets.path, params={"watch": "1", "resourceVersion": version, "timeoutSeconds": "1"})
    event = json.loads(answer.text)
    message = event["object"].pop("message")
    assert answer.status_code == 200
    assert event == {
        "type": "ERROR",
        "object": {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "reason": "Expired",
            "code": 410,
        },
    }
    assert message.startswith("too old resource version: 1 (")


def test_a_bad_version_is_refused_before_the_watch(admin: httpx.Client, config_maps: str) -> None:
    """The answer is a 500, as for a list."""
    answer = admin.get(config_maps, params={"watch": "1", "resourceVersion": "abc"})
    assert answer.status_code == 500


def test_the_python_client_watches(api: Api, namespace: str) -> None:
    """The client gets typed objects, and its watch ends after the timeout."""
    configuration = client.Configuration()
    configuration.host = api.url
    configuration.ssl_ca_cert = str(api.authority.certificate_path)
    configuration.cert_file = configuration.key_file = str(api.client_certificate("admin", "system:masters"))
    configuration.no_proxy = "localhost"
    with client.ApiClient(configuration) as connection:
        core = client.CoreV1Api(connection)
        core.create_namespaced_config_map(
            namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="watched"), data={"k": "v"})
        )
        # The package has no types.
        stream: Any = watch.Watch().stream(core.list_namespaced_config_map, namespace, timeout_seconds=1)  # type: ignore[no-untyped-call]  # the package is untyped
        found = {(event["type"], event["object"].metadata.name) for event in stream}
    assert ("ADDED", "watched") in found
