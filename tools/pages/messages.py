"""The messages of docs/operations.md: what each row's failure says, and whose each error code is."""

import ast
from functools import cache
from pathlib import Path

from orchestrators.plans import PLANS
from shared.arm.errors import CloudError, ErrorCode
from tools.pages.markdown import code, duration, table
from tools.pages.sources import modules

REPOSITORY = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- messages: begin, written by `make docs` -->", "<!-- messages: end -->"
_ERRORS = "shared/arm/errors.py"
_WORDS = """\
A step that fails says: the error of Azure or of the cluster, or that its deadline passed and what it waited for; and in `error.details` the step, a remedy, whose it is and the correlation id. The remedy is the row's, in the table below, for what the step itself finds wrong; the service's own failures, outages and the codes that Azure names have their own (`activities/runtime/remedies.py`).
"""


def put_into(now: str) -> str:
    """Return the page with its tables as they are today.

    Raises:
        ValueError: the page has no place for them.
    """
    before, begin, rest = now.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{_WORDS}\n{_steps()}\n\n{_codes()}\n{END}{after}"


def _steps() -> str:
    lines: dict[tuple[str, ...], list[str]] = {}
    for plan, rows in PLANS.items():
        for row in rows:
            lines.setdefault((row.name, row.waits_for, duration(row.deadline), row.message), []).append(plan)
    head = ("step", "plan", "waits for", "at most", "what it advises")
    return table(head, [(f"`{name}`", ", ".join(plans), *rest) for (name, *rest), plans in lines.items()])


def _codes() -> str:
    head = ("code", "whose, unless the error says otherwise", "answered by")
    lines = [(f"`{each}`", str(CloudError(400, each, "").owner), code(used_in(each.name))) for each in ErrorCode]
    return "A code of Azure's own passes unchanged; these are the provider's.\n\n" + table(head, lines)


def used_in(name: str) -> list[str]:
    """Return the modules that answer a code: by its name, or through a constructor of errors.py that does."""
    functions = [node for node in ast.walk(modules()[_ERRORS]) if isinstance(node, ast.FunctionDef)]
    wanted = {name, *(function.name for function in functions if name in _names(function))}
    return [path for path, module in modules().items() if path != _ERRORS and wanted & _names(module)]


@cache
def _names(tree: ast.AST) -> frozenset[str]:
    """Return every X of `ErrorCode.X` in a tree, and the names of the functions that it calls."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in ("ErrorCode", "errors"):
                found.add(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
    return frozenset(found)
