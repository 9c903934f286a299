"""Strict JSON parsing of what strangers send: bodies of requests, and answers of clusters and registries."""

import json
import math
from typing import Any

from shared.arm.errors import invalid_request_content, shown

# Cosmos DB stores 128 levels, and the document around the body takes a few of them.
MAX_DEPTH = 100
# Longer integers do not fit into the 64-bit number that other JSON readers use.
_MAX_DIGITS = 300


class TooDeep(ValueError):  # noqa: N818 - named by what the sender did
    """The JSON is nested deeper than this program, or its database, goes."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__(f"it is nested deeper than {MAX_DEPTH} levels")


def parse_request_body(body: bytes) -> Any:
    """Parse the JSON body of a request.

    Raises:
        CloudError: 400 `InvalidRequestContent`, saying where the body breaks.
    """
    try:
        return parse(body)
    except ValueError as error:
        raise invalid_request_content(f"The request body is not valid UTF-8 JSON: {error}.") from error


def parse(body: bytes) -> Any:
    """Parse JSON into values that can be walked through, stored and sent again.

    Raises:
        ValueError: says where it breaks.
    """
    try:
        # Pass text, because the library would also accept UTF-16 bytes.
        value = json.loads(
            body.decode(), parse_constant=_no_constant, parse_int=_parse_integer, parse_float=_parse_fraction
        )
        _check(value, MAX_DEPTH)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ValueError(f"byte 0x{byte:02x} at position {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        # Some of the library's messages end with advice for Python programmers, or with half of the words that follow
        # here.
        reason = error.msg.partition(" (")[0].removesuffix(" at")
        raise ValueError(f"{reason} at line {error.lineno}, column {error.colno}") from error
    except UnicodeEncodeError as error:
        raise ValueError(f"a text has half a surrogate pair, \\u{ord(error.object[error.start]):04x}") from error
    except RecursionError as error:
        raise TooDeep from error
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _parse_integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number has {len(text)} digits, more than {_MAX_DIGITS}")
    return int(text)


def _parse_fraction(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {shown(text)} is too large")
    return value


def _check(value: Any, depth: int) -> None:
    """Refuse what the parser accepts but other readers do not: deep nesting, and halves of surrogate pairs."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, (dict, list)):
        if depth == 0:
            raise TooDeep
        for item in value:
            _check(item, depth - 1)
        if isinstance(value, dict):
            for item in value.values():
                _check(item, depth - 1)
