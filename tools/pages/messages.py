"""The messages of docs/operations.md: each row's failure, who is responsible for each error code, codes of readiness."""

import ast
from functools import cache
from pathlib import Path

from frontend.readiness import MEANINGS
from orchestrators.plans import PLANS
from shared.arm.errors import CloudError, ErrorCode
from tools.pages.markdown import code, duration, table
from tools.pages.member_readers import modules

REPOSITORY = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- messages: begin, written by `make docs` -->", "<!-- messages: end -->"
_ERRORS = "shared/arm/errors.py"
_WORDS = """\
A failed step reports the error of Azure or of the cluster, or that its deadline passed and what it waited for. `error.details` has the step, a remedy, who is responsible, and the correlation id. If the step itself finds something wrong, the remedy is the row's advice in the first table. The service's own failures, outages and the codes that Azure names have remedies of their own (`shared/remedies.py`).
"""


def put_into(now: str) -> str:
    """Return the page with its tables up to date.

    Raises:
        ValueError: the page has no place for them.
    """
    before, begin, rest = now.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{_WORDS}\n{_steps()}\n\n{_codes()}\n\n{_readiness()}\n{END}{after}"


def _steps() -> str:
    lines: dict[tuple[str, ...], list[str]] = {}
    for plan, rows in PLANS.items():
        for row in rows:
            lines.setdefault((row.name, row.waits_for, duration(row.deadline), row.message), []).append(plan)
    head = ("step", "plan", "waits for", "at most", "advice")
    return table(head, [(f"`{name}`", ", ".join(plans), *rest) for (name, *rest), plans in lines.items()])


def _codes() -> str:
    head = ("code", "responsible, unless the error says otherwise", "answered by")
    lines = [(f"`{each}`", str(CloudError(400, each, "").owner), code(used_in(each.name))) for each in ErrorCode]
    return "Codes of Azure pass through unchanged. These codes are the provider's own.\n\n" + table(head, lines)


def _readiness() -> str:
    lines = [(f"`{each}`", meaning, remedy) for each, (meaning, remedy) in MEANINGS.items()]
    return "Codes of `GET /healthz/ready`:\n\n" + table(("code", "meaning", "remedy"), lines)


def used_in(name: str) -> list[str]:
    """Return the modules that answer a code: they name it, or call a constructor of `errors.py` that does."""
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
