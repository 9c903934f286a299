"""The inputs of the interpreter's instances, packed: a third of their size, and without quotes to escape.

An instance's input stays in its history, which the host reads, stores and sends to the worker on every turn. What tells
people whose instance it is stays readable.
"""

import base64
import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypedDict

from shared.steps import Caller, StartInput, caller


class PackedStart(Caller):
    """The input of a plan's instance; `packed` has the whole of `StartInput`."""

    packed: str


class PackedWait(TypedDict):
    """The input of the instance in which a row waits, whose id says which row; `packed` has its `Tries`."""

    packed: str


def pack_start(start: StartInput) -> PackedStart:
    """Return the packed input of a plan's instance."""
    return {**caller(start), "packed": pack(start)}


def pack(value: Mapping[str, Any]) -> str:
    """Pack the input of an instance into a short text.

    Another release of zlib may pack it otherwise; the host does not compare inputs.
    """
    return _packed(json.dumps(value, separators=(",", ":")))


# A replay packs what it has packed before: the state of every row that has begun to wait.
@lru_cache(maxsize=512)
def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode())).decode("ascii")


def unpack(packed: str) -> Any:
    """Return the input of an instance that was packed."""
    return json.loads(zlib.decompress(base64.b64decode(packed)))
