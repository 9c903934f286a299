"""Finds the source of a package and takes it apart, without importing it."""

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.models.description import (
    ANY,
    BOOLEAN,
    DURATION,
    INTEGER,
    NUMBER,
    TEXT,
    TIME,
    Enumeration,
    Kind,
    ListOf,
    MapOf,
    Named,
)

_TOP_LEVEL = re.compile(r"^(?=(?:class|def) )", re.MULTILINE)
_NAME = re.compile(r"(?:class|def) (\w+)")
_VALUE = re.compile(r"^    \w+ = (\"[^\"]*\"|-?\d+)$", re.MULTILINE)
_WRAPPERS = frozenset({"Optional", "LROPoller", "ClassVar"})
_LISTS = frozenset({"list", "List", "Sequence"})
_MAPS = frozenset({"dict", "Dict", "Mapping"})
_PLAIN: dict[str, Kind] = {
    "str": TEXT,
    "bytes": TEXT,
    "int": INTEGER,
    "float": NUMBER,
    "bool": BOOLEAN,
    "Any": ANY,
    "object": ANY,
    "JSON": ANY,
    "datetime.datetime": TIME,
    "datetime": TIME,
    "datetime.date": TEXT,
    "datetime.timedelta": DURATION,
    "StrictStr": TEXT,
    "StrictInt": INTEGER,
    "StrictFloat": NUMBER,
    "StrictBool": BOOLEAN,
    "StrictBytes": TEXT,
}


class MissingPackageError(LookupError):
    """A package of the tables is not installed here."""


def folder(package: str) -> Path:
    """Return the folder of a package.

    Raises:
        MissingPackageError: it is not installed.
    """
    top, *rest = package.split(".")
    spec = find_spec(top)
    for root in (spec.submodule_search_locations if spec is not None else None) or ():
        found = Path(root, *rest)
        if found.is_dir():
            return found
    raise MissingPackageError(f"{package} is not installed: run `make setup`")


def parts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield name and source of each class and function of a module."""
    for part in _TOP_LEVEL.split(path.read_text(encoding="utf-8")):
        named = _NAME.match(part)
        if named:
            yield named[1], part


def enumeration(name: str, source: str) -> Enumeration:
    """Read an `Enum` class."""
    return Enumeration(name, tuple(ast.literal_eval(value) for value in _VALUE.findall(source)))


def kind_of(annotation: ast.expr | None) -> Kind:
    """Return what a type annotation says."""
    match annotation:
        case ast.Constant(value=str() as text):
            return kind_of(ast.parse(text, mode="eval").body)
        case ast.Subscript(value=ast.Name(id=generic), slice=inner):
            return _generic(generic, inner)
        case ast.Attribute(value=ast.Name(id="_models"), attr=name):
            return Named(name)
        case ast.Name() | ast.Attribute():
            return _PLAIN.get(ast.unparse(annotation), ANY)
    return ANY


def _generic(name: str, inner: ast.expr) -> Kind:
    arguments = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in _WRAPPERS:
        return kind_of(inner)
    if name in _LISTS:
        return ListOf(kind_of(inner))
    if name in _MAPS:
        return MapOf(kind_of(arguments[-1]))
    if name == "Union":
        kinds = [kind_of(argument) for argument in arguments]
        # Every enumeration is `str` or an enumeration; every body is a model, JSON or bytes.
        return next((kind for kind in kinds if isinstance(kind, Named)), kinds[0])
    if name == "Literal":
        values = [argument.value for argument in arguments if isinstance(argument, ast.Constant)]
        return (
            Enumeration("Literal", tuple(value for value in values if isinstance(value, str | int))) if values else TEXT
        )
    return ANY


def optional(annotation: ast.expr) -> bool:
    """Tell whether an annotation allows None."""
    return isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Optional"
