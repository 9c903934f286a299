"""Reads which calls an SDK can make: method, path, and the models of the bodies."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import dedent

from tests.models.description import ANY, Kind, ListOf
from tests.models.sources import kind_of, parts

_URL = re.compile(r"_url = (?:kwargs\.pop\(\s*\"template_url\",\s*)?\(?\s*((?:\"[^\"]*\"\s*)+)")
_METHOD = re.compile(r"HttpRequest\(method=\"(\w+)\"")
_STATUSES = re.compile(r"response\.status_code not in \[([\d, ]+)\]")
_BUILT = re.compile(r" (build_\w+_request)\(")
_FUNCTION = re.compile(r"^    (?=def )", re.MULTILINE)
_HEAD = re.compile(r"def \w+\(.*?\) -> .*?:(?= \.\.\.$|$)", re.DOTALL | re.MULTILINE)
# Parameters that may have several segments, or be left out.
_WIDE = {
    "/{scope}": "(?:/.+?)?",
    "/{resourceId}": "/.+?",
    "/{resourceUri}": "/.+?",
    "/{parentResourcePath}": "(?:/.*?)?",
    "/{secret-version}": "(?:/[^/]*)?",
    "/{certificate-version}": "(?:/[^/]*)?",
}
_FREE = re.compile(r"\\{[^}]*\\}")


@dataclass(frozen=True)
class Page:
    """The answer is a list, sent in pages."""

    item: Kind


@dataclass(frozen=True)
class Bodies:
    """What an operation sends and gets; None for nothing.

    Args:
        request: model of the request.
        reply: model of the answer.
        statuses: the HTTP statuses that the SDK takes for success.
    """

    request: Kind | None
    reply: Kind | Page | None
    statuses: frozenset[int]


@dataclass(frozen=True)
class Operation:
    """A call that the SDK can make.

    Args:
        method: HTTP method.
        template: path, with its parameters in braces.
        builder: the function that builds its request.
        source: the module of the builder.
    """

    method: str
    template: str
    builder: str
    source: "Module"

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """What a path of this call matches."""
        expression = re.escape("/" + self.template.strip("/"))
        for parameter, pattern in _WIDE.items():
            expression = expression.replace(re.escape(parameter), pattern)
        return re.compile(_FREE.sub("[^/]+", expression) + "/?", re.IGNORECASE)

    @property
    def freedom(self) -> int:
        """How many parameters the path has; of several that match, the one with the fewest is meant."""
        return self.template.count("{")

    @property
    def bodies(self) -> Bodies:
        """The models of its bodies."""
        return self.source.bodies(self.builder)


class Module:
    """A module with operations."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bodies: dict[str, Bodies] = {}

    @cached_property
    def _parts(self) -> dict[str, str]:
        return dict(parts(self._path))

    def operations(self) -> Iterator[Operation]:
        """Yield what the module's functions named `build_…_request` build."""
        for name, source in self._parts.items():
            if name.startswith("build_"):
                url, method = _URL.search(source), _METHOD.search(source)
                if url is None or method is None:
                    raise LookupError(f"{self._path}: {name} is written in a way that is not known here")
                template = "".join(re.findall(r"\"([^\"]*)\"", url[1]))
                yield Operation(method[1], template, name, self)

    def bodies(self, builder: str) -> Bodies:
        """Return the models of the bodies of the call that a function builds."""
        if builder not in self._bodies:
            self._bodies[builder] = self._read(builder)
        return self._bodies[builder]

    @cached_property
    def _callers(self) -> dict[str, str]:
        """The class that calls each function that builds a request."""
        return {
            builder: name
            for name, source in self._parts.items()
            if not name.startswith("build_")
            for builder in _BUILT.findall(source)
        }

    def _read(self, builder: str) -> Bodies:
        functions = _FUNCTION.split(self._parts[self._callers[builder]])
        caller = next(function for function in functions if f" {builder}(" in function)
        public = re.sub(r"^def _(\w+)_initial\(", r"def begin_\1(", caller).partition("(")[0] + "("
        heads = [_head(function) for function in functions if function.startswith(public)]
        requests = [kind for head in heads for kind in _sent(head)]
        statuses = frozenset(int(status) for listed in _STATUSES.findall(caller) for status in listed.split(","))
        return Bodies(requests[0] if requests else None, _reply(heads[-1].returns), statuses)


def _head(function: str) -> ast.FunctionDef:
    found = _HEAD.search(function)
    text = dedent("    " + (found[0] if found else function))
    (declared,) = ast.parse(text + " ...").body
    if not isinstance(declared, ast.FunctionDef):
        raise LookupError(f"not a function: {text}")  # noqa: TRY004 - absent, not of a wrong type
    return declared


def _sent(head: ast.FunctionDef) -> Iterator[Kind]:
    """Yield the kind of the body among the parameters; parameters of a query or a header are not models."""
    for parameter in head.args.args:
        annotation = parameter.annotation
        if annotation is not None and "IO[bytes]" in ast.unparse(annotation):
            kind = kind_of(annotation)
            if kind != ANY:
                yield kind


def _reply(annotation: ast.expr | None) -> Kind | Page | None:
    text = "" if annotation is None else ast.unparse(annotation)
    if text in ("None", "bool", "LROPoller[None]", ""):
        return None
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) in ("ItemPaged", "Iterable"):
        return Page(kind_of(annotation.slice))
    if text.startswith("LROPoller[ItemPaged["):
        listed = kind_of(annotation.slice.slice) if _is_nested(annotation) else ANY  # type: ignore[union-attr]  # a nested annotation is an expression
        return Page(listed)
    kind = kind_of(annotation)
    return kind if isinstance(kind, ListOf) or kind != ANY else ANY


def _is_nested(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Subscript)
