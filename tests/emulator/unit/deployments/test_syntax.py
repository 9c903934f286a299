"""The parser of expressions."""

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emulator.deployments.language.evaluation import evaluate
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.functions import FUNCTIONS
from emulator.deployments.language.syntax import (
    INT64,
    Call,
    Index,
    Literal,
    Member,
    Node,
    is_expression,
    literal_text,
    parse,
    unparse,
)
from tests.emulator.unit.deployments.factories import scope

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
LITERALS = st.one_of(st.text(max_size=20), st.integers(-INT64, INT64 - 1)).map(Literal)


def _with_depth(node: Node) -> Node:
    """Return the node as the parser makes it, with its depth, which nodes built here lack."""
    return parse(unparse(node))


def _calls(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    calls = st.builds(Call, NAMES, st.lists(nodes, max_size=3).map(tuple))
    return st.one_of(calls, st.builds(Member, calls, NAMES), st.builds(Index, calls, nodes))


NODES: st.SearchStrategy[Node] = st.recursive(LITERALS, _calls, max_leaves=12)


@given(NODES)
def test_what_is_written_from_a_tree_parses_to_the_same_tree(node: Node) -> None:
    """Unparsing and parsing are inverse to each other."""
    tree = _with_depth(node)
    assert parse(unparse(tree)) == tree
    assert unparse(tree) == unparse(node)


@given(st.text(max_size=200))
@example("9" * 5000)
@example("f(" * 300 + ")" * 300)
@example("x" * 25_000)
@example("concat('a'")
def test_any_text_parses_or_is_an_expression_error(text: str) -> None:
    """Nothing that a template can hold crashes the parser."""
    with contextlib.suppress(ExpressionError):
        parse(f"[{text}]")


def _known_calls(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    names = st.sampled_from(sorted(set(FUNCTIONS) - {"list*"}))
    calls = st.builds(Call, names, st.lists(nodes, max_size=3).map(tuple))
    return st.one_of(calls, st.builds(Member, calls, NAMES), st.builds(Index, calls, nodes))


@settings(max_examples=500)
@given(st.recursive(LITERALS, _known_calls, max_leaves=8))
def test_any_use_of_a_function_evaluates_or_is_an_expression_error(node: Node) -> None:
    """A function does not crash, whatever its arguments."""
    with contextlib.suppress(ExpressionError):
        evaluate(unparse(node), scope(variables={"a": 1}))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("[[x]", "[x]", id="two brackets stand for one"),
        pytest.param("[[", "[[", id="without the last bracket nothing is escaped"),
        pytest.param("[x", "[x", id="a bracket alone is text"),
        pytest.param("x[0]", "x[0]", id="text that only ends in a bracket"),
        pytest.param("", "", id="no text"),
    ],
)
def test_text_that_is_no_expression_stands_for_itself(text: str, want: str) -> None:
    """Only a string that is wholly in single brackets is evaluated."""
    assert not is_expression(text)
    assert literal_text(text) == want


@pytest.mark.parametrize(
    ("text", "want_message"),
    [
        pytest.param(
            "[concat('a']",
            "expected token 'Comma or RightParenthesis' and actual 'EndOfData' at position 11",
            id="a parenthesis is missing",
        ),
        pytest.param("[a.b()]", "expected token 'LeftParenthesis' and actual 'Dot' at position 2", id="no call"),
        pytest.param("[concat('a)]", "the character ''' at position 8 is not expected", id="a quote is missing"),
        pytest.param("[]", "actual 'EndOfData'", id="nothing"),
        pytest.param("[9223372036854775808]", "is not a 64-bit integer", id="a number too large"),
    ],
)
def test_a_wrong_expression_says_what_was_expected_where(text: str, want_message: str) -> None:
    """The message has the position and ARM's names of tokens."""
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert want_message in str(error.value)


def test_two_quotes_in_a_string_stand_for_one() -> None:
    """The language has no other escape."""
    assert parse("['it''s \\ [ ]']") == Literal("it's \\ [ ]")
