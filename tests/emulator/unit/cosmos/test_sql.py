"""The query language: what is undefined, what matches, what is refused, and how pages follow each other."""

import base64
import contextlib
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.core.errors import ServiceError
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
        "c.n <> 4",
        "c.n > 4 AND c.n <= 5 AND NOT c.n < 5",
        "c.n > -5 AND c.n < 5.5e1",
        "c.missing = 1 OR c.n = 5",
        "c.n IN (1, 5) AND c.s NOT IN ('a')",
        "STARTSWITH(c.s, 'Te') AND ENDSWITH(c.s, 'xt') AND CONTAINS(c.s, 'ex') AND CONTAINS(c.s, 'EX', true)",
        "LOWER(c.s) = 'text' AND UPPER(c.s) = 'TEXT' AND LENGTH(c.s) = 4",
        "IS_DEFINED(c.null) AND NOT IS_DEFINED(c.missing) AND IS_NULL(c.null) AND NOT IS_NULL(c.missing)",
        "ARRAY_CONTAINS(c.list, 1) AND ARRAY_CONTAINS(c.list, @part, true) AND NOT ARRAY_CONTAINS(c.list, @part)",
        "c['o'].x['y'] = 1 AND c.list[1].b = 2 AND ARRAY_LENGTH(c.list) = 2",
        "c.list[1] = @whole AND c.null = null AND c.t = true",
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
        "c.missing IN (1)",
        "c.missing NOT IN (1)",
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


@pytest.mark.parametrize(
    ("query", "want"),
    [
        (
            "SELECT c.id, c.o.x.y, c.n AS number, LENGTH(c.s), c.missing FROM c",
            {"id": "1", "y": 1, "number": 5, "$1": 4},
        ),
        ("SELECT VALUE [c.id, c.missing] FROM c", ["1"]),
        ("select value r.id from root r", "1"),
        ("SELECT VALUE 'it''s' FROM c", None),
        (r"SELECT VALUE 'a\'b\u0041\n' FROM c", "a'bA\n"),
    ],
)
def test_a_selection_names_its_members(query: str, want: Any) -> None:
    """Names come from the alias, the last member of the path, or a number; undefined values are left out."""
    if want is None:
        with pytest.raises(ServiceError, match="SC1001"):
            sql.parse(query)
        return
    assert _run(query, [DOCUMENT]) == [want]


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


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT TOP 5 * FROM c", "TOP in queries"),
        ("SELECT DISTINCT c.a FROM c", "DISTINCT in queries"),
        ("SELECT * FROM c JOIN d IN c.list", "JOIN in queries"),
        ("SELECT * FROM d IN c.list", "FROM … IN in queries"),
        ("SELECT * FROM c ORDER  BY c.x", "ORDER BY in queries"),
        ("SELECT * FROM c OFFSET 1 LIMIT 2", "OFFSET in queries"),
        ("SELECT c.x FROM c GROUP BY c.x", "GROUP BY in queries"),
        ("SELECT * FROM c WHERE c.s LIKE 'x%'", "LIKE in queries"),
        ("SELECT * FROM c WHERE c.n BETWEEN 1 AND 2", "BETWEEN in queries"),
        ("SELECT * FROM c WHERE EXISTS(SELECT VALUE d FROM d IN c.list)", "EXISTS in queries"),
        ("SELECT * FROM (SELECT c.x FROM c) AS d", "subqueries"),
        ("SELECT VALUE ARRAY(SELECT d FROM d IN c.list) FROM c", "ARRAY in queries"),
        ("SELECT udf.tax(c.n) FROM c", "UDF in queries"),
        ("SELECT VALUE COUNT(1) FROM c", "the function COUNT in queries"),
        ("SELECT * FROM c WHERE SUBSTRING(c.s, 0, 1) = 'x'", "the function SUBSTRING in queries"),
        ("SELECT c.n + 1 FROM c", "the operator + in queries"),
        ("SELECT c.n * 2 FROM c", "the operator * in queries"),
        ("SELECT c.n - c.m FROM c", "the operator - in queries"),
        ("SELECT c.s || 'x' FROM c", "the operator || in queries"),
        ("SELECT c.n ?? 1 FROM c", "the operator ?? in queries"),
        ("SELECT VALUE {'a': c.n} FROM c", "objects in queries"),
    ],
)
def test_what_only_azures_queries_have_is_named(query: str, named: str) -> None:
    """Nobody should look for a mistake in a query that Azure would run."""
    with pytest.raises(ServiceError) as caught:
        _run(query, [DOCUMENT])
    assert (caught.value.status_code, caught.value.code) == (400, "NotSupportedByLocalAzure")
    assert caught.value.message.startswith(f"The local Azure does not have {named}")


def test_such_words_may_be_names_of_members_and_texts() -> None:
    """Only keywords and operators are looked for."""
    document = {"top": "JOIN + ORDER BY", "limit": 1}
    query = "SELECT c.top, c.limit FROM c WHERE c.top = 'JOIN + ORDER BY' AND c.limit = @limit -- LIKE"
    assert _run(query, [document], limit=1) == [document]


@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT", "SC1001"),
        ("SELECT * FROM c WHERE", "near the end"),
        ("SELECT * FROM c WHERE c.x = #", "near '#'"),
        ("DELETE FROM c", "near 'DELETE'"),
        ("SELEC * FROM c", "near 'SELEC'"),
        ("SELECT c.value FROM c", "near 'value'"),
        ("SELECT c.id AS value FROM c", "near 'value'"),
        ("SELECT * FROM c WHERE c.order = 1", "near 'order'"),
        ("SELECT * FROM c WHERE x.y = 1", "Identifier 'x'"),
        ("SELECT * FROM c WHERE c.x = @missing", "'@missing'"),
        ("SELECT * FROM c WHERE LOWER(c.x, c.y) = 'a'", "The LOWER function requires other arguments."),
        ("SELECT * FROM c WHERE FOO(c.x)", "'FOO' is not a recognized built-in function name."),
        ("SELECT c.a, c.b.a FROM c", "two members called 'a'"),
    ],
)
def test_a_query_that_cannot_run_says_why(query: str, want: str) -> None:
    """The answer is a 400, with the position where there is one."""
    with pytest.raises(ServiceError) as caught:
        _run(query, [DOCUMENT])
    assert (caught.value.status_code, caught.value.code) == (400, "BadRequest")
    assert want in caught.value.message


def test_brackets_name_a_member_that_is_a_keyword() -> None:
    """It is what Azure's documentation advises."""
    assert _run('SELECT c["value"] FROM c WHERE c["order"] = 1', [{"value": 2, "order": 1}]) == [{"value": 2}]


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
