"""The same valid objects and the same mistakes, sent to the emulated server and to the real one."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from emulator.json_object import Json
from tests.emulator import kubernetes_objects as samples
from tests.emulator import kubernetes_rules as rules
from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi
from tests.emulator.kubernetes_rules import ChangeRule, Rule

README = Path(__file__).parents[5] / "emulator/openshift/kubernetes/README.md"
HEADING = "### Validation and defaults"
# The real server shows a structure of Go with the addresses of its members.
STRUCTURE = re.compile(r"((?:core|apps|v1)\.\w+)\{.*\}")
# The members of new objects that only one of the servers adds, and why.
COMPLETED_OTHERWISE = {
    "CustomResourceDefinition.status": "Definitions are established at once.",
    "DaemonSet.metadata.annotations.deprecated": "Nothing reads the annotation, which is of the first releases.",
    "Node.spec.taints[1]": "No controller would remove the taint of a node that is not ready.",
    "Node.status": "A kubelet reports all of it; the real server adds empty texts until then.",
    "PersistentVolume.metadata.finalizers": "No controller would remove the finalizer.",
    "PersistentVolumeClaim.metadata.finalizers": "No controller would remove the finalizer.",
    "Pod.metadata.annotations": "Releases before 1.24 copy the seccomp profile to an annotation.",
    "Service.spec.clusterIP": "Each server gives a free address; the real one chooses at random.",
}
CHANGES = samples.named(rules.CHANGES)
NAMED = samples.named(rules.RULES)
# The real server adds what changed in its structures.
DIFFERENCE = re.compile(r"\n\s*core\.\w+\{.*", re.DOTALL)
# What differs between any two servers.
OWN = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink", "generation")


def _answer(api: Api, kind: str, obj: Json) -> httpx.Response:
    path = samples.path_of(kind, "default")
    client = api.client()
    answer = client.post(path, json=obj)
    if answer.status_code == httpx.codes.CREATED:
        client.delete(f"{path}/{answer.json()['metadata']['name']}").raise_for_status()
    return answer


def _without_structures(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_structures(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_without_structures(item) for item in value]
    return STRUCTURE.sub(r"\1{...}", DIFFERENCE.sub("", value)) if isinstance(value, str) else value


@pytest.mark.parametrize("rule", NAMED.values(), ids=NAMED)
def test_both_servers_refuse_a_mistake_alike(emulated_api: EmulatedApi, real_api: Api, rule: Rule) -> None:
    """Status, reason, message, and every cause."""
    kind, _, obj = samples.broken(rule)
    emulated, real = (_answer(api, kind, obj) for api in (emulated_api, real_api))
    assert emulated.status_code == real.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    assert _without_structures(emulated.json()) == _without_structures(real.json())


@pytest.mark.parametrize("rule", CHANGES.values(), ids=CHANGES)
def test_both_servers_refuse_a_change_alike(emulated_api: EmulatedApi, real_api: Api, rule: ChangeRule) -> None:
    """Status, reason, message, and every cause."""
    emulated, real = (_refused_change(api, rule) for api in (emulated_api, real_api))
    assert emulated == real
    assert emulated["code"] == httpx.codes.UNPROCESSABLE_ENTITY


def _refused_change(api: Api, rule: ChangeRule) -> Any:
    """Create an object, try the change, and delete the object; return the refusal."""
    kind = rule.kind.partition(".")[0]
    client, path = api.client(), samples.path_of(kind, "default")
    obj = samples.changed(samples.valid(kind, "web"), dict(rule.first))
    _away(client, f"{path}/{obj['metadata']['name']}")
    made = client.post(path, json=obj).raise_for_status().json()
    path = f"{path}/{made['metadata']['name']}"
    # The controllers of the real server write the object too, as long as it is new.
    while True:
        current = client.get(path).json()
        if kind == "CustomResourceDefinition" and not _is_established(current):
            continue
        answer = client.put(path, json=samples.changed(current, rule.breaks))
        if answer.status_code != httpx.codes.CONFLICT:
            break
    _away(client, path)
    return _without_structures(answer.json())


def _is_established(definition: Json) -> bool:
    conditions = definition["status"].get("conditions") or ()
    return any((one["type"], one["status"]) == ("Established", "True") for one in conditions)


def _away(client: httpx.Client, path: str) -> None:
    """Delete an object, and wait until it is gone: its finalizers have no controller here."""
    client.delete(path, params={"gracePeriodSeconds": "0"})
    headers = {"Content-Type": "application/merge-patch+json"}
    while client.get(path).status_code == httpx.codes.OK:
        client.patch(path, content='{"metadata": {"finalizers": null}}', headers=headers)


@pytest.mark.parametrize("kind", samples.VALID)
def test_both_servers_complete_a_valid_object_alike(emulated_api: EmulatedApi, real_api: Api, kind: str) -> None:
    """Defaults, what is left out, and the form of quantities; or the difference is in the table."""
    emulated, real = (
        dict(_members(_answer(api, kind, samples.valid(kind, "web")).json())) for api in (emulated_api, real_api)
    )
    differing = {
        f"{kind}.{path}": (emulated.get(path), real.get(path))
        for path in emulated.keys() | real.keys()
        if emulated.get(path) != real.get(path)
    }
    unknown = {path: both for path, both in differing.items() if not any(map(path.startswith, COMPLETED_OTHERWISE))}
    assert not unknown
    listed = {path for path in COMPLETED_OTHERWISE if path.startswith(f"{kind}.")}
    assert {path for path in listed if any(found.startswith(path) for found in differing)} == listed


def _members(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and value of everything in an object that is neither an object nor a list."""
    if isinstance(value, dict):
        for name, member in value.items():
            if path != "metadata" or name not in OWN:
                yield from _members(member, f"{path}.{name}" if path else name)
        if not value:
            yield path, {}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _members(item, f"{path}[{index}]")
    elif value is not None:
        yield path, value


def test_the_readme_lists_the_differences() -> None:
    """With their reasons, in the words of the table above."""
    rows = [f"| `{what}` | {why} |" for what, why in COMPLETED_OTHERWISE.items()]
    section = README.read_text().partition(HEADING)[2].partition("\n#")[0]
    assert [line for line in section.splitlines() if line.startswith("| `")] == rows
