"""Frames between the host and its worker process: the lengths of header and body, a JSON header, a raw body.

Only the framing belongs here; `process.py` and `main.py` know what the headers mean.
"""

import asyncio
import json
import struct
from typing import Any, BinaryIO

_LENGTHS = struct.Struct(">II")

Frame = tuple[dict[str, Any], bytes]


def encode_frame(header: dict[str, Any], body: bytes = b"") -> bytes:
    """Serialise one frame."""
    encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return _LENGTHS.pack(len(encoded), len(body)) + encoded + body


def read_frame(stream: BinaryIO) -> Frame | None:
    """Read one frame from a blocking stream; return None if the other side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    header_length, body_length = _LENGTHS.unpack(lengths)
    payload = stream.read(header_length + body_length)
    if len(payload) < header_length + body_length:
        return None
    return json.loads(payload[:header_length]), payload[header_length:]


async def read_frame_async(stream: asyncio.StreamReader) -> Frame | None:
    """Read one frame from an asyncio stream; return None if the other side is gone."""
    try:
        lengths = await stream.readexactly(_LENGTHS.size)
        header_length, body_length = _LENGTHS.unpack(lengths)
        header = await stream.readexactly(header_length)
        body = await stream.readexactly(body_length) if body_length else b""
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return json.loads(header), body
