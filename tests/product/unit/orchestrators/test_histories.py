"""Recorded histories of every version of the interpreter: a running instance repeats its former decisions."""

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrators import ORCHESTRATORS
from orchestrators.packed_inputs import unpack
from tests.product.unit.orchestrators.record import HISTORIES, replay

FILES = sorted(HISTORIES.glob("*.json"))


def test_every_version_has_recorded_histories() -> None:
    """A new interpreter comes with its histories, and an old one keeps them."""
    assert {file.name.split("-")[0] for file in FILES} == set(ORCHESTRATORS)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_recorded_history_replays_to_the_same_decisions(file: Path) -> None:
    """Names, inputs, order and result are compared, more than the host compares. How inputs are packed is not."""
    recorded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert _open(replay(recorded["name"], json.dumps(recorded["input"]))) == _open(recorded["state"])


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_decision_in_a_history_is_asked_for_again(file: Path) -> None:
    """The names in history and the requested names agree one by one."""
    recorded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    kinds = {4: 0, 7: 2, 10: 5}
    scheduled = [
        (kinds[event["EventType"]], event["Name"])
        for event in recorded["input"]["history"]
        if event["EventType"] in kinds
    ]
    asked = [
        (action["actionType"], action.get("functionName", "None")) for action in _flat(recorded["state"]["actions"][0])
    ]
    assert asked[: len(scheduled)] == scheduled


def _open(value: Any) -> Any:
    """Unpack the inputs of all instances in a value."""
    if isinstance(value, list):
        return [_open(each) for each in value]
    if not isinstance(value, dict):
        return value
    packed = value.get("input")
    if isinstance(packed, str) and packed.startswith('{"packed"'):
        value = value | {"input": unpack(json.loads(packed)["packed"])}
    return {name: _open(member) for name, member in value.items()}


def _flat(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        leaf
        for action in actions
        for leaf in (_flat(action["compoundActions"]) if "compoundActions" in action else [action])
    ]
