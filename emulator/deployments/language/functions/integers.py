"""Functions on integers, the only numbers of the language. Division rounds towards zero, as in .NET."""

import operator
from collections.abc import Callable
from typing import Any

from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.syntax import INT64


def _int(value: str | int) -> int:
    try:
        return int(value)
    except ValueError:
        raise failed("int", f"'{value}' is not an integer") from None


def _checked(name: str, calculate: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def checked(left: int, right: int) -> int:
        result = calculate(left, right)
        if not -INT64 <= result < INT64:
            raise failed(name, "the result is not a 64-bit integer")
        return result

    return checked


def _div(left: int, right: int) -> int:
    if right == 0:
        raise failed("div", "the divisor is 0")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _mod(left: int, right: int) -> int:
    if right == 0:
        raise failed("mod", "the divisor is 0")
    return left - right * _div(left, right)


def _extreme(name: str, choose: Callable[[list[int]], int]) -> Callable[..., int]:
    def extreme(*arguments: Any) -> int:
        values = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else list(arguments)
        if not values or not all(type(value) is int for value in values):
            raise failed(name, "it needs one array of integers, or integers")
        return choose(values)

    return extreme


INTEGERS = (
    Function("int", "string|int", _int),
    Function("add", "int int", _checked("add", operator.add)),
    Function("sub", "int int", _checked("sub", operator.sub)),
    Function("mul", "int int", _checked("mul", operator.mul)),
    Function("div", "int int", _div),
    Function("mod", "int int", _mod),
    Function("min", "int|array int*", _extreme("min", min)),
    Function("max", "int|array int*", _extreme("max", max)),
)
