"""The CONNECT proxy: connects Azure's public host names and addresses to local services; nothing leaves the machine.

Clients that use this proxy as `HTTPS_PROXY` and trust the local CA reach the local Azure, unmodified, under Azure's own
names. A user name in the proxy's address is the id of the client's subnet; a client without one is on the internet.
`Resolve` decides where a connection leads. A connection that leads nowhere is refused, so that a call to a service that
nobody thought of fails.
"""

import asyncio
import base64
import binascii
import contextlib
import logging
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emulator.core.connections import Connections

logger = logging.getLogger(__name__)

PORT = re.compile(r"[0-9]{1,5}")
CREDENTIAL = re.compile(rb"(?i)\r\nproxy-authorization:[ \t]*basic[ \t]+([^\r\n]*)")

CHUNK = 64 * 1024


@dataclass(frozen=True)
class Refusal:
    """The reason why the proxy refuses a connection.

    Args:
        status: HTTP status of the answer: 403 if nothing leads there, 504 if the target does not answer.
        reason: one sentence.
    """

    status: int
    reason: str


Resolve = Callable[[str, int], tuple[str, int] | Refusal]
# The proxy's and the server's end of a connection, each with address and port.
Ends = tuple[tuple[str, int], tuple[str, int]]


class Proxy:
    """Answers CONNECT requests.

    Args:
        resolve: returns the local address for (host, port), or a refusal.
        sources: gets the subnet that each open connection comes from, by both ends of the connection: Linux gives one
            port to several connections, if they lead to different places.
    """

    def __init__(self, resolve: Resolve, sources: dict[Ends, str] | None = None) -> None:
        self._resolve = resolve
        self._sources = {} if sources is None else sources
        self._server: asyncio.Server | None = None
        self._connections = Connections(self._accept)

    async def listen(self, port: int = 0) -> int:
        """Listen on 127.0.0.1; return the port.

        Raises:
            OSError: the port is taken.
        """
        self._server = await asyncio.start_server(self._connections.accept, "127.0.0.1", port, limit=CHUNK)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Stop listening and cut all tunnels."""
        if self._server is not None:
            self._server.close()
        await asyncio.gather(*self._connections.cut(), return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # If one side goes away, the other side learns it when its connection closes.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await self._tunnel(reader, writer)

    async def _tunnel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line = head.split(b"\r\n", 1)[0].decode("latin-1")
        method, _, target = line.rpartition(" ")[0].partition(" ")
        if method != "CONNECT":
            await _refuse(writer, 405, "This proxy answers CONNECT only.")
            return
        host, _, port = target.rpartition(":")
        if not PORT.fullmatch(port):
            await _refuse(writer, 400, f"{target} is not HOST:PORT.")
            return
        found = self._resolve(host.strip("[]").lower(), int(port))
        if isinstance(found, Refusal):
            logger.warning("refused CONNECT to %s: %s", target, found.reason)
            await _refuse(writer, found.status, found.reason)
            return
        try:
            upstream_reader, upstream_writer = await asyncio.open_connection(*found)
        except OSError:
            logger.warning("nobody answers CONNECT to %s", target)
            await _refuse(writer, 504, f"{target} does not answer.")
            return
        ends: Ends = (upstream_writer.get_extra_info("sockname")[:2], upstream_writer.get_extra_info("peername")[:2])
        if source := _source(head):
            self._sources[ends] = source
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        ways = [
            asyncio.ensure_future(_pump(reader, upstream_writer, writer.get_extra_info("socket"))),
            asyncio.ensure_future(_pump(upstream_reader, writer)),
        ]
        try:
            # RFC 9110, 9.3.6: when one side has closed, deliver what it sent and close both. Otherwise, a client that
            # keeps the connection for later would leave it half open here for its whole life.
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._sources.pop(ends, None)
            upstream_writer.close()
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)


def _source(head: bytes) -> str:
    """Return the user name in the head of a CONNECT request, or ""."""
    found = CREDENTIAL.search(head)
    try:
        return base64.b64decode(found[1], validate=True).decode().partition(":")[0] if found else ""
    except (binascii.Error, UnicodeDecodeError):
        return ""


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, source: Any = None) -> None:
    """Copy from a reader to a writer until the end.

    Args:
        reader: the source.
        writer: the destination.
        source: the client's socket. Through a proxy, urllib3 sends the body of a request only after the headers have
            been acknowledged. Linux delays that by 40 ms unless it is told, each time, to acknowledge at once.
    """
    while data := await reader.read(CHUNK):
        if source is not None and hasattr(socket, "TCP_QUICKACK"):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        writer.write(data)
        await writer.drain()


async def _refuse(writer: asyncio.StreamWriter, status: int, message: str) -> None:
    body = message.encode()
    # Of a refused CONNECT, most clients show only the reason in the first line, which must be one line of ASCII.
    reason = " ".join(message.encode("ascii", "replace").decode().split())
    writer.write(
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n".encode()
        + body
    )
    await writer.drain()
