r"""The part of Kubernetes' JSONPath that printer columns use.

Members (`.a.b`, `.a\.b`, `['a\.b']`), elements (`[0]`, `[*]`) and conditions on texts (`[?(@.type=="Ready")]`).
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

Path = Callable[[Any], list[Any]]
Step = Callable[[Any], Iterator[Any]]

_STEP = re.compile(
    r"""
      \.(?P<member>(?:\\.|[^\s.\[\]{}()'"\\*])+)
    | \['(?P<quoted>(?:\\.|[^'\\])+)'\]
    | \[(?P<index>\d+|\*)\]
    | \[\?\(\s*@(?P<inner>[^\s=!<>()]*)\s*(?P<sign>[=!]=)\s*(?P<quote>["'])(?P<value>[^"']*)(?P=quote)\s*\)\]
    """,
    re.VERBOSE,
)
_UNESCAPED_DOT = re.compile(r"(?<!\\)\.")


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
        if found["member"]:
            yield _member(found["member"])
        elif found["quoted"]:
            # A dot separates members even between quotes, unless it is escaped.
            yield from (_member(name) for name in _UNESCAPED_DOT.split(found["quoted"]))
        elif found["index"]:
            yield _elements(found["index"])
        else:
            yield _condition(parse(found["inner"]), found["value"], equal=found["sign"] == "==")


def _member(name: str) -> Step:
    plain = re.sub(r"\\(.)", r"\1", name)
    return lambda value: iter([value[plain]] if isinstance(value, dict) and plain in value else [])


def _elements(index: str) -> Step:
    which = slice(None) if index == "*" else slice(int(index), int(index) + 1)
    return lambda value: iter(value[which] if isinstance(value, list) else [])


def _condition(inner: Path, wanted: str, *, equal: bool) -> Step:
    def holds(value: Any) -> bool:
        found = inner(value)
        return bool(found) and (found[0] == wanted) is equal

    return lambda value: filter(holds, value if isinstance(value, list) else [])
