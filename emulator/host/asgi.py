"""The parts of ASGI that the host's applications share: read a request, send a reply."""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# What the platform in front of the host passes on.
MAX_BODY_BYTES = 104_857_600
_LIMIT = "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"


class BodyTooLargeError(Exception):
    """The request's body exceeds the host's limit."""


@dataclass(frozen=True)
class Reply:
    """A reply. Unless it is empty, it has no Content-Length, so the server sends a chunked body like the real host."""

    status: int
    body: bytes = b""
    headers: list[tuple[str, str]] = field(default_factory=list)

    async def send(self, send: Send) -> None:
        """Send this reply."""
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self.headers]
        if not self.body:
            headers.append((b"content-length", b"0"))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def header_values(scope: Scope) -> dict[str, str]:
    """Return the headers, with names in lower case and repeated values joined by commas."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def query_values(scope: Scope) -> dict[str, str]:
    """Return the query. Names that differ only in case are merged, repeated values joined, empty values dropped."""
    names: dict[str, str] = {}
    values: dict[str, str] = {}
    for name, value in parse_qsl(scope["query_string"].decode("latin-1")):
        key = names.setdefault(name.lower(), name)
        values[key] = f"{values[key]},{value}" if key in values else value
    return values


def body_limit() -> int:
    """Return the size of the largest body that functions get, by the host's setting."""
    return int(os.environ.get(_LIMIT) or MAX_BODY_BYTES)


async def read_body(receive: Receive, limit: int | None = MAX_BODY_BYTES) -> bytes:
    """Read a request's body. One that is too large is read to its end, and not kept.

    Raises:
        BodyTooLargeError: the body exceeds the limit.
    """
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        chunk = message.get("body", b"")
        size += len(chunk)
        if limit is not None and size > limit:
            chunks.clear()
        else:
            chunks.append(chunk)
        if not message.get("more_body"):
            break
    if limit is not None and size > limit:
        raise BodyTooLargeError
    return b"".join(chunks)
