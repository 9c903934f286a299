"""Query plans, with which the gateway tells a client how to run a query across partitions.

The gateway itself runs filters and projections across partitions. It refuses queries whose results must be combined
from several partitions (order, counts, sums, distinct values). The client then asks for a plan, sends the plan's
rewritten query to each partition, and combines the results.
"""

import json
from typing import Any

from emulator.cosmos.exceptions import bad_request
from emulator.cosmos.sql.execution import named_columns
from emulator.cosmos.sql.expressions import Compiler
from emulator.cosmos.sql.statements import Node, Statement

# The client replaces this with a filter that resumes within the order, or with `true` as long as it has none.
ORDER_BY_FILTER = "{documentdb-formattableorderbyquery-filter}"
_AGGREGATE_NAMES = {"COUNT": "Count", "SUM": "Sum", "MIN": "Min", "MAX": "Max", "AVG": "Average"}


def needs_plan(statement: Statement) -> bool:
    """Tell whether the client has to combine the results of a query across partitions."""
    return bool(
        statement.aggregates
        or statement.order
        or statement.distinct
        or statement.top is not None
        or statement.offset is not None
    )


def plan(statement: Statement, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the plan of a statement.

    Raises:
        CosmosError: 400 if an aggregate is part of another expression.
    """
    compiler = Compiler(statement.alias, parameters)
    counts = {
        name: None if node is None else compiler.count(node)
        for name, node in (("top", statement.top), ("offset", statement.offset), ("limit", statement.limit))
    }
    orders = [statement.cut(_expression(sort)) for sort in statement.order]
    return {
        "partitionedQueryExecutionInfoVersion": 2,
        "queryInfo": {
            "distinctType": _distinct(statement, orders),
            **counts,
            "orderBy": [
                "Descending" if str(sort.children[-1]).upper() == "DESC" else "Ascending" for sort in statement.order
            ],
            "orderByExpressions": orders,
            "groupByExpressions": [],
            "groupByAliases": [],
            "aggregates": [_AGGREGATE_NAMES[str(call.children[0]).upper()] for call in _aggregates(statement)],
            "groupByAliasToAggregateType": {},
            "rewrittenQuery": _rewritten(statement, counts, orders),
            "hasSelectValue": statement.select.data == "select_value",
            "hasNonStreamingOrderBy": False,
        },
        "queryRanges": [{"min": "", "max": "FF", "isMinInclusive": True, "isMaxInclusive": False}],
    }


def _expression(sort: Node) -> Any:
    return sort.children[0]


def _aggregates(statement: Statement) -> list[Node]:
    if any(aggregate not in statement.outputs for aggregate in statement.aggregates):
        raise bad_request("Compositions of aggregates and other expressions are not allowed.")
    return statement.aggregates


def _distinct(statement: Statement, orders: list[str]) -> str:
    if not statement.distinct:
        return "None"
    return "Ordered" if orders and [statement.cut(output) for output in statement.outputs] == orders else "Unordered"


def _rewritten(statement: Statement, counts: dict[str, int | None], orders: list[str]) -> str:
    """Return the query for each partition; "" if it is the original query."""
    limit, offset = counts["limit"], counts["offset"]
    paging = "" if limit is None or offset is None else f" OFFSET 0 LIMIT {offset + limit}"
    where = "" if statement.where is None else f"({statement.cut(statement.where)})"
    source = f"FROM {statement.alias}"
    if statement.order:
        items = ", ".join(f'{{"item": {expression}}}' for expression in orders)
        # The client drops equal values, so a partition must not limit its results before that.
        top = "" if counts["top"] is None or statement.distinct else f"TOP {counts['top']} "
        paging = "" if statement.distinct else paging
        sorts = ", ".join(statement.cut(sort) for sort in statement.order)
        condition = f"{where} AND ({ORDER_BY_FILTER})" if where else f"({ORDER_BY_FILTER})"
        return (
            f"SELECT {top}{statement.alias}._rid, [{items}] AS orderByItems, {_payload(statement)} AS payload "
            f"{source} WHERE {condition} ORDER BY {sorts}{paging}"
        )
    if statement.aggregates:
        items = ", ".join(_partial(statement, call) for call in statement.aggregates)
        return f"SELECT VALUE [{items}] {source}" + (f" WHERE {where}" if where else "")
    if paging:
        distinct = "DISTINCT " if statement.distinct else ""
        selection = f"VALUE {_payload(statement)}"
        return f"SELECT {distinct}{selection} {source}" + (f" WHERE {where}" if where else "") + paging
    return ""


def _payload(statement: Statement) -> str:
    if statement.select.data == "select_all":
        return statement.alias
    if statement.select.data == "select_value":
        return statement.cut(statement.outputs[0])
    members = ", ".join(f"{json.dumps(name)}: {statement.cut(node)}" for name, node in named_columns(statement))
    return f"{{{members}}}"


def _partial(statement: Statement, call: Node) -> str:
    """Return the expression for one partition's share of an aggregate; an average needs sum and count."""
    if str(call.children[0]).upper() != "AVG":
        return f'{{"item": {statement.cut(call)}}}'
    argument: Any = call.children[1]
    text = statement.cut(argument)
    return f'{{"item": {{"sum": SUM({text}), "count": COUNT({text})}}}}'
