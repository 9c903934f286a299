"""Changes to a cluster: once, beside others' changes, and with an explanation if refused."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from shared import fence
from shared.arm.errors import CloudError, Owner
from shared.json_object import Json
from shared.openshift import client, writes
from shared.openshift.client import NotDone, Read
from tests.product.unit.openshift.api_fake import Answer, FakeApi, failure

ACCOUNT: Json = {
    "apiVersion": "v1",
    "kind": "ServiceAccount",
    "metadata": {"name": "geneva", "namespace": "logging", "labels": {"app": "mdsd"}},
}
WHAT = Read("ServiceAccount", "geneva", "logging")


@pytest.fixture(autouse=True)
def fenced() -> Iterator[None]:
    """Hold the fence, like an activity."""
    token = fence.check.set(lambda: None)
    yield
    fence.check.reset(token)


@pytest.fixture
def api() -> FakeApi:
    """Give an API server."""
    return FakeApi()


def test_what_is_not_there_is_created_and_a_second_run_changes_nothing(api: FakeApi) -> None:
    """The second run's only request that could change something is refused, because the name is taken."""
    assert writes.create_or_update(api.client, ACCOUNT) is True
    stored = copy.deepcopy(api.objects)
    assert writes.create_or_update(api.client, ACCOUNT) is False
    assert api.objects == stored
    assert [method for method, _, _ in api.requests] == ["POST", "POST", "GET"]


def test_what_differs_is_set_and_what_others_set_stays(api: FakeApi) -> None:
    """The Secrets of a service account belong to its controller, the address of a Service to the cluster."""
    others = copy.deepcopy(ACCOUNT) | {"secrets": [{"name": "geneva-token"}]}
    others["metadata"]["labels"] = {"app": "other", "theirs": "1"}
    api.add(others)
    assert writes.create_or_update(api.client, ACCOUNT) is True
    stored = api.at("ServiceAccount", "geneva", "logging")
    assert stored["secrets"] == [{"name": "geneva-token"}]
    assert stored["metadata"]["labels"] == {"app": "mdsd", "theirs": "1"}
    assert writes.create_or_update(api.client, ACCOUNT) is False


def test_defaults_inside_lists_make_no_difference(api: FakeApi) -> None:
    """An API server fills in members of containers, which is not a reason to roll them out again."""
    wanted = {"kind": "DaemonSet", "metadata": {"name": "d", "namespace": "n"}, "spec": {"containers": [{"name": "c"}]}}
    found = copy.deepcopy(wanted) | {"spec": {"containers": [{"name": "c", "imagePullPolicy": "Always"}]}}
    api.add(found)
    assert writes.create_or_update(api.client, wanted) is False


@pytest.mark.parametrize(
    ("found", "wanted", "want"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": ""}, False),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 1}]}, True),
        ({"a": None}, {"a": {"b": 1}}, False),
        ({"a": "1"}, {"a": ["1"]}, False),
    ],
    ids=["more", "less", "a longer list", "more in an entry", "nothing", "another type"],
)
def test_an_object_has_what_is_wanted_or_not(found: Json, wanted: Json, want: bool) -> None:
    """Additional members are ignored, additional entries of lists are not."""
    assert writes.has(found, wanted) is want
    assert writes.has(writes.merged(found, wanted), wanted) is True


def test_a_change_by_others_in_between_is_read_and_kept(api: FakeApi) -> None:
    """The second try begins with the current object."""
    api.add({**ACCOUNT, "metadata": {"name": "geneva", "namespace": "logging"}})
    interfered: list[str] = []

    def interfere(method: str, _path: str) -> Answer | None:
        if method == "PUT" and not interfered:
            interfered.append(method)
            api.add({**api.at("ServiceAccount", "geneva", "logging"), "imagePullSecrets": [{"name": "theirs"}]})
        return None

    api.first = interfere
    assert writes.create_or_update(api.client, ACCOUNT) is True
    stored = api.at("ServiceAccount", "geneva", "logging")
    assert (stored["imagePullSecrets"], stored["metadata"]["labels"]) == ([{"name": "theirs"}], {"app": "mdsd"})


@pytest.mark.parametrize(
    "write",
    [
        lambda api: writes.create_or_update(api, ACCOUNT),
        lambda api: writes.amend(api, WHAT, lambda _found: {"secrets": []}),
    ],
    ids=["update", "amend"],
)
def test_who_loses_every_time_says_so_and_may_come_again(api: FakeApi, write: Callable[[Any], Any]) -> None:
    """Somebody writes constantly; the activity must not."""
    api.add({**ACCOUNT, "metadata": {"name": "geneva", "namespace": "logging"}})
    lost = failure(409, "Conflict", "the object has been modified")
    api.first = lambda method, _path: lost if method in ("PUT", "PATCH") else None
    with pytest.raises(NotDone, match=r"^ServiceAccount 'logging/geneva' was changed by others 5 times in a row$"):
        write(api.client)
    assert len([one for one in api.changes if one[0] in ("PUT", "PATCH")]) == 5


def test_an_object_on_its_way_out_is_waited_for(api: FakeApi) -> None:
    """It has everything that is wanted, but will be gone in a moment."""
    going = copy.deepcopy(ACCOUNT)
    going["metadata"]["deletionTimestamp"] = "2026-03-01T09:00:00Z"
    api.add(going)
    with pytest.raises(NotDone, match=r"^ServiceAccount 'logging/geneva' is being deleted$"):
        writes.create_or_update(api.client, ACCOUNT)


def test_an_object_that_vanishes_in_between_is_created(api: FakeApi) -> None:
    """Somebody deleted it between the refusal and the read."""
    refused = [failure(409, "AlreadyExists", "it already exists")]
    api.first = lambda method, _path: refused.pop() if method == "POST" and refused else None
    assert writes.create_or_update(api.client, ACCOUNT) is True


def test_members_of_others_objects_are_amended_once(api: FakeApi) -> None:
    """Only the members of the patch are sent, with the version on which they were decided."""
    what = Read("Console", "cluster")
    api.add({"kind": "Console", "metadata": {"name": "cluster"}, "spec": {"logLevel": "Normal"}})

    def brand(found: Json) -> Json:
        wanted = {"spec": {"customization": {"brand": "azure"}}}
        return {} if writes.has(found, wanted) else wanted

    assert writes.amend(api.client, what, brand) is True
    assert writes.amend(api.client, what, brand) is False
    assert api.at("Console", "cluster")["spec"] == {"logLevel": "Normal", "customization": {"brand": "azure"}}
    ((method, _path, body),) = api.changes
    assert (method, body) == (
        "PATCH",
        {"spec": {"customization": {"brand": "azure"}}, "metadata": {"resourceVersion": "1"}},
    )


def test_what_is_to_be_amended_and_is_not_there_is_waited_for_by_its_name(api: FakeApi) -> None:
    """Its operator makes it, or its kind is not known yet."""
    with pytest.raises(NotDone, match=r"^Console 'cluster' does not exist yet$"):
        writes.amend(api.client, Read("Console", "cluster"), lambda _found: {"spec": {}})
    assert api.changes == []


@pytest.mark.parametrize("code", [401, 404, 408, 429, 500, 503, 504])
def test_what_may_pass_is_no_failure(api: FakeApi, code: int) -> None:
    """Servers roll out, namespaces and kinds appear, authorities are read."""
    api.first = lambda _method, _path: failure(code, "Why", "not now")
    with pytest.raises(NotDone, match=r"ServiceAccount 'logging/geneva' cannot be created: .* not now$"):
        writes.create_or_update(api.client, ACCOUNT)


@pytest.mark.parametrize("code", [400, 403, 405, 413, 415, 422])
def test_what_no_repetition_mends_fails_with_the_object_and_the_servers_words(api: FakeApi, code: int) -> None:
    """The service has to fix it, because nobody else chose the object."""
    api.first = lambda _method, _path: failure(code, "Invalid", "spec.selector: Required value")
    with pytest.raises(
        CloudError, match=r"ServiceAccount 'logging/geneva' cannot be created: .*Required value"
    ) as told:
        writes.create_or_update(api.client, ACCOUNT)
    assert told.value.owner == Owner.PLATFORM


@pytest.mark.parametrize(
    "message",
    [
        'pods "x" is forbidden: not yet ready to handle request',
        "unable to create new content in namespace logging because it is being terminated",
    ],
)
def test_a_refusal_of_a_young_api_server_passes(api: FakeApi, message: str) -> None:
    """While the caches of admission are empty, it answers 403 as if it would always refuse the object."""
    api.first = lambda _method, _path: failure(403, "Forbidden", message)
    with pytest.raises(NotDone, match=r"403 Forbidden: "):
        writes.create_or_update(api.client, ACCOUNT)


def test_a_namespace_that_is_not_there_yet_is_waited_for(api: FakeApi) -> None:
    """The API server says which."""
    api.namespaces = set()
    with pytest.raises(NotDone, match=r'404 Not Found: namespaces "logging" not found$'):
        writes.create_or_update(api.client, ACCOUNT)


@pytest.mark.parametrize("change", ["create", "amend", "delete"])
def test_the_fence_is_asked_before_each_change(api: FakeApi, change: str) -> None:
    """A superseded attempt changes nothing, but may still read."""

    class Moved(Exception):  # noqa: N818 - stands for the store's
        pass

    def moved() -> None:
        raise Moved

    api.add(ACCOUNT)
    changes: dict[str, Any] = {
        "create": lambda: writes.create(api.client, ACCOUNT),
        "amend": lambda: writes.amend(api.client, WHAT, lambda _found: {"secrets": []}),
        "delete": lambda: client.delete(api.client, WHAT),
    }
    for check, want in ((moved, Moved), (None, fence.UnfencedChange)):
        token = fence.check.set(check)
        with pytest.raises(want):
            changes[change]()
        assert client.read(api.client, WHAT) is not None
        fence.check.reset(token)
    assert api.changes == []
