"""Property tables."""

from typing import Any

import pytest

from emulator.arm.schema import READ_ONLY, Choice, MapOf, Reading, Reference, Required, Since

TABLE: Any = {
    "name": Required(str),
    "count": int,
    "kind": Choice(("One", "Two")),
    "state": READ_ONLY,
    "newer": Since("2020-01-01", bool),
    "parts": [{"value": Required(str)}],
    "tags": MapOf(str),
    "group": Reference("Microsoft.Network/networkSecurityGroups", "join/action"),
    "any": object,
}


def _read(body: Any, version: str = "2021-01-01") -> tuple[Any, list[str]]:
    reading = Reading(version, "Thing")
    return reading.read(TABLE, body, ""), reading.problems


def test_a_good_body_comes_back_in_the_tables_casing() -> None:
    """Names and choices become canonical; read-only members and nulls are dropped."""
    body = {
        "NAME": "x",
        "kind": "two",
        "state": "Succeeded",
        "count": None,
        "parts": [{"value": "1"}],
        "tags": {"a": "b"},
    }
    assert _read(body) == ({"name": "x", "kind": "Two", "parts": [{"value": "1"}], "tags": {"a": "b"}}, [])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"name": "x", "other": 1}, "Could not find member 'other' on object of type 'Thing'. Path 'other'."),
        ({"name": 1}, "Error converting value \"1\" to type 'System.String'. Path 'name'."),
        ({"name": "x", "count": True}, "Error converting value \"True\" to type 'System.Int32'. Path 'count'."),
        ({"name": "x", "kind": "three"}, "Error converting value \"three\" to one of One, Two. Path 'kind'."),
        ({}, "Required property 'name' not found in JSON. Path ''."),
        ({"name": "x", "parts": [{}]}, "Required property 'value' not found in JSON. Path 'parts[0]'."),
        ({"name": "x", "tags": {"a": 1}}, "Error converting value \"1\" to type 'System.String'. Path 'tags.a'."),
        ({"name": "x", "group": {}}, "Value for reference id is missing. Path 'group'."),
        ([], "Error converting value \"[]\" to type 'Thing'. Path ''."),
    ],
)
def test_what_is_wrong_is_said_with_its_path(body: Any, problem: str) -> None:
    """Each problem names the member and its path."""
    assert _read(body)[1] == [problem]


def test_a_member_is_unknown_to_versions_before_it() -> None:
    """An older API version refuses what a newer one accepts."""
    body = {"name": "x", "newer": True}
    assert _read(body) == (body, [])
    assert "Could not find member 'newer'" in _read(body, "2019-12-31")[1][0]


def test_references_are_noted_with_their_paths() -> None:
    """The reader only records references; they are checked elsewhere."""
    reading = Reading("2021-01-01", "Thing")
    reading.read(TABLE, {"name": "x", "group": {"id": "/g", "properties": {}}}, "")
    assert [(path, target) for path, target, _ in reading.references] == [("group", "/g")]
