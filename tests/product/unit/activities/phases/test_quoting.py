"""Messages of phases are read by operators without rights on the cluster: they quote no value of its objects."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast
from unittest.mock import Mock

import pytest

from activities.phases import objects
from activities.phases.inventory import Inventory
from activities.phases.kubernetes_apply import Application
from activities.phases.objects import Cluster
from activities.phases.statuses import status_of
from shared.json_object import Json
from shared.openshift.client import NotDone
from shared.phase_documents.apply_options import Options

CANARY = "canary-hunter2"
READY: Json = {"conditions": [{"type": "Ready", "status": "False", "message": f"waits for {CANARY}"}]}


class FakeCluster:
    """A cluster with one object."""

    def __init__(self, live: Json) -> None:
        self.live = live

    def read(self, _document: Json) -> Json:
        return self.live


def an_object(api_version: str, kind: str, **members: Any) -> Json:
    """Return an object."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "one"}, **members}


def waits(live: Json, path: str) -> str:
    """Return the message of a phase that waits for another value at a path of an object."""
    wanted = {"apiVersion": live["apiVersion"], "kind": live["kind"], "jsonPath": path, "value": "else"}
    options = Options.of({"config": {"waitOptions": {"conditions": [wanted]}}})
    cluster = cast("Cluster", FakeCluster(Inventory(Mock(), "phase").owned(live)))
    [(_, found)] = Application(cluster, "phase", [live], options).waiting()
    return found.message


@pytest.mark.parametrize(
    ("live", "path"),
    [
        (an_object("v1", "Secret", data={"password": CANARY}), "{.data.password}"),
        (an_object("v1", "Secret", data={"password": CANARY}), "{..password}"),
        (an_object("v1", "ConfigMap", data={"token": CANARY}), "{.data.token}"),
        (an_object("example.com/v1", "Vault", status={"key": CANARY}), "{.status.key}"),
        (
            an_object("v1", "Node", metadata={"annotations": {"key": CANARY}, "name": "one"}),
            "{.metadata.annotations.key}",
        ),
        (an_object("v1", "Node", spec={"key": CANARY}), "{$[?(@.key)].key}"),
    ],
    ids=["secret", "secret, from anywhere", "config map", "unknown kind", "annotation", "filter"],
)
def test_a_condition_quotes_no_value(live: Json, path: str) -> None:
    """It says that the value is another one."""
    assert waits(live, path) == f"{path} has to be else; it has another value, which is not shown."


def test_a_condition_quotes_the_status_of_a_well_known_kind() -> None:
    """People need it, and its controllers put no secret there. What is not there is told of every kind."""
    node = an_object("v1", "Node", status={"phase": "Pending"})
    assert waits(node, "{.status.phase}") == "{.status.phase} has to be else; it is Pending."
    assert waits(an_object("v1", "Secret"), "{.data.a}") == "{.data.a} has to be else; it is nothing."


@pytest.mark.parametrize("kind", ["Ready", "Reconciling", "Stalled"])
def test_the_words_of_a_condition_are_quoted_only_for_well_known_kinds(kind: str) -> None:
    """Whoever wrote another controller may have put anything there."""
    condition = {"type": kind, "status": str(kind != "Ready"), "message": f"waits for {CANARY}", "reason": CANARY}
    messages = [
        status_of(an_object(api_version, "Machine", status={"conditions": [condition]})).message
        for api_version in ("cluster.x-k8s.io/v1beta1", "example.com/v1")
    ]
    assert [CANARY in message for message in messages] == [True, False]
    assert messages[1]


@pytest.mark.parametrize(("kind", "shown"), [("Secret", False), ("ConfigMap", True)])
@pytest.mark.parametrize("status", [HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR])
@pytest.mark.parametrize("write", [Cluster.apply, Cluster.create], ids=["apply", "create"])
def test_the_servers_words_about_a_secret_are_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Cluster, Json], Json],
    status: HTTPStatus,
    kind: str,
    *,
    shown: bool,
) -> None:
    """They may quote what was sent: `.stringData.pin: expected string, got &value.valueUnstructured{Value:1234}`."""
    served = {"resources": [{"name": "things", "kind": kind, "namespaced": True}]}

    def send(_client: object, method: str, *_arguments: object) -> tuple[int, bytes]:
        answer = served if method == "GET" else {"message": f".stringData.pin: expected string, got {CANARY}"}
        return (200 if method == "GET" else status), json.dumps(answer).encode()

    monkeypatch.setattr(objects, "send", send)
    with pytest.raises(NotDone, match=str(status.value)) as refused:
        write(Cluster(Mock()), an_object("v1", kind, stringData={"pin": 1}))
    assert (CANARY in str(refused.value)) == shown
