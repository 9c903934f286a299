"""The map of a create: something does each node, and each row stands for a node."""

import copy
from typing import Any

import pytest

from tools.pages import mind_map

ROWS = mind_map.rows_of_plans()


def altered() -> dict[str, Any]:
    """Return a copy of the map to break."""
    return copy.deepcopy(mind_map.read())


def first_node(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return a node that a row does."""
    return next(node for group in drawn["groups"] for node in group["nodes"] if node.get("rows") == ["decide_names"])


def test_each_node_is_done_by_a_row_or_by_somebody_named_and_each_row_stands_for_a_node_or_says_why_not() -> None:
    """After adding a row, add its nodes to docs/mind-map.yaml and run `make docs`."""
    assert mind_map.problems(mind_map.read(), ROWS) == []


def test_a_node_that_nobody_does_is_a_problem() -> None:
    """It names neither rows nor another party."""
    drawn = altered()
    first_node(drawn)["rows"] = []
    assert any("nobody does" in problem for problem in mind_map.problems(drawn, ROWS))


@pytest.mark.parametrize("missing", ["by", "how", "where"])
def test_somebody_else_is_told_with_how_and_where(missing: str) -> None:
    """A name alone proves nothing."""
    drawn = altered()
    node = next(node for group in drawn["groups"] for node in group["nodes"] if "rows" not in node)
    del node[missing]
    assert any("nobody does" in problem for problem in mind_map.problems(drawn, ROWS))


def test_a_row_that_no_plan_has_is_a_problem() -> None:
    """The row was renamed or removed."""
    drawn = altered()
    first_node(drawn)["rows"] = ["decide_nothing"]
    assert "the map names the row decide_nothing, which no plan has" in mind_map.problems(drawn, ROWS)
    assert any("which no plan has" in problem for problem in mind_map.problems(mind_map.read(), ROWS[1:]))


def test_a_row_without_a_node_needs_a_reason() -> None:
    """Nobody can add one unnoticed."""
    assert any("new_row stands for no node" in each for each in mind_map.problems(mind_map.read(), [*ROWS, "new_row"]))
    drawn = altered()
    drawn["ours"] |= {"cancel_superseded": ""}
    assert any("no reason for cancel_superseded" in each for each in mind_map.problems(drawn, ROWS))


def test_a_row_is_not_both_of_the_map_and_ours() -> None:
    """One of the two is wrong."""
    drawn = altered()
    drawn["ours"] |= {"decide_names": "because"}
    assert any("decide_names stands for a node" in each for each in mind_map.problems(drawn, ROWS))


@pytest.mark.parametrize(
    "place", ["shared/nothing.py:x", "activities/azure/dns.py:no_such_name", "activities/azure/dns.py:create_dn"]
)
def test_a_place_in_the_code_has_to_be_there(place: str) -> None:
    """Both the file and the whole name must exist."""
    drawn = altered()
    first_node(drawn)["where"] = [place]
    assert any(f"points at {place}" in problem for problem in mind_map.problems(drawn, ROWS))


def test_only_who_exists_does_anything() -> None:
    """A misspelt party would be nobody."""
    drawn = altered()
    first_node(drawn)["by"] = "somebody"
    assert any("is done by 'somebody'" in problem for problem in mind_map.problems(drawn, ROWS))
