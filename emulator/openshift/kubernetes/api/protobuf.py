"""Access reviews in protobuf: `kubectl auth can-i` sends no other form since 1.31. Nothing else is read as protobuf.

Source: kubernetes/api, authorization/v1/generated.proto; kubernetes/apimachinery, pkg/runtime/serializer/protobuf.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from emulator.openshift.kubernetes.kinds import Json, Kind

MAGIC = b"k8s\0"
# The members of messages by their numbers: a name, and the fields of a message or None for a text.
Fields = Mapping[int, tuple[str, Any]]
_RESOURCE: Fields = dict(
    enumerate(
        ((name, None) for name in ("namespace", "verb", "group", "version", "resource", "subresource", "name")), 1
    )
)
_PATH: Fields = {1: ("path", None), 2: ("verb", None)}
_ACCESS: Fields = {1: ("resourceAttributes", _RESOURCE), 2: ("nonResourceAttributes", _PATH)}
REVIEWS: Mapping[str, Fields] = {
    "SelfSubjectAccessReview": {2: ("spec", _ACCESS)},
    "SelfSubjectRulesReview": {2: ("spec", {1: ("namespace", None)})},
}
# In the envelope: the object's version and kind, and the object.
_TYPE, _RAW = 1, 2
_TEXT, _VARINT = 2, 0


def review(kind: Kind, body: bytes) -> Json | None:
    """Return a review that was sent as protobuf; None if the body is not one."""
    fields = REVIEWS.get(kind.kind)
    if fields is None or not body.startswith(MAGIC):
        return None
    try:
        envelope = dict(_parts(body[len(MAGIC) :]))
        version = {number: text.decode() for number, text in _parts(envelope[_TYPE])}
        named = {"apiVersion": version[1], "kind": version[2]}
        return named | _message(fields, envelope.get(_RAW, b""))
    except (IndexError, KeyError, ValueError):
        return None


def _message(fields: Fields, content: bytes) -> Json:
    found: Json = {}
    for number, part in _parts(content):
        name, inner = fields.get(number, ("", None))
        if name:
            found[name] = part.decode() if inner is None else _message(inner, part)
    return found


def _parts(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the texts and messages of a message, by their numbers.

    Raises:
        IndexError: if it is cut.
        ValueError: if it has anything else than texts, messages and numbers.
    """
    at = 0
    while at < len(content):
        key, at = _number(content, at)
        size, at = _number(content, at)
        if key & 7 == _VARINT:
            continue
        if key & 7 != _TEXT or at + size > len(content):
            raise ValueError("not a message of texts")
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
