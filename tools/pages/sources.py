"""Where the emulator's codes and texts come from: rows of refusals, and the marks `@said(…)` on functions that build errors.

The README of the emulator lists those from memory. The sources are read as text, so that nothing has to be imported.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.pages.markdown import code, table

REPOSITORY = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- from memory: begin, written by `make docs` -->", "<!-- from memory: end -->"
_ERROR, _MARK, _ROW = "ServiceError", "said", "Refusal"
# The class of errors, and that of the rows that make them.
_CLASSES = ("emulator/core/service_error.py", "emulator/core/refusals.py")
_CODE = re.compile(r"[A-Z][A-Za-z0-9_]{2,}(\.[A-Z][A-Za-z]+)*")


@dataclass(frozen=True)
class Builder:
    """A row of refusals, or a marked function that builds errors.

    Args:
        path: its file.
        name: name of the row or the function.
        source: its source: `MEMORY`, `OWN`, or the name of the function that makes the source.
        code: the code of the error; the function's name if the code is not a constant in it.
    """

    path: str
    name: str
    source: str
    code: str


def put_into(now: str) -> str:
    """Return the README of the emulator with its table up to date.

    Raises:
        ValueError: the README has no place for it.
    """
    before, begin, rest = now.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{_table()}\n{END}{after}"


def _table() -> str:
    found: dict[tuple[str, str], list[str]] = {}
    for builder in builders():
        if builder.source == "MEMORY":
            inside = builder.path.removeprefix("emulator/")
            found.setdefault((inside.partition("/")[0], inside), []).append(builder.code)
    lines = [
        (f"`{service}`", f"[{inside.partition('/')[2]}]({inside})", code(sorted(set(codes))))
        for (service, inside), codes in found.items()
    ]
    return table(("service", "where", "codes"), lines)


def builders() -> list[Builder]:
    """Return every row, and every function that is marked."""
    return [
        *(builder for path, module in _modules().items() for builder in _rows(path, module)),
        *(
            Builder(path, function.name, source, _code(function))
            for path, module in _modules().items()
            for function in ast.walk(module)
            if isinstance(function, ast.FunctionDef) and (source := _named(module, _source(function)))
        ),
    ]


def _rows(path: str, module: ast.Module) -> Iterator[Builder]:
    for statement in module.body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(row := statement.value, ast.Call)
            and _name(row.func) == _ROW
        ):
            _, given, source, *_ = row.args
            name = _name(source.func if isinstance(source, ast.Call) else source)
            code = given.value if isinstance(given, ast.Constant) else _name(given)
            yield Builder(path, _name(statement.targets[0]), _named(module, name), str(code))


@cache
def unmarked() -> list[str]:
    """Return the places, as `path:line`, that build an error outside a marked function."""
    errors = _errors()
    return [
        f"{path}:{call.lineno}"
        for path, module in _modules().items()
        if path not in _CLASSES
        for call in _outside_marks(module)
        if _name(call.func) in errors
    ]


@cache
def _modules() -> dict[str, ast.Module]:
    files = sorted((REPOSITORY / "emulator").rglob("*.py"))
    return {
        file.relative_to(REPOSITORY).as_posix(): ast.parse(file.read_text(encoding="utf-8"), str(file))
        for file in files
    }


def _errors() -> set[str]:
    """Return the names of the class of errors and of all classes that inherit from it."""
    parents = {
        node.name: {_name(base) for base in node.bases}
        for module in _modules().values()
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
    }
    found, size = {_ERROR}, 0
    while size != len(found):
        size = len(found)
        found |= {name for name, bases in parents.items() if bases & found}
    return found


def _outside_marks(node: ast.AST) -> Iterator[ast.Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and _source(child):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from _outside_marks(child)


def _source(function: ast.FunctionDef) -> str:
    """Return what the mark of a function was given; "" without a mark."""
    marks = [
        mark
        for mark in function.decorator_list
        if isinstance(mark, ast.Call) and _name(mark.func) == _MARK and mark.args
    ]
    given = marks[0].args[0] if marks else None
    return _name(given.func if isinstance(given, ast.Call) else given)


def _named(module: ast.Module, source: str) -> str:
    """Return what makes a source: itself, or the function behind a constant of the module."""
    for statement in module.body:
        if source and isinstance(statement, ast.Assign) and _name(statement.targets[0]) == source:
            return _name(statement.value.func) if isinstance(statement.value, ast.Call) else source
    return source


def _code(function: ast.FunctionDef) -> str:
    texts = [
        argument.value
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and _name(call.func) != _MARK
        for argument in call.args[:2]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    return next((text for text in texts if _CODE.fullmatch(text)), function.name)


def _name(node: ast.AST | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
