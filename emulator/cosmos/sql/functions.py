"""The built-in functions of the query language; their arguments are evaluated before the call."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from emulator.cosmos.exceptions import bad_request
from emulator.cosmos.sql.values import UNDEFINED, deep_equals, extreme, type_name


@dataclass(frozen=True)
class Function:
    """A built-in function.

    Args:
        call: the implementation; gets no undefined value unless `raw`.
        least: the smallest number of arguments.
        most: the largest number of arguments.
        types: the JSON types of the first arguments; an argument of another type makes the result undefined.
        raw: whether it also takes undefined values, and values of any type.
    """

    call: Callable[..., Any]
    least: int
    most: int
    types: tuple[str, ...] = ()
    raw: bool = False

    def __call__(self, *arguments: Any) -> Any:
        """Call the function, or return undefined if an argument is undefined or of another type."""
        if not self.raw:
            if UNDEFINED in arguments:
                return UNDEFINED
            for argument, wanted in zip(arguments, self.types, strict=False):
                if type_name(argument) != wanted:
                    return UNDEFINED
        return self.call(*arguments)


def _is(*names: str) -> Function:
    return Function(lambda value: type_name(value) in names, 1, 1, raw=True)


def _text(test: Callable[[str, str], bool]) -> Function:
    def call(text: str, part: str, ignore_case: Any = False) -> bool:
        return test(text.lower(), part.lower()) if ignore_case is True else test(text, part)

    return Function(call, 2, 3, ("string", "string", "boolean"))


def _array_contains(array: list[Any], wanted: Any, partial: Any = False) -> bool:
    if partial is True and isinstance(wanted, dict):
        return any(
            isinstance(item, dict) and all(name in item and deep_equals(item[name], wanted[name]) for name in wanted)
            for item in array
        )
    return any(deep_equals(item, wanted) for item in array)


def _substring(text: str, start: float, length: float) -> str:
    return text[max(0, int(start)) : max(0, int(start)) + max(0, int(length))]


def _concat(*parts: Any) -> Any:
    return "".join(parts) if all(isinstance(part, str) for part in parts) else UNDEFINED


FUNCTIONS: dict[str, Function] = {
    "IS_DEFINED": Function(lambda value: value is not UNDEFINED, 1, 1, raw=True),
    "IS_NULL": _is("null"),
    "IS_BOOL": _is("boolean"),
    "IS_NUMBER": _is("number"),
    "IS_STRING": _is("string"),
    "IS_ARRAY": _is("array"),
    "IS_OBJECT": _is("object"),
    "IS_PRIMITIVE": _is("null", "boolean", "number", "string"),
    "STARTSWITH": _text(str.startswith),
    "ENDSWITH": _text(str.endswith),
    "CONTAINS": _text(str.__contains__),
    "LOWER": Function(str.lower, 1, 1, ("string",)),
    "UPPER": Function(str.upper, 1, 1, ("string",)),
    "TRIM": Function(str.strip, 1, 1, ("string",)),
    "LENGTH": Function(len, 1, 1, ("string",)),
    "CONCAT": Function(_concat, 2, 64),
    "SUBSTRING": Function(_substring, 3, 3, ("string", "number", "number")),
    "INDEX_OF": Function(str.find, 2, 2, ("string", "string")),
    "ARRAY_LENGTH": Function(len, 1, 1, ("array",)),
    "ARRAY_CONTAINS": Function(_array_contains, 2, 3, ("array",)),
    "ABS": Function(abs, 1, 1, ("number",)),
}


def _sum(values: list[Any]) -> Any:
    numbers = [value for value in values if value is not UNDEFINED]
    # As in Azure, one value that is not a number makes the whole sum undefined.
    return sum(numbers) if all(type_name(number) == "number" for number in numbers) else UNDEFINED


def _average(values: list[Any]) -> Any:
    count, total = sum(value is not UNDEFINED for value in values), _sum(values)
    return total / count if count and total is not UNDEFINED else UNDEFINED


AGGREGATE_FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "COUNT": lambda values: sum(value is not UNDEFINED for value in values),
    "SUM": _sum,
    "AVG": _average,
    "MIN": lambda values: extreme(values, -1),
    "MAX": lambda values: extreme(values, 1),
}


@lru_cache(maxsize=256)
def like(pattern: str) -> re.Pattern[str]:
    """Turn a LIKE pattern into a regular expression: `%` any text, `_` any character, `[a-f]` one of a set.

    Raises:
        CosmosError: 400 for an invalid set.
    """
    parts = re.findall(r"\[[^\]]*\]|.", pattern, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    expression = "".join(part if len(part) > 1 else wild.get(part, re.escape(part)) for part in parts)
    try:
        return re.compile(expression, re.DOTALL)
    except re.error as error:
        raise bad_request(f"The pattern '{pattern}' of LIKE is invalid: {error}.") from error
