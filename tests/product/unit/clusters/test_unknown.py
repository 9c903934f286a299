"""Members whose values are not known yet."""

import pytest

from shared.clusters.checks.unknown import ALL_KNOWN, Unknown, is_expression

UNKNOWN = Unknown(frozenset({"a.b", "list['x'].c", 'tags["k.l"]'}))


@pytest.mark.parametrize(
    ("target", "covered", "touched"),
    [
        ("a", False, True),
        ("a.b", True, True),
        ("a.b.c", True, True),
        ("a.b['x']", True, True),
        ("a.bc", False, False),
        ("list", False, True),
        ("list['x']", False, True),
        ("list['x'].c", True, True),
        ("list['y'].c", False, False),
        ("tags", False, True),
        ('tags["k.l"]', True, True),
        ('tags["k"]', False, False),
        ("", False, False),
    ],
)
def test_a_member_is_covered_from_above_and_touched_from_below(target: str, covered: bool, touched: bool) -> None:
    """A name that only begins alike is another member."""
    assert (UNKNOWN.covers(target), UNKNOWN.touches(target)) == (covered, touched)
    assert not ALL_KNOWN.touches(target)


@pytest.mark.parametrize(
    ("value", "want"),
    [("[x()]", True), ("[]", True), ("[[x]", False), ("[x", False), ("x]", False), (["x"], False), (None, False)],
)
def test_an_expression_is_a_text_in_brackets(value: object, want: bool) -> None:
    """A doubled bracket is one bracket of a text."""
    assert is_expression(value) is want
