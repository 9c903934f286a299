"""The `_rid` of databases, containers and documents: base64 of bytes that begin with the parent's.

Clients may address a resource by names or by these ids. The `/` of base64 is written as `-`.
"""

import base64
import secrets


def _encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode().replace("/", "-")


def _decode(rid: str) -> bytes:
    return base64.b64decode(rid.replace("-", "/"))


def new_database_rid() -> str:
    """Return the id of a new database: four bytes."""
    return _encode(secrets.token_bytes(4))


def new_container_rid(database_rid: str) -> str:
    """Return the id of a new container: its database's, and four bytes whose first bit marks a container."""
    own = bytearray(secrets.token_bytes(4))
    own[0] |= 0x80
    return _encode(_decode(database_rid) + bytes(own))


def document_rid(container_rid: str, number: int) -> str:
    """Return the id of a document: its container's, and the document's number there in eight bytes."""
    return _encode(_decode(container_rid) + number.to_bytes(8, "little"))


def range_rid(container_rid: str) -> str:
    """Return the id of a container's only partition key range."""
    return _encode(_decode(container_rid) + bytes([2, 0, 0, 0, 0, 0, 0, 0x50]))


def belongs_to(text: str, container_rid: str) -> bool:
    """Tell whether a text looks like the id of a container's document: the first 60 bits are the container's."""
    return len(text) > len(container_rid) and text.startswith(container_rid[:10])
