"""A small HTTP server for requests between machines, and for requests to routers."""

from collections.abc import Callable

from OpenSSL import SSL
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from emulator.core.listener import Listener
from emulator.core.server import protocol_config
from emulator.core.tls import server_context_of

# Takes the path and the host of a request.
Answer = Callable[[str, str], Response]


class Endpoint:
    """Listens on a loopback port with one certificate, or none; answers GET and HEAD."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._listener: Listener | None = None

    async def listen_plain(self) -> int:
        """Listen on a free port without TLS; return it."""
        return await self._listen(None)

    async def listen(self, chain_pem: str, key_pem: str) -> int:
        """Listen on a free port; return it.

        Raises:
            ValueError: if certificate and key cannot be read, or do not belong together.
        """
        return await self._listen(server_context_of(chain_pem, key_pem))

    async def _listen(self, context: SSL.Context | None) -> int:
        self._listener = Listener(protocol_config(self._serve), None if context is None else lambda: context)
        return await self._listener.listen()

    def stop(self) -> None:
        """Stop listening, and cut all connections."""
        if self._listener is not None:
            self._listener.cut()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = Response(status_code=405)
        if request.method in ("GET", "HEAD"):
            host = request.headers.get("host", "").partition(":")[0].lower()
            response = self._answer(scope["raw_path"].decode("latin-1"), host)
        await response(scope, receive, send)
