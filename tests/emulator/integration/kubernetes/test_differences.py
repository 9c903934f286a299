"""How the emulated API behaves otherwise than the real one, and why: the table of the README, held true.

Rows of a release are differences only from the real server of these tests, which is 1.20; the emulated one says that it
is 1.32, and does what 1.32 does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi

README = Path(__file__).parents[4] / "emulator/openshift/kubernetes/README.md"
HEADING = "### Behaviours of the API"
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
PROTOBUF = {"Accept": "application/vnd.kubernetes.protobuf"}
CONTAINERS = [{"name": name, "image": "i"} for name in "abc"]
SPEC: dict[str, Any] = {
    "selector": {"matchLabels": {"a": "b"}},
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": CONTAINERS}},
}
ONE = {"fieldManager": "one"}


@dataclass(frozen=True)
class Difference:
    """One row of the table.

    Args:
        here: what the emulated server does.
        why: why it does not do what the real server does.
        seen: returns what a client sees, given a namespace of its own; the two servers show something else. None if
            it takes a controller, a node or minutes to see the difference.
    """

    here: str
    why: str
    seen: Callable[[httpx.Client, str], Any] | None = None


def _config_map(client: httpx.Client, namespace: str, **members: Any) -> httpx.Response:
    path = f"/api/v1/namespaces/{namespace}/configmaps/a"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}} | members
    return client.patch(path, json=body, headers=APPLY, params=ONE)


def _deployment(client: httpx.Client, namespace: str, **spec: Any) -> httpx.Response:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    return client.patch(path, json=body, headers=APPLY, params={"fieldManager": "one", "force": "true"})


def _protobuf(client: httpx.Client, namespace: str) -> Any:
    return client.get(f"/api/v1/namespaces/{namespace}/configmaps", headers=PROTOBUF).status_code


def _log(client: httpx.Client, namespace: str) -> Any:
    path = f"/api/v1/namespaces/{namespace}/pods"
    body = {"metadata": {"name": "p"}, "spec": {"containers": CONTAINERS[:1]}}
    client.post(path, json=body).raise_for_status()
    return client.get(f"{path}/p/log").status_code


def _replication_controllers(client: httpx.Client, namespace: str) -> Any:
    return client.get(f"/api/v1/namespaces/{namespace}/replicationcontrollers").status_code


def _missing_uid(client: httpx.Client, namespace: str) -> Any:
    path = f"/api/v1/namespaces/{namespace}/configmaps/nope"
    return client.put(path, json={"metadata": {"name": "nope", "uid": "3"}}).status_code


def _causes_of_uid(client: httpx.Client, namespace: str) -> Any:
    _config_map(client, namespace).raise_for_status()
    path = f"/api/v1/namespaces/{namespace}/configmaps/a"
    answer = client.patch(path, json={"metadata": {"uid": "3"}}, headers=MERGE)
    return len(answer.json()["details"]["causes"])


def _foreground(client: httpx.Client, namespace: str) -> Any:
    _config_map(client, namespace).raise_for_status()
    path = f"/api/v1/namespaces/{namespace}/configmaps/a"
    client.request("DELETE", path, json={"propagationPolicy": "Foreground"}).raise_for_status()
    return client.get(path).status_code


def _another_user(client: httpx.Client, namespace: str) -> Any:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    return client.get(path, headers={"Impersonate-User": "eve"}).status_code


def _compared_labels(client: httpx.Client, namespace: str) -> Any:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    return client.get(path, params={"labelSelector": "n>1"}).status_code


def _applied_scale(client: httpx.Client, namespace: str) -> Any:
    _deployment(client, namespace, replicas=1, **SPEC).raise_for_status()
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d/scale"
    body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d"}, "spec": {"replicas": 2}}
    return client.patch(path, json=body, headers=APPLY, params={"fieldManager": "one", "force": "true"}).status_code


def _applied_kind(client: httpx.Client, namespace: str) -> Any:
    return _config_map(client, namespace, kind="Secret").json()["message"]


def _applied_empty_map(client: httpx.Client, namespace: str) -> Any:
    return "managedFields" in _config_map(client, namespace, data={}).json()["metadata"]


def _applied_quantity(client: httpx.Client, namespace: str) -> Any:
    limited = [CONTAINERS[0] | {"resources": {"limits": {"cpu": 1}}}]
    template = SPEC["template"] | {"spec": {"containers": limited}}
    return _deployment(client, namespace, **(SPEC | {"template": template})).status_code


def _applied_order(client: httpx.Client, namespace: str) -> Any:
    _deployment(client, namespace, **SPEC).raise_for_status()
    template = SPEC["template"] | {"spec": {"containers": CONTAINERS[::-1]}}
    found = _deployment(client, namespace, **(SPEC | {"template": template})).json()
    return [one["name"] for one in found["spec"]["template"]["spec"]["containers"]]


def _replaced_service(client: httpx.Client, namespace: str) -> Any:
    path = f"/api/v1/namespaces/{namespace}/services"
    body: dict[str, Any] = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}
    body["metadata"]["resourceVersion"] = client.post(path, json=body).json()["metadata"]["resourceVersion"]
    return client.put(f"{path}/s", json=body).status_code


def _managers_of_scale(client: httpx.Client, namespace: str) -> Any:
    _deployment(client, namespace, replicas=1, **SPEC).raise_for_status()
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"
    client.patch(f"{path}/scale", json={"spec": {"replicas": 3}}, headers=MERGE).raise_for_status()
    return [entry.get("subresource") for entry in client.get(path).json()["metadata"]["managedFields"]]


def _managers_of_the_cluster(client: httpx.Client, _namespace: str) -> Any:
    return "managedFields" in client.get("/api/v1/namespaces/kube-system").json()["metadata"]


def _managers_of_a_status(client: httpx.Client, namespace: str) -> Any:
    return "managedFields" in client.get(f"/api/v1/namespaces/{namespace}").json()["metadata"]


ROWS = (
    Difference(
        "Bodies come in protobuf too, answers never do.",
        "Every client that sends protobuf takes JSON.",
        _protobuf,
    ),
    Difference(
        "`log`, `exec`, `attach`, `portforward`, `proxy`, `eviction`, `token`, `finalize` get 501 `NotSupportedByLocalAzure`.",
        "No container runs, and nobody issues tokens.",
        _log,
    ),
    Difference(
        "Kinds that bundles do not have, such as `replicationcontrollers`, are not served.",
        "No client needs them.",
        _replication_controllers,
    ),
    Difference(
        "A watch of `kubectl` or `oc` for the first pod of a selector gets the same 501.",
        "No controller makes pods of Deployments, and the commands would wait for a minute. kubectl before 1.28 does not print the text.",
    ),
    Difference(
        "An update of a missing object by its uid gets 404 instead of 409.",
        "The real server's text is one of its storage.",
        _missing_uid,
    ),
    Difference("A changed uid is one cause, not the same one twice.", "One is enough.", _causes_of_uid),
    Difference(
        "Every propagation policy deletes the object at once, and nothing else.",
        "No garbage collector removes the finalizers `foregroundDeletion` and `orphan`.",
        _foreground,
    ),
    Difference(
        "An apply of another version or kind is a bad request.",
        "The real server's words are those of its merging.",
        _applied_kind,
    ),
    Difference(
        "What the cluster made itself has no managers until somebody applies to it; then they are `before-first-apply`.",
        "Each object would be twice as large. The real server treats older objects like this.",
        _managers_of_the_cluster,
    ),
    Difference(
        "The cluster's own parts are one manager, `openshift`.",
        "Operators are tables here, not programs.",
    ),
    Difference(
        "More than ten managers are all kept.",
        "The real server merges the oldest into `ancient-changes`, to save space.",
    ),
    Difference(
        "The texts of `kubectl explain` may be of a later release.",
        "They come from the installed Python client.",
    ),
    Difference("Acting as another user (`Impersonate-User`) is refused.", "No client does it.", _another_user),
    Difference("Numbers in labels are not compared (`a>1`).", "No client does it.", _compared_labels),
    Difference("A scale is not applied.", "No client does it.", _applied_scale),
    Difference(
        "An update of a Service that leaves out its address or node ports keeps them.",
        "Release 1.22.",
        _replaced_service,
    ),
    Difference(
        "Managers of a subresource are entries of their own, and who scales owns the replicas.",
        "Release 1.22.",
        _managers_of_scale,
    ),
    Difference("Nobody owns a status that the server sets.", "Release 1.22.", _managers_of_a_status),
    Difference("A number is a quantity in an apply, such as `cpu: 1`.", "Later release.", _applied_quantity),
    Difference("An applied empty map has an owner.", "Later release.", _applied_empty_map),
    Difference("Merged lists have the order of the applied one.", "Later release.", _applied_order),
)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.seen], ids=lambda row: row.here.translate({ord("`"): None})[:60]
)
def test_each_difference_is_still_one(emulated_api: EmulatedApi, real_api: Api, row: Difference) -> None:
    """A row whose difference is gone leaves the table."""
    seen = []
    for number, api in enumerate((emulated_api, real_api)):
        client, name = api.client(), f"differs-{ROWS.index(row)}-{number}"
        client.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
        assert row.seen is not None
        seen.append(row.seen(client, name))
    assert seen[0] != seen[1]


def test_the_readme_has_this_table() -> None:
    """Row by row, in this order."""
    section = README.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n#")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert rows == [f"| {row.here} | {row.why} |" for row in ROWS]
