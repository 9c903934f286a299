"""docs/plans.md: every row of every plan, and how the rows depend on one another."""

from activities.targets import ACTIVITIES
from orchestrators.plans import PLANS
from orchestrators.plans.predicates import PREDICATES
from orchestrators.plans.rows import Row
from orchestrators.retry import POLICIES
from tools.pages import mind_map
from tools.pages.markdown import code, duration, table

_HEAD = """\
# The plans

This page shows every step of every operation. `make docs` writes it from `orchestrators/plans/`. [documents.md](documents.md#plan-row) explains the members of a row, [operations.md](operations.md#messages) lists what its failure says, and [mind-map.md](mind-map.md) says where a row comes from.

Times are Azure's; `TIME_SCALE` divides them. In the pictures:

* a box runs once, a rounded box begins something and polls until it is done, a hexagon only polls;
* a dashed shape is skipped for some clusters;
* an arrow leads from a row to a row that needs it. Needs that follow from other arrows are not drawn.
"""
_SHAPES = {"action": '["{}"]', "begin-and-poll": '(["{}"])', "condition": '{{{{"{}"}}}}'}


def page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(_plan(name, rows) for name, rows in PLANS.items()) + _policies()


def _plan(name: str, rows: tuple[Row, ...]) -> str:
    return f"\n## {name.capitalize()}\n\n{_picture(rows)}\n\n{_table(rows)}\n\n{_left_out(rows)}"


def _picture(rows: tuple[Row, ...]) -> str:
    lines = ["```mermaid", "flowchart LR"]
    for section in dict.fromkeys(row.section for row in rows):
        lines.append(f'  subgraph phase_{section.replace("-", "_")}["{section}"]')
        lines += [f"    row_{row.name}{_SHAPES[row.kind].format(row.name)}" for row in rows if row.section == section]
        lines.append("  end")
    lines += [f"  row_{need} --> row_{row.name}" for row in rows for need in direct_needs(row, rows)]
    if conditional := [f"row_{row.name}" for row in rows if row.when]:
        lines += ["  classDef conditional stroke-dasharray: 4 3", f"  class {','.join(conditional)} conditional"]
    return "\n".join([*lines, "```"])


def direct_needs(row: Row, rows: tuple[Row, ...]) -> list[str]:
    """Return what a row needs, except what another of its needs already needs."""
    implied = {far for need in row.needs for far in _all_needs(need, rows)}
    return [need for need in row.needs if need not in implied]


def _all_needs(name: str, rows: tuple[Row, ...]) -> set[str]:
    needs = set(next(row.needs for row in rows if row.name == name))
    return needs | {far for need in needs for far in _all_needs(need, rows)}


def _table(rows: tuple[Row, ...]) -> str:
    head = (
        "row", "phase", "kind", "needs", "when", "waits for", "deadline", "poll", "tried again", "activity",
        "node of the map",
    )  # fmt: skip
    nodes = mind_map.nodes_by_row()
    return table(head, [_cells(row, nodes.get(row.name, [])) for row in rows])


def _cells(row: Row, nodes: list[str]) -> list[str]:
    module, _, attribute = ACTIVITIES[row.executor].partition(":")
    path = f"{module.replace('.', '/')}.py"
    shortest = f", {duration(row.shortest)} at least" if row.shortest else ""
    return [
        f"`{row.name}`",
        row.section,
        row.kind + (", reported with other checks" if row.together else ""),
        code(row.needs) or "nothing",
        f"`{row.when}`" if row.when else "always",
        row.waits_for,
        duration(row.deadline) + shortest,
        duration(row.poll) + (f", usually done after {duration(row.usual)}" if row.usual else ""),
        f"`{row.retry}`",
        f"[`{attribute}`](../{path}) of `{path}`",
        "; ".join(nodes) or mind_map.ours().get(row.name, ""),
    ]


def _left_out(rows: tuple[Row, ...]) -> str:
    names = sorted({row.when for row in rows if row.when})
    if not names:
        return "No row is ever skipped.\n"
    lines = []
    for name in names:
        mine = code(row.name for row in rows if row.when == name)
        reasons = ", or if ".join(condition.reason for condition in PREDICATES[name])
        lines.append(f"* `{name}`: {mine}; skipped if {reasons}.")
    return "\n".join(lines) + "\n"


def _policies() -> str:
    head = ("tried again", "error class", "every", "within", "how")
    how = {"same": "repeats the call that failed", "run": "begins the row again"}
    lines = [
        (f"`{name}`", again, duration(policy.every), duration(policy.within), how[policy.verb])
        for name, policies in POLICIES.items()
        for again, policy in policies.items()
    ]
    return f"\n## What is tried again\n\nAn error of any other class fails its row at once.\n\n{table(head, lines)}\n"
