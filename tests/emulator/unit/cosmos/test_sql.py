"""The query language: what is undefined, what matches, what is refused, and how pages follow each other."""

import base64
import contextlib
import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.cosmos import sql
from emulator.cosmos.exceptions import CosmosError
from emulator.cosmos.sql.values import UNDEFINED, deep_equals, equals, order

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
        "c.n + 1 = 6 AND c.n * 2 - 4 = 6 AND c.n / 2 = 2.5 AND c.n % 3 = 2 AND -c.n < 0",
        "c.missing = 1 OR c.n = 5",
        "c.n IN (1, 5) AND c.s NOT IN ('a')",
        "c.n BETWEEN 5 AND 6 AND c.n NOT BETWEEN 6 AND 7",
        "c.s LIKE 'T%t' AND c.s LIKE '_ext' AND c.s LIKE '[A-Z]ext' AND c.s NOT LIKE 'x%'",
        "STARTSWITH(c.s, 'Te') AND ENDSWITH(c.s, 'xt') AND CONTAINS(c.s, 'ex') AND CONTAINS(c.s, 'EX', true)",
        "LOWER(c.s) = 'text' AND UPPER(c.s) = 'TEXT' AND LENGTH(c.s) = 4 AND c.s || '!' = 'Text!'",
        "IS_DEFINED(c.null) AND NOT IS_DEFINED(c.missing) AND IS_NULL(c.null) AND NOT IS_NULL(c.missing)",
        "ARRAY_CONTAINS(c.list, 1) AND ARRAY_CONTAINS(c.list, {'a': 1}, true) AND NOT ARRAY_CONTAINS(c.list, {'a': 1})",
        "c['o'].x['y'] = 1 AND c.list[1].b = 2 AND ARRAY_LENGTH(c.list) = 2",
        "c.o = {'x': {'y': 1}} AND c.null = null AND c.t = true",
        "c.t",
    ],
)
def test_a_condition_that_holds_matches(condition: str) -> None:
    """Operators, functions and paths do what they say."""
    assert len(_run(f"SELECT * FROM c WHERE {condition}", [DOCUMENT])) == 1  # noqa: S608 - the language under test


@pytest.mark.parametrize(
    "condition",
    [
        "c.missing = 1",
        "c.missing != 1",
        "NOT c.missing = 1",
        "c.missing IN (1)",
        "c.missing NOT IN (1)",
        "c.missing NOT BETWEEN 1 AND 2",
        "c.n = '5'",
        "c.n != '5'",
        "c.n < '6'",
        "c.t = 1",
        "c.list > 1",
        "c.missing = undefined",
        "STARTSWITH(c.n, '5')",
        "c.s",
        "c.n / 0 = 1",
        "1e308 * 10 > 1",
        "1e308 * 10 % 3 >= 0",
    ],
)
def test_what_is_undefined_never_matches(condition: str) -> None:
    """Neither a comparison across types nor its negation lets a document pass."""
    assert _run(f"SELECT * FROM c WHERE {condition}", [DOCUMENT]) == []  # noqa: S608 - the language under test


@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT c.id, c.o.x.y, c.n AS number, c.n + 1, c.missing FROM c", {"id": "1", "y": 1, "number": 5, "$1": 6}),
        ("SELECT VALUE [c.id, c.missing, {'a': c.n, 'b': c.missing}] FROM c", ["1", {"a": 5}]),
        ("select value r.id from root r", "1"),
        ("SELECT COUNT(1) AS many, MAX(c.n) FROM c", {"many": 1, "$1": 5}),
        ("SELECT VALUE 'it''s' FROM c", None),
        (r"SELECT VALUE 'a\'b\u0041\n' FROM c", "a'bA\n"),
    ],
)
def test_a_selection_names_its_members(query: str, want: Any) -> None:
    """Names come from the alias, the last member of the path, or a number; undefined values are left out."""
    if want is None:
        with pytest.raises(CosmosError, match="SC1001"):
            sql.parse(query)
        return
    assert _run(query, [DOCUMENT]) == [want]


def test_values_of_different_types_have_an_order() -> None:
    """The order is undefined, null, booleans, numbers, strings, arrays, objects."""
    values: list[Any] = [UNDEFINED, None, False, True, -1, 2.5, "", "a", [], {}]
    for lower, higher in itertools.pairwise(values):
        assert order(lower, higher) < 0 < order(higher, lower)
    assert equals(True, 1) is UNDEFINED
    assert not deep_equals([True], [1])


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT VALUE c.i FROM c", [0, 1, 2, 3, 4, 5]),
        ("SELECT VALUE c.i FROM c ORDER BY c.g DESC, c.i", [2, 5, 1, 4, 0, 3]),
        ("SELECT VALUE c.i FROM c ORDER BY c.g OFFSET 1 LIMIT 3", [3, 1, 4]),
        ("SELECT TOP 4 VALUE c.i FROM c", [0, 1, 2, 3]),
        ("SELECT DISTINCT VALUE c.g FROM c", [0, 1, 2]),
        ("SELECT DISTINCT VALUE c.g FROM c ORDER BY c.g DESC OFFSET 1 LIMIT 5", [1, 0]),
        ("SELECT TOP @some VALUE c.i FROM c WHERE c.g = @g", [1]),
    ],
)
def test_pages_add_up_to_the_whole(query: str, want: list[int], size: int) -> None:
    """Whatever the size of pages, no result appears twice and none is missing."""
    assert _run(query, [{"i": i, "g": i % 3} for i in range(6)], size, some=1, g=1) == want


def test_an_aggregate_of_nothing() -> None:
    """COUNT and SUM are 0; MIN and MAX are undefined and give no result."""
    assert _run("SELECT VALUE COUNT(1) FROM c", []) == [0]
    assert _run("SELECT VALUE SUM(c.n) FROM c", []) == [0]
    assert _run("SELECT VALUE MAX(c.n) FROM c", []) == []
    assert _run("SELECT VALUE SUM(c.s) FROM c", [DOCUMENT]) == []


@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("SELECT", "SC1001"),
        ("SELECT * FROM c WHERE", "near the end"),
        ("SELECT * FROM c WHERE c.x = #", "near '#'"),
        ("DELETE FROM c", "near 'DELETE'"),
        ("SELECT * FROM c GROUP BY c.x", "SC1001"),
        ("SELECT * FROM c WHERE x.y = 1", "Identifier 'x'"),
        ("SELECT * FROM c WHERE c.x = @missing", "'@missing'"),
        ("SELECT * FROM c WHERE LOWER(c.x, c.y) = 'a'", "LOWER takes 1 to 1"),
        ("SELECT * FROM c WHERE COUNT(1) > 1", "COUNT stands in the select clause"),
        ("SELECT * FROM c WHERE c.s LIKE '[z-a]'", "LIKE"),
        ("SELECT c.a, c.b.a FROM c", "two members called 'a'"),
        ("SELECT TOP @text * FROM c", "take a number"),
    ],
)
def test_a_query_that_cannot_run_says_why(query: str, want: str) -> None:
    """The answer is a 400, with the position where there is one."""
    with pytest.raises(CosmosError) as caught:
        _run(query, [DOCUMENT], text="x")
    assert caught.value.status_code == 400
    assert want in caught.value.message


@pytest.mark.parametrize(
    "token",
    [
        "nonsense",
        "e30=",
        "W10=",
        "////",
        _token(key=1, sort=[]),
        _token(key="x", sort=1),
        _token(skip="1"),
        _token(skip=-1),
        _token(skip=0, left=-1),
        _token(skip=0, key="x"),
    ],
)
def test_a_token_that_nobody_gave_out_is_refused(token: str) -> None:
    """Accepting the token would return a page of other results."""
    with pytest.raises(CosmosError, match="Continuation"):
        sql.execute(sql.parse("SELECT * FROM c"), {}, lambda _: [], 10, token)


_WORDS = (
    "SELECT TOP DISTINCT VALUE * FROM c WHERE ORDER BY DESC OFFSET LIMIT AND OR NOT IN BETWEEN LIKE ( ) [ ] { } : , . "
    "= != < >= + - * / % || 1 0 2.5 'x' \"y\" @p c.n c.s c.list c.o.x c['n'] null true undefined COUNT SUM AVG MIN "
    "LOWER LENGTH SUBSTRING ARRAY_CONTAINS IS_DEFINED STARTSWITH"
)


@given(st.lists(st.sampled_from(_WORDS.split()), max_size=12), st.booleans())
def test_any_text_is_answered(words: list[str], whole: bool) -> None:
    """Every text gets results or a 400."""
    text = " ".join(words if whole else ["SELECT * FROM c WHERE", *words])
    rewritten = ""
    with contextlib.suppress(CosmosError):
        _run(text, [DOCUMENT], p=1)
        rewritten = sql.plan(sql.parse(text), {"@p": 1})["queryInfo"]["rewrittenQuery"]
    if rewritten:
        sql.parse(rewritten.replace("{documentdb-formattableorderbyquery-filter}", "true"))


def test_a_plan_leaves_each_partition_its_share() -> None:
    """The rewritten query returns sort values beside the result and has a place for the client's own filter."""
    plan = sql.plan(sql.parse("SELECT TOP 3 c.a, c.b AS x FROM c WHERE c.n > 1 ORDER BY c.n DESC"), {})["queryInfo"]
    assert (plan["top"], plan["orderBy"], plan["orderByExpressions"]) == (3, ["Descending"], ["c.n"])
    assert plan["rewrittenQuery"] == (
        'SELECT TOP 3 c._rid, [{"item": c.n}] AS orderByItems, {"a": c.a, "x": c.b} AS payload FROM c '
        "WHERE (c.n > 1) AND ({documentdb-formattableorderbyquery-filter}) ORDER BY c.n DESC"
    )
    with pytest.raises(CosmosError, match="Compositions of aggregates"):
        sql.plan(sql.parse("SELECT VALUE COUNT(1) + 1 FROM c"), {})
