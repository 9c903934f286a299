"""The expressions in policy rules, such as `[concat('tags[', parameters('tagName'), ']')]`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

_TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|(-?\d+)|([A-Za-z_]\w*)|([()\[\],.]))")


class UnsupportedError(Exception):
    """A rule has a part that the local Azure does not evaluate; the message names it."""


class InvalidRuleError(Exception):
    """A rule is wrong; the message says why."""


@dataclass(frozen=True)
class Functions:
    """What an expression can ask.

    Args:
        parameters: values by name in lower case.
        field: returns the value of a field.
        group: the resource group as GET answers it, or {}.
    """

    parameters: Mapping[str, Any]
    field: Callable[[str], Any]
    group: Json


def is_expression(value: Any) -> bool:
    """Tell whether a value is an expression; two opening brackets stand for one."""
    return isinstance(value, str) and value.startswith("[") and value.endswith("]") and not value.startswith("[[")


def evaluate(value: Any, functions: Functions) -> Any:
    """Return the value of an expression, or the value itself if it is none.

    Raises:
        UnsupportedError: the expression calls a function that is not emulated.
        InvalidRuleError: it cannot be read, or names an unknown parameter.
    """
    if not is_expression(value):
        return value
    tokens = _tokens(value[1:-1])
    found = _expression(tokens, functions)
    if tokens:
        raise InvalidRuleError(f"the expression '{value}' cannot be read")
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return (kind, text) of each token: `text`, `number`, `name` or `mark`."""
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise InvalidRuleError(f"the expression '[{text}]' cannot be read")
        kind, token = next(
            (kind, token)
            for kind, token in zip(("text", "number", "name", "mark"), match.groups(), strict=True)
            if token is not None
        )
        found.append((kind, token.replace("''", "'") if kind == "text" else token))
        at = match.end()
    return found


def _expression(tokens: list[tuple[str, str]], functions: Functions) -> Any:
    kind, token = tokens.pop(0) if tokens else ("", "")
    if kind == "text":
        return token
    if kind == "number":
        return int(token)
    if kind != "name":
        raise InvalidRuleError(f"unexpected '{token}' in an expression")
    value = _call(token, _arguments(tokens, functions), functions)
    while tokens and tokens[0][1] in {".", "["} and tokens[0][0] == "mark":
        if tokens.pop(0)[1] == ".":
            member = tokens.pop(0)[1] if tokens else ""
        else:
            member = str(_expression(tokens, functions))
            _expect(tokens, "]")
        value = _member(value, member)
    return value


def _arguments(tokens: list[tuple[str, str]], functions: Functions) -> list[Any]:
    _expect(tokens, "(")
    found: list[Any] = []
    while tokens and tokens[0] != ("mark", ")"):
        if found:
            _expect(tokens, ",")
        found.append(_expression(tokens, functions))
    _expect(tokens, ")")
    return found


def _expect(tokens: list[tuple[str, str]], mark: str) -> None:
    if not tokens or tokens.pop(0) != ("mark", mark):
        raise InvalidRuleError(f"an expression lacks '{mark}'")


def _call(name: str, arguments: Sequence[Any], functions: Functions) -> Any:
    match name.lower(), list(arguments):
        case "parameters", [str(wanted)]:
            if wanted.lower() not in functions.parameters:
                raise InvalidRuleError(f"undefined parameter '{wanted}'")
            return functions.parameters[wanted.lower()]
        case "concat", parts:
            return "".join(map(str, parts))
        case "field", [str(wanted)]:
            return functions.field(wanted)
        case "resourcegroup", []:
            return functions.group
        case "tolower", [str(text)]:
            return text.lower()
        case "toupper", [str(text)]:
            return text.upper()
    raise UnsupportedError(f"the function '{name}' with {len(arguments)} arguments in a policy rule")


def _member(value: Any, name: str) -> Any:
    known = {key.lower(): key for key in value} if isinstance(value, dict) else {}
    return value[known[name.lower()]] if name.lower() in known else None
