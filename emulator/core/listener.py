"""A listener for one application that accepts any client certificate.

`Server` cannot: asyncio's TLS refuses unknown certificates in the handshake, and passes none on. Therefore this module
runs uvicorn's HTTP protocol on top of `TLSConnection`. It does not use uvicorn's server, which wakes up ten times a
second: dozens of listeners run in one process, and most of them are idle.
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

    `Protocol` puts the transport into the scope. `get_extra_info("client_certificate")` of the transport returns the
    caller's certificate: an `x509.Certificate` that nobody has verified, or None.

    Args:
        config: the application and uvicorn's settings for HTTP, from `protocol_config`.
        make_context: returns the TLS context for a new connection; None for plain HTTP.
        protocol: class of the HTTP protocol.
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
        """Stop listening and cut all connections, like a machine that is switched off."""
        self._stopped = True
        for server in self._servers:
            server.close()
        for protocol in list(self._state.connections):
            protocol.transport.abort()

    async def stop(self) -> None:
        """Cut all connections, and wait for the requests that are still running."""
        self.cut()
        # A streaming request ends when it learns that the caller is gone; requests that take longer are cancelled.
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
            # The connection had not finished its handshake when the others were cut.
            connection.abort()
        return _HTTPStream(self._speak(), connection)

    def _speak(self) -> Protocol:
        return self._protocol(self._config, self._state, {})


class _HTTPStream:
    """Adapts uvicorn's protocol to the inner stream of a TLS connection."""

    def __init__(self, protocol: Protocol, connection: TLSConnection) -> None:
        self._protocol = protocol
        protocol.connection_made(_Transport(connection))

    def data_received(self, data: bytes) -> None:
        """Pass decrypted bytes to the protocol."""
        self._protocol.data_received(data)

    def connection_lost(self) -> None:
        """Tell the protocol that the caller is gone."""
        self._protocol.connection_lost(None)

    def pause_writing(self) -> None:
        """Tell the protocol that the caller reads too slowly."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """Tell the protocol that the caller has caught up."""
        self._protocol.resume_writing()


class _Transport(asyncio.Transport):
    """Adapts a TLS connection to the transport to which uvicorn's protocol writes."""

    def __init__(self, connection: TLSConnection) -> None:
        super().__init__()
        self._connection = connection

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the caller's certificate for `client_certificate`, else what the connection knows."""
        match name:
            case "client_certificate":
                return self._connection.certificate
            case "sslcontext":
                # uvicorn asks only whether there is a context.
                return True
            case _:
                found = self._connection.get_extra_info(name)
                return default if found is None else found

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send data."""
        self._connection.write(bytes(data))

    def is_closing(self) -> bool:
        """Tell whether the connection is closed or closing."""
        return self._connection.is_closing()

    def close(self) -> None:
        """Send the remaining data and close."""
        self._connection.close()

    def abort(self) -> None:
        """Close at once."""
        self._connection.abort()

    def pause_reading(self) -> None:
        """Stop receiving for now."""
        self._connection.pause_reading()

    def resume_reading(self) -> None:
        """Receive again."""
        self._connection.resume_reading()
