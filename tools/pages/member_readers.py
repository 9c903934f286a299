"""Finds the functions of the product that read a member of the cluster, by searching their syntax trees.

A function reads `parent.leaf` if it takes `["leaf"]` or `.get("leaf")` from a value that it got, directly or not, from
`["parent"]`; or from an argument, in a module that mentions the parent. The search misses computed names, which the
product does not use.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# The product without the model, whose rows describe members but do not use them.
_FOLDERS = ("http/frontend", "orchestrators", "activities", "timers", "installer", "shared")
_MODEL = ("shared/clusters/members.py", "shared/clusters/api_versions.py")


@dataclass(frozen=True, order=True)
class Reader:
    """A function that reads a member: its module's path and its name."""

    path: str
    function: str


@cache
def modules() -> dict[str, ast.Module]:
    """Return the product's modules by path."""
    files = (file for folder in _FOLDERS for file in sorted((REPOSITORY / folder).rglob("*.py")))
    found = {str(file.relative_to(REPOSITORY)): file for file in files}
    return {path: ast.parse(file.read_text(encoding="utf-8")) for path, file in found.items() if path not in _MODEL}


def readers(parent: str, leaf: str, sources: dict[str, ast.Module] | None = None) -> list[Reader]:
    """Return the functions that read a member, ordered by path.

    Args:
        parent: the object that holds the member, such as `masterProfile`; `cluster` for members at the top.
        leaf: the member's name.
        sources: modules by path; defaults to the product's.
    """
    found = set()
    for path, module in (sources or modules()).items():
        for read in _reads(module).get(leaf, ()):
            if parent.lower() in read.words or (read.of_argument and parent.lower() in _words_of(module)):
                found.add(Reader(path, read.function))
    return sorted(found)


@dataclass(frozen=True)
class _Read:
    """A place where a function takes a member: the words of the holder, and whether the holder is an argument."""

    function: str
    words: frozenset[str]
    of_argument: bool


@cache
def _reads(module: ast.Module) -> dict[str, list[_Read]]:
    """Return every place in a module that takes a member from something, by the member's name."""
    found: dict[str, list[_Read]] = {}
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        taken = [each for node in ast.walk(function) if (each := _taken(node))]
        if not taken:
            continue
        origins = _origins(function)
        arguments = {node.arg.lower() for node in ast.walk(function) if isinstance(node, ast.arg)}
        for leaf, holder in taken:
            own = _words(holder)
            words = own.union(*(origins.get(word, set()) for word in own))
            named = words if isinstance(holder, ast.Name) else set()
            of_argument = bool(named & arguments) and named <= arguments | own
            found.setdefault(leaf, []).append(_Read(function.name, frozenset(words), of_argument))
    return found


def _taken(node: ast.AST) -> tuple[str, ast.expr] | None:
    """Return the member that a node takes, and the expression that it takes it from."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        key, holder = node.slice, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        key, holder = node.args[0], node.func.value
    else:
        return None
    return (key.value, holder) if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _origins(function: ast.AST) -> dict[str, set[str]]:
    """Return, for each name bound in a function, every word of the values that it is bound to."""
    bindings = [(_words(target), _words(value)) for node in ast.walk(function) for target, value in _bindings(node)]
    found: dict[str, set[str]] = {}
    # Two passes, so that a name bound to another name gets that name's words.
    for targets, words in bindings * 2:
        known = words.union(*(found.get(word, set()) for word in words))
        for name in targets:
            found.setdefault(name, set()).update(known)
    return found


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=False)
            else:
                yield target, node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.target, node.iter


@cache
def _words_of(module: ast.Module) -> set[str]:
    return _words(module)


def _words(node: ast.AST) -> set[str]:
    """Return every name, attribute and text in an expression, in lower case."""
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            found.add(each.id.lower())
        elif isinstance(each, ast.Attribute):
            found.add(each.attr.lower())
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            found.add(each.value.lower())
    return found
