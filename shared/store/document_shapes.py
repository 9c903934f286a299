"""Whether a stored document has the shape that `shared/documents.py` declares. Lists of documents skip the others."""

import types
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

# The members that have a time, wherever they are.
_TIMES = frozenset(
    {"startTime", "endTime", "lastProgressTime", "deadline", "lastSeen", "listeningSince", "requestTime"}
    | {"observedAt", "since", "lastTransitionTime", "end", "expirationsReadAt"}
)
_WORDS: dict[Any, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def problem(document: Mapping[str, Any], shape: type, required: tuple[str, ...]) -> str:
    """Return the first thing that is wrong with a document, or "". No value is quoted, because it may be a secret.

    Args:
        document: the document.
        shape: its type. Members that it does not have are ignored, and null counts as absent.
        required: the members that may not be absent.
    """
    missing = (f"it has no '{name}'" for name in required if document.get(name) is None)
    return next(missing, "") or next(_problems(document, shape, ""), "")


def _problems(value: Any, shape: Any, path: str) -> Iterator[str]:
    kind, arguments = get_origin(shape), get_args(shape)
    if is_typeddict(shape) or kind is dict:
        yield from _of_object(value, shape, path) if isinstance(value, dict) else [f"'{path}' is not an object"]
    elif kind is list and not isinstance(value, list):
        yield f"'{path}' is not a list"
    elif kind is list:
        for index, item in enumerate(value):
            yield from _problems(item, arguments[0], f"{path}[{index}]")
    elif kind in (Required, NotRequired):
        yield from _problems(value, arguments[0], path)
    elif kind in (Union, types.UnionType):
        problems = [next(_problems(value, alternative, path), "") for alternative in arguments]
        yield from problems[:1] if all(problems) else []
    elif shape is not Any and not _fits(value, shape):
        yield f"'{path}' is not {_WORDS.get(shape, 'a known word')}"


def _of_object(value: dict[str, Any], shape: Any, path: str) -> Iterator[str]:
    members = _members(shape) if is_typeddict(shape) else dict.fromkeys(value, get_args(shape)[1])
    for name, kind in members.items():
        if value.get(name) is not None:
            here = f"{path}.{name}".lstrip(".")
            yield from _problems(value[name], kind, here)
            if name in _TIMES and not _is_time(value[name]):
                yield f"'{here}' is not a time with its zone"


def _fits(value: Any, shape: type) -> bool:
    if issubclass(shape, Enum):
        return value in [member.value for member in shape]
    wanted = (int, float) if shape is float else shape
    return isinstance(value, wanted) and (shape is bool or not isinstance(value, bool))


@cache
def _members(shape: type) -> dict[str, Any]:
    return get_type_hints(shape)


def _is_time(value: str) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False
