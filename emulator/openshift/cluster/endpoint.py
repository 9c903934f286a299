"""A small HTTP server for what machines tell each other, and what routers answer."""

import asyncio
import contextlib
import ssl
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from emulator.core.certificates import write_private
from emulator.core.connections import Connections

MAX_HEAD_BYTES = 16 * 1024
_REASONS = {
    200: "OK",
    302: "Found",
    404: "Not Found",
    405: "Method Not Allowed",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


class Reply(NamedTuple):
    """An answer.

    Args:
        status: of HTTP.
        kind: content type.
        body: what a GET gets.
        location: where to go instead, "" for nowhere.
    """

    status: int
    kind: str
    body: bytes
    location: str = ""


# Takes the path, and the host that the client means.
Answer = Callable[[str, str], Reply]


class Endpoint:
    """Listens on a loopback port with one certificate, or none; answers GET and HEAD, one request for each connection."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._connections = Connections(self._serve)

    async def listen_plain(self) -> int:
        """Listen on a free port without TLS; return it."""
        return await self._listen(None)

    async def listen(self, chain_pem: str, key_pem: str) -> int:
        """Listen on a free port; return it.

        Raises:
            OSError: certificate and key cannot be read, or do not belong together (`ssl.SSLError` is an OSError).
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # The ssl module reads a chain from files only.
        with tempfile.TemporaryDirectory() as folder:
            context.load_cert_chain(write_private(Path(folder) / "chain.pem", f"{chain_pem}\n{key_pem}".encode()))
        return await self._listen(context)

    async def _listen(self, context: ssl.SSLContext | None) -> int:
        self._server = await asyncio.start_server(
            self._connections.accept, "127.0.0.1", 0, ssl=context, limit=MAX_HEAD_BYTES
        )
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def stop(self) -> None:
        """Stop listening, and cut what is connected."""
        if self._server is not None:
            self._server.close()
        self._connections.cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client that goes away, or sends more than a head, is not answered.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            method, _, rest = first.partition(" ")
            path = rest.partition(" ")[0].partition("?")[0]
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            reply = Reply(405, "text/plain", b"")
            if method in ("GET", "HEAD"):
                reply = self._answer(path, headers.get("host", "").partition(":")[0].lower())
            location = f"Location: {reply.location}\r\n" if reply.location else ""
            writer.write(
                f"HTTP/1.1 {reply.status} {_REASONS[reply.status]}\r\nContent-Type: {reply.kind}\r\n{location}"
                f"Content-Length: {len(reply.body)}\r\nConnection: close\r\n\r\n".encode("latin-1")
            )
            if method == "GET":
                writer.write(reply.body)
            await writer.drain()
