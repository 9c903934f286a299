"""A listener for one application, whose callers may show any client certificate.

`Server` cannot ask for one: asyncio's TLS refuses unknown certificates in the handshake and hands none on. So this one
puts uvicorn's HTTP protocol on top of `TLSConnection`. It does without uvicorn's server, which wakes up ten times a
second: dozens of these listen in one process, and most of them are idle.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import uvicorn
from OpenSSL import SSL
from uvicorn.server import ServerState

from emulator.core.server import Protocol, bind_loopback
from emulator.core.tls import TLSConnection

MakeContext = Callable[[], SSL.Context]
BACKLOG = 1024
STOP_SECONDS = 2.0


class Listener:
    """HTTPS or HTTP on loopback, inside the running event loop.

    The caller's certificate is `get_extra_info("client_certificate")` of the transport that `Protocol` puts into the
    scope: an `x509.Certificate` that nobody has verified, or None.

    Args:
        config: the application, and how uvicorn speaks HTTP: `protocol_config`.
        make_context: gives the TLS context of a new connection; without it, there is no TLS.
        protocol: speaks HTTP.
    """

    def __init__(
        self, config: uvicorn.Config, make_context: MakeContext | None, protocol: type[Protocol] = Protocol
    ) -> None:
        self._config = config
        self._make_context = make_context
        self._protocol = protocol
        self._state = ServerState()
        self._servers: list[asyncio.Server] = []
        self._stopped = False

    async def listen(self, port: int = 0) -> int:
        """Listen on a loopback port (a free one for 0); return the port.

        Raises:
            OSError: the port is taken.
        """
        sockets = bind_loopback(port)
        loop = asyncio.get_running_loop()
        for listener in sockets:
            self._servers.append(await loop.create_server(self._connection, sock=listener, backlog=BACKLOG))
        bound: int = sockets[0].getsockname()[1]
        return bound

    def cut(self) -> None:
        """Stop listening and cut all connections, as a machine that is switched off does."""
        self._stopped = True
        for server in self._servers:
            server.close()
        for protocol in list(self._state.connections):
            protocol.transport.abort()

    async def stop(self) -> None:
        """Cut all connections, and wait for the requests that they leave behind."""
        self.cut()
        # Whoever streams ends when it learns that the caller is gone; a request that takes longer is given up.
        if self._state.tasks:
            _, late = await asyncio.wait(self._state.tasks, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _connection(self) -> asyncio.Protocol:
        if self._make_context is None:
            return self._speak()
        return TLSConnection(self._make_context(), self._stream)

    def _stream(self, connection: TLSConnection) -> "_HTTPStream":
        if self._stopped:
            # It was in its handshake, or had not even begun it, when the others were cut.
            connection.abort()
        return _HTTPStream(self._speak(), connection)

    def _speak(self) -> Protocol:
        return self._protocol(self._config, self._state, {})


class _HTTPStream:
    """uvicorn's protocol, as the inner stream of a TLS connection."""

    def __init__(self, protocol: Protocol, connection: TLSConnection) -> None:
        self._protocol = protocol
        protocol.connection_made(_Transport(connection))

    def data_received(self, data: bytes) -> None:
        """Take decrypted bytes."""
        self._protocol.data_received(data)

    def connection_lost(self) -> None:
        """The caller is gone."""
        self._protocol.connection_lost(None)

    def pause_writing(self) -> None:
        """The caller reads too slowly."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """The caller has caught up."""
        self._protocol.resume_writing()


class _Transport(asyncio.Transport):
    """A TLS connection, as the transport that uvicorn's protocol writes to."""

    def __init__(self, connection: TLSConnection) -> None:
        super().__init__()
        self._connection = connection

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the caller's certificate under `client_certificate`, and what the connection knows."""
        match name:
            case "client_certificate":
                return self._connection.certificate
            case "sslcontext":
                # uvicorn asks only whether there is one.
                return True
            case _:
                found = self._connection.get_extra_info(name)
                return default if found is None else found

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send."""
        self._connection.write(bytes(data))

    def is_closing(self) -> bool:
        """Tell whether the connection is or will be closed."""
        return self._connection.is_closing()

    def close(self) -> None:
        """Send what is left and close."""
        self._connection.close()

    def abort(self) -> None:
        """Close at once."""
        self._connection.abort()

    def pause_reading(self) -> None:
        """Take no more for now."""
        self._connection.pause_reading()

    def resume_reading(self) -> None:
        """Take more again."""
        self._connection.resume_reading()
