"""The few expressions of ARM's template language that the names of our resources are made of.

ARM itself evaluates templates, but its what-if and validate are POSTs, which a dry run does not send.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\d+|\w+|[()\[\],.])")


class Unknown(Exception):  # noqa: N818 - an answer more than an error
    """An expression whose value only ARM knows."""


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "concat": lambda *texts: "".join(map(str, texts)),
    "empty": lambda value: not value,
    "equals": lambda one, other: one == other,
    "first": lambda value: value[0],
    "length": len,
    "not": lambda value: not value,
    "split": lambda text, separator: text.split(separator),
}


@dataclass
class Scope:
    """What expressions refer to.

    Args:
        template: the template.
        parameters: name to value.
        index: the number of the copy, from 0.
    """

    template: Mapping[str, Any]
    parameters: Mapping[str, Any]
    index: int = 0

    def value(self, given: Any) -> Any:
        """Return the value of a member of a template: an expression in brackets, or itself.

        Raises:
            Unknown: only ARM knows it.
        """
        if not isinstance(given, str) or not given.startswith("[") or given.startswith("[["):
            return given
        reader = _Reader(self, _TOKEN.findall(given[1:-1]))
        found = reader.expression()
        if reader.tokens:
            raise Unknown(given)
        return found

    def call(self, name: str, arguments: list[Any]) -> Any:
        """Return the value of a function.

        Raises:
            Unknown: it is none of the few.
        """
        match name:
            case "parameters":
                return self._parameter(arguments[0])
            case "variables":
                return self.value(self.template.get("variables", {})[arguments[0]])
            case "copyIndex":
                return self.index + sum(arguments)
        if name not in _FUNCTIONS:
            raise Unknown(name)
        return _FUNCTIONS[name](*arguments)

    def _parameter(self, name: str) -> Any:
        if name in self.parameters:
            return self.parameters[name]
        return self.value(self.template["parameters"][name]["defaultValue"])


@dataclass
class _Reader:
    """Reads an expression from left to right."""

    scope: Scope
    tokens: list[str] = field(default_factory=list)

    def expression(self) -> Any:
        value = self._primary()
        while self.tokens and self.tokens[0] in (".", "["):
            if self._take() == ".":
                value = value[self._take()]
            else:
                value = value[self.expression()]
                self._take()
        return value

    def _primary(self) -> Any:
        token = self._take()
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token.isdigit():
            return int(token)
        if self._take() != "(":
            raise Unknown(token)
        arguments = []
        while self.tokens and self.tokens[0] != ")":
            arguments.append(self.expression())
            if self.tokens and self.tokens[0] == ",":
                self._take()
        self._take()
        return self.scope.call(token, arguments)

    def _take(self) -> str:
        if not self.tokens:
            raise Unknown("an expression that ends too early")
        return self.tokens.pop(0)
