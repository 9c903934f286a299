"""docs/mind-map.md: each node of the map of a create, and the row, or the other party, that does it.

docs/mind-map.yaml lists the nodes. `problems` checks them, and a unit test expects it to find none.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from orchestrators.plans import PLANS
from tools.pages.markdown import code, table

REPOSITORY = Path(__file__).resolve().parents[2]
# The parties that can do a node if no row does it.
BY = ("customer", "client", "ARM", "frontend", "engine", "timer", "cluster", "operators", "docs")
_HEAD = """\
# The map of a create

In June 2020 the creation of a cluster was drawn as a map. This page lists each node of that map and what does it here, for people who know the map or check that nothing was forgotten. `make docs` writes it from [mind-map.yaml](mind-map.yaml). [plans.md](plans.md) explains the rows.
"""

Map = dict[str, Any]
Node = dict[str, Any]


@cache
def read() -> Map:
    """Return the content of docs/mind-map.yaml."""
    found: Map = yaml.safe_load((REPOSITORY / "docs/mind-map.yaml").read_text(encoding="utf-8"))
    return found


def rows_of_plans() -> list[str]:
    """Return the name of every row, once."""
    return list(dict.fromkeys(row.name for rows in PLANS.values() for row in rows))


def nodes_by_row() -> dict[str, list[str]]:
    """Return the nodes that each row stands for."""
    found: dict[str, list[str]] = {}
    for group in read()["groups"]:
        for node in group["nodes"]:
            for row in node.get("rows", ()):
                found.setdefault(row, []).append(node["node"])
    return found


def ours() -> dict[str, str]:
    """Return, for each row that stands for no node, the reason."""
    return {row: f"none: {why}" for row, why in read()["ours"].items()}


def problems(drawn: Map, rows: list[str]) -> list[str]:
    """Return what is wrong with a map, one sentence each."""
    nodes = [node for group in drawn["groups"] for node in group["nodes"]]
    named = {row for node in nodes for row in node.get("rows", ())}
    found = [problem for node in nodes for problem in _node_problems(node)]
    found += [f"the map names the row {row}, which no plan has" for row in sorted(named - {*rows})]
    found += [f"'ours' names the row {row}, which no plan has" for row in drawn["ours"] if row not in rows]
    found += [f"{row} stands for a node, and is listed as ours" for row in drawn["ours"] if row in named]
    found += [
        f"{row} stands for no node, and 'ours' does not say why" for row in rows if row not in {*named, *drawn["ours"]}
    ]
    return found + [f"'ours' gives no reason for {row}" for row, why in drawn["ours"].items() if not why]


def _node_problems(node: Node) -> list[str]:
    found = []
    if not node.get("rows") and not (node.get("by") and node.get("how") and node.get("where")):
        found.append(f"nobody does '{node['node']}': name rows, or by, how and where")
    if node.get("by", BY[0]) not in BY:
        found.append(f"'{node['node']}' is done by '{node['by']}', which is none of {', '.join(BY)}")
    return found + [
        f"'{node['node']}' points at {place}, which is not there"
        for place in node.get("where", ())
        if not exists(place)
    ]


def exists(place: str) -> bool:
    """Tell whether a `path:words` exists: the file, and the words in it."""
    path, _, words = place.partition(":")
    file = REPOSITORY / path
    return file.is_file() and bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", file.read_text(encoding="utf-8")))


def page() -> str:
    """Return the whole page."""
    drawn = read()
    parts = [_HEAD]
    for group in drawn["groups"]:
        lines = [(node["node"], code(node.get("rows", ())), _by(node)) for node in group["nodes"]]
        parts.append(f"\n## {group['group']}\n\n{table(('node', 'rows', 'who else, and where'), lines)}\n")
    own = [(f"`{row}`", drawn["ours"][row]) for row in rows_of_plans() if row in drawn["ours"]]
    parts.append(f"\n## Rows without a node\n\n{table(('row', 'why the map has no node for it'), own)}\n")
    return "".join(parts)


def _by(node: Node) -> str:
    told = f"{node['by']}: {node['how']}" if node.get("by") else ""
    places = ", ".join(_link(place) for place in node.get("where", ()))
    return "; ".join(part for part in (told, places) if part)


def _link(place: str) -> str:
    path, _, words = place.partition(":")
    return f"[`{words}`](../{path}) of `{path}`"
