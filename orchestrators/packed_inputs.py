"""The inputs of the interpreter's instances, packed: a quarter of their size, and without quotes to escape.

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

# What the states of most rows have in common, so that no packed text has to carry it: zlib's preset dictionary. Frozen,
# because the texts of running instances need it.
COMMON = (
    b'{"call":{"operationId":"","attempt":1,'
    b'"clusterKey":"/subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups//providers/'
    b'microsoft.redhatopenshift/openshiftclusters/",'
    b'"clusterDocumentId":"","correlationId":"","clientRequestId":"","traceparent":"00-"},"row":{"name":"",'
    b'"phase":"preparation","phase":"bootstrap","phase":"installation","kind":"condition","kind":"action",'
    b'"executor":"_ready","needs":["","deadlineSeconds":600.0,"pollSeconds":10.0,"retry":"azure","waitsFor":"the '
    b'to be ","message":"Repeat the request; if it fails again, open a support request with the correlation id.",'
    b'"owner":"customer","firstPollSeconds":1.0,"cancelSeconds":600.0},"policy":{"throttled":{"everySeconds":10.0,'
    b'"withinSeconds":1800.0,"verb":"same"},"transient":{"everySeconds":10.0,"withinSeconds":900.0,"verb":"same"},'
    b'"authorization":{"everySeconds":10.0,"withinSeconds":600.0,"verb":"run"},"busy":{"everySeconds":10.0,'
    b'"withinSeconds":600.0,"verb":"same"},"given-up":{"everySeconds":30.0,"withinSeconds":600.0,"verb":"run"}},'
    b'"verb":"run","verb":"status","startTime":"2026-01-01T00:00:00.000000+00:00",'
    b'"deadline":"2026-01-01T00:00:00.000000+00:00","delaySeconds":10.0,"polls":0,'
    b'"weighedAt":"2026-01-01T00:00:00.000000+00:00","silent":false,"waits":1,"since":{},"lastMessage":"",'
    b'"error":null}'
)


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
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zdict=COMMON)
    return base64.b64encode(packer.compress(text.encode()) + packer.flush()).decode("ascii")


def unpack(packed: str) -> Any:
    """Return the input of an instance that was packed, with or without what inputs have in common."""
    unpacker = zlib.decompressobj(zdict=COMMON)
    return json.loads(unpacker.decompress(base64.b64decode(packed)) + unpacker.flush())
