"""A small HTTPS server for what machines tell each other: the machine config server, and the etcd signer."""

import asyncio
import contextlib
import ssl
import tempfile
from collections.abc import Callable
from pathlib import Path

from emulator.core.certificates import write_private
from emulator.core.connections import Connections

MAX_HEAD_BYTES = 16 * 1024
# Takes the path, answers status, content type and body.
Answer = Callable[[str], tuple[int, str, bytes]]
_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 500: "Internal Server Error"}


class Endpoint:
    """Listens on a loopback port with one certificate; answers GET and HEAD, one request for each connection."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._connections = Connections(self._serve)

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
            method, _, rest = head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
            path = rest.partition(" ")[0].partition("?")[0]
            status, kind, body = self._answer(path) if method in ("GET", "HEAD") else (405, "text/plain", b"")
            writer.write(
                f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n".encode()
            )
            if method == "GET":
                writer.write(body)
            await writer.drain()
