"""The reader of the lenient JSON in which deployments come."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.deployments.templates.lenient_json import decode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES, st.sampled_from([None, 2]))
def test_json_stays_as_it_is(value: object, indent: int | None) -> None:
    """Text within a string is left alone, even if it looks like a comment or a name."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    assert decode(text.encode("utf-8", "surrogatepass")) == value


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(
            '{"a": {b: 1}, template:{"$schema": "x"}}', {"a": {"b": 1}, "template": {"$schema": "x"}}, id="names"
        ),
        pytest.param('{"a": /* one\ntwo */ 1, // "b": 2\n"c": 3}', {"a": 1, "c": 3}, id="comments"),
        pytest.param(
            '{"a": "https://x/*y*/", "b": "c: \\"d\\""}', {"a": "https://x/*y*/", "b": 'c: "d"'}, id="strings"
        ),
        pytest.param('{"a": "one\ntwo"}', {"a": "one\ntwo"}, id="line breaks"),
        pytest.param("\ufeff{}", {}, id="byte order mark"),
        pytest.param(" \n", {}, id="nothing"),
    ],
)
def test_what_is_more_than_json_is_read_too(text: str, want: object) -> None:
    """ARM accepts more than JSON, and the CLI sends it."""
    assert decode(text.encode()) == want


@pytest.mark.parametrize("text", ["{", '{"a": b}', "{a b: 1}", '{"a": "b', "/* {}", "{a: tru}"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    """A bare word is a name, not a value."""
    with pytest.raises(ValueError, match="line"):
        decode(text.encode())
