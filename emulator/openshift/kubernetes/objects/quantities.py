"""Quantities, such as `500m` or `1Gi`: reading them, and the form in which the server writes them."""

import re
from collections.abc import Mapping
from decimal import Decimal

MESSAGE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_FORM = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]+)?")
BINARY: Mapping[str, int] = {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", 1)}
DECIMAL: Mapping[str, Decimal] = {
    name: Decimal(1000) ** power
    for name, power in {"n": -3, "u": -2, "m": -1, "": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}.items()
}


def number(text: str) -> Decimal:
    """Return the value of a quantity.

    Raises:
        ValueError: if the text is not a quantity, in the words of the server.
    """
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(MESSAGE)
    sign, digits, suffix = found.groups()
    value = Decimal(sign + digits)
    if not suffix:
        return value
    if suffix[0] in "eE" and suffix[1:]:
        return value * Decimal(10) ** int(suffix[1:])
    return value * (BINARY[suffix] if suffix in BINARY else DECIMAL[suffix])


def canonical(text: str) -> str:
    """Return a quantity as the server writes it: the largest suffix that leaves a whole number.

    Raises:
        ValueError: if the text is not a quantity, in the words of the server.
    """
    value = number(text)
    found = _FORM.fullmatch(text)
    suffix = (found[3] or "") if found else ""
    if value == 0:
        return "0"
    if suffix[:1] in ("e", "E") and suffix[1:]:
        power = next((power for power in range(18, -10, -3) if _whole(value, Decimal(10) ** power)), -9)
        return f"{_scaled(value, Decimal(10) ** power)}{f'e{power}' if power else ''}"
    if suffix in BINARY and abs(value) >= BINARY["Ki"] and value == value.to_integral_value():
        largest = max((unit for unit in BINARY.values() if _whole(value, Decimal(unit))), default=1)
        return f"{int(value) // largest}{next((name for name, unit in BINARY.items() if unit == largest), '')}"
    name, unit = next(
        ((name, unit) for name, unit in reversed(list(DECIMAL.items())) if _whole(value, unit)), ("n", DECIMAL["n"])
    )
    return f"{_scaled(value, unit)}{name}"


def _whole(value: Decimal, unit: Decimal) -> bool:
    return value % unit == 0


def _scaled(value: Decimal, unit: Decimal) -> int:
    """Return how many units a value has, rounded up as the server rounds what is too small."""
    return int((value / unit).to_integral_value(rounding="ROUND_UP"))
