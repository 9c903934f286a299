"""The rules of a cluster's members, one at a time, and the model without one of them.

A rule is a property of a row (that the member is required, its values, that it is fixed), or one `yield` of a check.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from types import ModuleType
from typing import Any

from shared.clusters import member_types
from shared.clusters.members import MEMBERS, Member
from tests.product.unit.frontend.clusters.test_no_value_is_dropped import ROWS

Change = Callable[[Member], Member]
REQUIRED, FIXED, ANY_CASE = "is required", "is fixed at create", "may come in another case"
_FIXED = (member_types.Rule.CREATE, member_types.Rule.CREATE_ANY_CASE)
_IN_THE_CASE_THAT_CAME = {
    member_types.Rule.CREATE_ANY_CASE: member_types.Rule.CREATE,
    member_types.Rule.MUTABLE_ANY_CASE: member_types.Rule.MUTABLE,
}
# Members whose every other value is refused by another rule before that. Another name makes another array.
_NEVER_ACCEPTED = frozenset(
    {
        "location",
        "identity.type",
        "properties.workerProfiles[].name",
        "properties.ingressProfiles[].name",
        # Rows of `api_versions.py` say it for each version.
        "properties.workerProfiles[].count",
    }
)
# The checks of these members refuse the same, and say more.
_SP, _SDN = "properties.servicePrincipalProfile", "properties.networkProfile.softwareDefinedNetwork"
# What a row may require, and the row without it.
_PROPERTIES: dict[str, tuple[Callable[[Member], object], Change]] = {
    REQUIRED: (lambda row: row.required and row.path != _SP, partial(replace, required=False)),
    "has one of a few values": (lambda row: row.values and row.path != _SDN, partial(replace, values=())),
    FIXED: (
        lambda row: row.rule in _FIXED and row in ROWS and row.path not in _NEVER_ACCEPTED,
        partial(replace, rule=member_types.Rule.MUTABLE),
    ),
    ANY_CASE: (
        lambda row: row.rule in member_types.ANY_CASE,
        lambda row: replace(row, rule=_IN_THE_CASE_THAT_CAME[row.rule]),
    ),
}


@dataclass(frozen=True)
class Rule:
    """One rule.

    Args:
        path: path of the first member that has it.
        name: what it is: one of the properties, or the check and what it yields.
        change: returns a row without it.
    """

    path: str
    name: str
    change: Change

    def members(self) -> tuple[Member, ...]:
        """Return the table without this rule."""
        return tuple(self.change(row) for row in MEMBERS)


def rules() -> Iterator[Rule]:
    """Yield every rule."""
    for row in MEMBERS:
        for name, (has, change) in _PROPERTIES.items():
            if has(row):
                yield Rule(row.path, name, partial(_only, row.path, change))
    for check, path in _checks().items():
        for number, line in enumerate(_yields(check)):
            yield Rule(path, f"`{check.__name__}`, {number + 1}: {line}", partial(_without_yield, check, number))


def _only(path: str, change: Change, row: Member) -> Member:
    return change(row) if row.path == path else row


def _checks() -> dict[Callable[..., Any], str]:
    """Return each check, and the path of the first member that has it."""
    found: dict[Callable[..., Any], str] = {}
    for row in MEMBERS:
        if row.check is not None:
            found.setdefault(row.check, row.path)
    return found


def _yields(check: Callable[..., Any]) -> list[str]:
    """Return what a check and its helpers yield, each `yield` as its source, without those that only pass on."""
    return [_summary(node) for node in _nodes(_module(check), check.__name__)]


def _summary(node: ast.Expr) -> str:
    """Return the texts in a statement, which say what is wrong."""
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    text = " ... ".join(part for part in (" ".join(each.split()) for each in texts) if len(part) > 3)
    return text if len(text) <= 90 else f"{text[:90]}..."


def _nodes(tree: ast.Module, name: str) -> list[ast.Expr]:
    """Return the statements that yield, in a function and in the generators that it calls."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found: list[ast.Expr] = []
    for node in ast.walk(functions[name]):
        if not isinstance(node, ast.Expr):
            continue
        if isinstance(node.value, ast.Yield):
            found.append(node)
        elif isinstance(node.value, ast.YieldFrom):
            call = node.value.value
            helper = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
            found += _nodes(tree, helper) if helper in functions else [node]
    return found


def _module(check: Callable[..., Any]) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[check.__module__]))


def _without_yield(check: Callable[..., Any], number: int, row: Member) -> Member:
    return replace(row, check=_mutant(check, number)) if row.check is check else row


@cache
def _mutant(check: Callable[..., Any], number: int) -> Callable[..., Any]:
    """Return a check in which one statement yields nothing."""
    tree = _module(check)
    node = _nodes(tree, check.__name__)[number]
    node.value = ast.YieldFrom(ast.Tuple([], ast.Load()))
    origin = sys.modules[check.__module__]
    mutant = ModuleType(f"{origin.__name__}_without_{number}")
    # Enums and dataclasses of the module look up their own module.
    sys.modules[mutant.__name__] = mutant
    exec(compile(ast.fix_missing_locations(tree), origin.__file__ or "", "exec"), mutant.__dict__)  # noqa: S102 - our own source
    changed: Callable[..., Any] = getattr(mutant, check.__name__)
    return changed
