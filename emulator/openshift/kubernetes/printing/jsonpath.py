r"""The part of Kubernetes' JSONPath that printer columns use.

Members (`.a.b`, `.a\.b`, `['a\.b']`), elements (`[0]`, `[-1]`, `[*]`, `.*`) and conditions (`[?(@.type=="Ready")]`).
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

Path = Callable[[Any], list[Any]]
Step = Callable[[Any], Iterator[Any]]

_STEP = re.compile(
    r"""
      \.(?P<member>(?:\\.|[^\s.\[\]{}()'"\\])+)
    | \['(?P<quoted>(?:\\.|[^'\\])+)'\]
    | \[(?P<index>-?\d+|\*)\]
    | \[\?\(\s*@(?P<inner>[^\s=!<>()]*)\s*(?:(?P<operator>[=!<>]=|[<>])\s*(?P<value>"[^"]*"|'[^']*'|[^\s()"']+)\s*)?\)\]
    """,
    re.VERBOSE,
)
_UNESCAPED_DOT = re.compile(r"(?<!\\)\.")
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WORDS = {"true": True, "false": False}


@lru_cache(maxsize=1024)
def parse(text: str) -> Path:
    """Return a function that finds the values at a path, in order; it returns [] where members are missing.

    Raises:
        ValueError: if the text is not a path, or uses more of JSONPath than this module supports.
    """
    steps = list(_steps(text))

    def find(obj: Any) -> list[Any]:
        values = [obj]
        for step in steps:
            values = [found for value in values for found in step(value)]
        return values

    return find


def _steps(text: str) -> Iterator[Step]:
    position = 0
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None:
            raise ValueError(f"unrecognized path {text!r} at {text[position:]!r}")
        position = found.end()
        match found.lastgroup:
            case "member":
                yield _every if found["member"] == "*" else _member(found["member"])
            case "quoted":
                # A dot separates members even between quotes, unless it is escaped.
                yield from (_member(name) for name in _UNESCAPED_DOT.split(found["quoted"]))
            case "index":
                yield _every if found["index"] == "*" else _element(int(found["index"]))
            case _:
                yield _condition(parse(found["inner"]), found["operator"], found["value"])


def _member(name: str) -> Step:
    plain = re.sub(r"\\(.)", r"\1", name)

    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and plain in value:
            yield value[plain]

    return step


def _element(index: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list) and -len(value) <= index < len(value):
            yield value[index]

    return step


def _every(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (value[name] for name in sorted(value))
    elif isinstance(value, list):
        yield from value


def _condition(inner: Path, comparison: str | None, literal: str | None) -> Step:
    compare = _COMPARISONS[comparison] if comparison else None
    wanted = _literal(literal) if literal else None

    def holds(value: Any) -> bool:
        left = next(iter(inner(value)), None)
        if compare is None or left is None:
            return compare is None and left is not None
        try:
            return compare(left, wanted)
        except TypeError:
            return False

    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from filter(holds, value)

    return step


def _literal(text: str) -> Any:
    if text[0] in "\"'":
        return text[1:-1]
    return _WORDS[text] if text in _WORDS else float(text)
