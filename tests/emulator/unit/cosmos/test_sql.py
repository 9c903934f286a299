"""The query language: what is undefined, what matches, what is refused, and how pages follow each other."""

import base64
import contextlib
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.core.service_error import ServiceError
from emulator.cosmos import sql
from emulator.cosmos.sql.values import UNDEFINED, deep_equals, equals

DOCUMENT = {
    "id": "1",
    "n": 5,
    "t": True,
    "s": "Text",
    "null": None,
    "list": [1, {"a": 1, "b": 2}],
    "o": {"x": {"y": 1}},
}


def _token(**state: Any) -> str:
    return base64.b64encode(json.dumps(state).encode()).decode()


def _run(query: str, documents: list[dict[str, Any]], size: int = -1, **parameters: Any) -> list[Any]:
    statement = sql.parse(query)
    keyed = [(f"{number:03}", document) for number, document in enumerate(documents)]

    def source(after: str) -> Iterable[tuple[str, dict[str, Any]]]:
        return ((key, document) for key, document in keyed if key > after)

    results: list[Any] = []
    token: str | None = None
    while True:
        named = {f"@{name}": value for name, value in parameters.items()}
        page = sql.execute(statement, named, source, size, token)
        assert size == -1 or len(page.items) <= size
        results += [json.loads(item) for item in page.items]
        token = page.continuation
        if token is None:
            return results


@pytest.mark.parametrize(
    "condition",
    [
        "c.n = 5",
        "c.n != 4",
        "c.n > 4 AND c.n <= 5 AND NOT c.n < 5",
        "c.n > -5 AND c.n < 55",
        "c.missing = 1 OR c.n = 5",
        "STARTSWITH(c.s, 'Te') AND IS_DEFINED(c.null) AND NOT IS_DEFINED(c.missing)",
        "ARRAY_CONTAINS(c.list, 1) AND ARRAY_CONTAINS(c.list, @whole) AND NOT ARRAY_CONTAINS(c.list, @part)",
        "c.o.x.y = 1 AND c.null = null AND c.t = true",
        "c.t",
    ],
)
def test_a_condition_that_holds_matches(condition: str) -> None:
    """Operators, functions and paths do what they say."""
    query = f"SELECT * FROM c WHERE {condition}"  # noqa: S608 - the language under test
    assert len(_run(query, [DOCUMENT], part={"a": 1}, whole={"a": 1, "b": 2})) == 1


@pytest.mark.parametrize(
    "condition",
    [
        "c.missing = 1",
        "c.missing != 1",
        "NOT c.missing = 1",
        "c.n = '5'",
        "c.n != '5'",
        "c.n < '6'",
        "c.t = 1",
        "c.list > 1",
        "c.missing = undefined",
        "STARTSWITH(c.n, '5')",
        "c.s",
    ],
)
def test_what_is_undefined_never_matches(condition: str) -> None:
    """Neither a comparison across types nor its negation lets a document pass."""
    assert _run(f"SELECT * FROM c WHERE {condition}", [DOCUMENT]) == []  # noqa: S608 - the language under test


def test_a_selection_names_its_members() -> None:
    """Names are the last members of the paths; undefined values are left out."""
    assert _run("SELECT c.id, c.o.x.y, c.missing FROM c", [DOCUMENT]) == [{"id": "1", "y": 1}]
    assert _run("select value r.id from r", [DOCUMENT]) == ["1"]


def test_values_of_different_types_are_not_equal() -> None:
    """Comparing them gives undefined; inside of an array they differ."""
    assert equals(True, 1) is UNDEFINED
    assert not deep_equals([True], [1])


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT VALUE c.i FROM c", [0, 1, 2, 3, 4, 5]),
        ("SELECT VALUE c.i FROM c WHERE c.g = @g", [1, 4]),
    ],
)
def test_pages_add_up_to_the_whole(query: str, want: list[int], size: int) -> None:
    """Whatever the size of pages, no result appears twice and none is missing."""
    assert _run(query, [{"i": i, "g": i % 3} for i in range(6)], size, g=1) == want


def test_words_of_the_language_may_be_names_of_members_and_texts() -> None:
    """Only where the grammar has a place for them do they mean something."""
    document = {"top": "JOIN + ORDER BY", "limit": 1}
    query = "SELECT c.top, c.limit FROM c WHERE c.top = 'JOIN + ORDER BY' AND c.limit = @limit"
    assert _run(query, [document], limit=1) == [document]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT",
        "DELETE FROM c",
        "SELECT * FROM c ORDER BY c.x",
        "SELECT TOP 5 * FROM c",
        "SELECT c.value FROM c",
        "SELECT c.n + 1 FROM c",
        "SELECT VALUE COUNT(1) FROM c",
        "SELECT IS_DEFINED(c.x) FROM c",
        "SELECT * FROM c WHERE STARTSWITH(c.s)",
    ],
)
def test_a_query_outside_of_the_grammar_is_refused_as_not_emulated(query: str) -> None:
    """Nobody should look for a mistake in a query that Azure would run."""
    with pytest.raises(ServiceError) as caught:
        _run(query, [DOCUMENT])
    assert (caught.value.status_code, caught.value.code) == (400, "NotSupportedByLocalAzure")


@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT * FROM c WHERE x.y = 1", "Identifier 'x'"),
        ("SELECT * FROM c WHERE c.x = @missing", "'@missing'"),
    ],
)
def test_a_name_without_a_meaning_is_refused(query: str, want: str) -> None:
    """The answer is a 400."""
    with pytest.raises(ServiceError) as caught:
        _run(query, [DOCUMENT])
    assert (caught.value.status_code, caught.value.code) == (400, "BadRequest")
    assert want in caught.value.message


@pytest.mark.parametrize(
    "token",
    [
        "nonsense",
        "e30=",
        "W10=",
        "////",
        _token(key=1),
        _token(skip=1),
    ],
)
def test_a_token_that_nobody_gave_out_is_refused(token: str) -> None:
    """Accepting the token would return a page of other results."""
    with pytest.raises(ServiceError, match="Continuation"):
        sql.execute(sql.parse("SELECT * FROM c"), {}, lambda _: [], 10, token)


_WORDS = (
    "SELECT TOP DISTINCT VALUE * FROM c WHERE ORDER BY AND OR NOT IN LIKE ( ) [ ] { } : , . = != < >= + - * / || "
    "1 0 2.5 'x' \"y\" @p c.n c.s c.list c.o.x c['n'] null true undefined COUNT LOWER LENGTH ARRAY_CONTAINS "
    "IS_DEFINED STARTSWITH"
)


@given(st.lists(st.sampled_from(_WORDS.split()), max_size=12), st.booleans())
def test_any_text_is_answered(words: list[str], whole: bool) -> None:
    """Every text gets results or a 400."""
    text = " ".join(words if whole else ["SELECT * FROM c WHERE", *words])
    with contextlib.suppress(ServiceError):
        _run(text, [DOCUMENT], p=1)
