"""Objects of built-in kinds in protobuf, which typed clients send, such as those of `kubectl create deployment`.

No Python package has the messages of Kubernetes. `numbers.json` has their members by number; what these are is in
`members.json`. It is written by `python -m tools.kubernetes`.
Source: kubernetes/apimachinery, pkg/runtime/serializer/protobuf.
"""

import base64
import functools
import json
import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.objects import types

MAGIC = b"k8s\0"
# In the envelope: the object's version and kind, and the object.
TYPE, RAW = 1, 2
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
SIZES = {FIXED64: 8, FIXED32: 4}
INLINE, POINTER = "*", "?"


class ProtobufError(Exception):
    """A body that is not the message that it should be."""


def decode(name: str, body: bytes) -> Json:
    """Return an object.

    Raises:
        ProtobufError: if the body is not an envelope with such an object.
    """
    if not body.startswith(MAGIC):
        raise ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        envelope = dict(_parts(body[len(MAGIC) :]))
        version = dict(_parts(envelope[TYPE]))
        named = {"apiVersion": version[1].decode(), "kind": version[2].decode()}
        return named | _message(name, envelope.get(RAW, b""))
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise ProtobufError(f"proto: illegal wireType or truncated {name}") from error


@functools.cache
def numbers() -> Mapping[str, Mapping[str, str]]:
    """Return the members of each type by their numbers; `?` is before a pointer, `*` before an inline type."""
    path = Path(types.__file__).with_name("numbers.json")
    found: Mapping[str, Mapping[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _message(name: str, content: bytes, outer: str = "") -> Json:
    """Return a message without the members that Go's JSON would leave out: those that are empty and no pointers."""
    decoded: Json = {}
    for number, value in _parts(content):
        field = numbers()[name].get(str(number), "")
        member, wanted = field.removeprefix(POINTER), types.types().get(outer or name, {})
        if field.startswith(INLINE):
            decoded |= _message(field[1:], value, outer or name)
        elif member in wanted:
            found = _value(wanted[member], value)
            if isinstance(found, list):
                decoded.setdefault(member, []).extend(found)
            elif isinstance(found, dict) and wanted[member][0] == "{":
                decoded.setdefault(member, {}).update(found)
            elif found not in (None, "", 0, False, {}) or field.startswith(POINTER):
                decoded[member] = found
    return decoded


def _value(wanted: str, value: Any) -> Any:
    """Return a value of a type of the table of members: of a list one item, of a map one entry."""
    match wanted[0]:
        case "[":
            return [_value(wanted[1:-1], value)]
        case "{":
            entry = dict(_parts(value))
            inner = entry.get(2, b"")
            # A list is not an item of a map in protobuf, so it is in a message of its own.
            listed = wanted[1] == "["
            return {
                entry.get(1, b"").decode(): [text.decode() for _, text in _parts(inner)]
                if listed
                else _value(wanted[1:-1], inner)
            }
    decoder = DECODERS.get(wanted)
    return _message(wanted, value) if decoder is None else decoder(value)


def _int(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _time(value: bytes) -> str | None:
    parts = dict(_parts(value))
    if _int(parts.get(1, 0)) <= 0:
        return None
    return datetime.fromtimestamp(parts[1], UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _int_or_string(value: bytes) -> int | str:
    parts = dict(_parts(value))
    return parts.get(3, b"").decode() if parts.get(1) else _int(parts.get(2, 0))


DECODERS: Mapping[str, Any] = {
    "string": bytes.decode,
    "bytes": lambda value: base64.b64encode(value).decode(),
    "bool": bool,
    "int32": _int,
    "int64": _int,
    "float64": lambda value: struct.unpack("<d", value)[0],
    "Time": _time,
    "Quantity": lambda value: dict(_parts(value)).get(1, b"0").decode(),
    "IntOrString": _int_or_string,
    # JSON in a message of its own, such as the fields of a manager.
    "any": lambda value: json.loads(dict(_parts(value)).get(1, b"null")),
}


def _parts(content: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the parts of a message with their numbers: numbers, and bytes for everything else.

    Raises:
        IndexError: if the message is cut.
        ValueError: if it has a part of another kind.
    """
    at = 0
    while at < len(content):
        key, at = _number(content, at)
        value, wire = 0, key & 7
        if wire == VARINT:
            value, at = _number(content, at)
            yield key >> 3, value
            continue
        if wire != BYTES and wire not in SIZES:
            raise ValueError(f"wire type {wire}")
        size, at = _number(content, at) if wire == BYTES else (SIZES[wire], at)
        if at + size > len(content):
            raise IndexError(at)
        yield key >> 3, content[at : at + size]
        at += size


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place, and the place after it."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:  # noqa: PLR2004 - the last byte of a number
            return value, at
