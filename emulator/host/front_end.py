"""The App Service front end: terminates TLS, and forwards requests with the client's certificate in a header.

Where certificates are required, it answers 403 to a caller without one, and does not validate them. Elsewhere it asks
for none. It removes the platform's own headers from a caller's request. Requests go to the host over its Unix socket.
While the host is away, a request that was not yet sent waits briefly, then gets 503. A request that was already sent
gets 502 and is never sent again.
"""

import asyncio
import base64
import functools
import time
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path

import aiohttp
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send
from yarl import URL

from emulator.core.listener import Listener
from emulator.core.server import Protocol, protocol_config
from emulator.core.tls import server_context

_MAX_HEAD_BYTES = 32 * 1024
_MAX_BODY_BYTES = 100 * 1024 * 1024
_CONNECT_SECONDS = 3.0
_CONNECT_PAUSE_SECONDS = 0.05

# Headers that concern one hop only, and those that only the platform may set in a request.
_HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
)
_DROPPED_HEADERS = _HOP_BY_HOP | {b"x-arr-clientcert", b"x-forwarded-proto", b"x-forwarded-for", b"disguised-host"}

_EXPLANATIONS = {
    HTTPStatus.FORBIDDEN: "The page you are trying to access requires a client certificate.",
    HTTPStatus.BAD_GATEWAY: "The host went away while it answered this request.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The service is unavailable.",
}


class _HostGoneError(Exception):
    """The host went away after a request was sent to it."""


# What callers read of a site that has no host now: stopped by its owner, or not yet published.
_CLOSED = {
    HTTPStatus.FORBIDDEN: "This web app is stopped.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Function host is not running: no package was published to this app.",
}


def _page(status: HTTPStatus, *, close: bool = False, explanation: str = "") -> HTMLResponse:
    """Return an error page that comes from the front end itself."""
    title = f"{status.value} {status.phrase}"
    body = (
        f"<!DOCTYPE html><html><head><title>{title}</title></head>"
        f"<body><h1>{status.value} - {status.phrase}</h1><p>{explanation or _EXPLANATIONS.get(status, status.phrase)}</p></body></html>"
    )
    response = HTMLResponse(body, status, {"Connection": "close"} if close else None)
    response.headers["Content-Type"] = "text/html"
    return response


class _Protocol(Protocol):
    """Refuses a request as soon as its head is too large, because uvicorn has no limit."""

    _head_bytes = 0

    def on_message_begin(self) -> None:
        """Reset the count."""
        self._head_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, and refuse the request if its head is too large."""
        self._head_bytes += len(name) + len(value) + 4
        if self._is_head_too_large():
            raise ValueError("the head is too large")  # uvicorn calls `send_400_response`.
        super().on_header(name, value)

    def send_400_response(self, msg: str) -> None:
        """Answer 431 if the head is too large, else 400."""
        if not self._is_head_too_large():
            super().send_400_response(msg)
            return
        self.transport.write(
            b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        self.transport.close()

    def _is_head_too_large(self) -> bool:
        return self._head_bytes + len(self.url) > _MAX_HEAD_BYTES


class _Application:
    """Forwards requests to the host."""

    def __init__(self, upstream: aiohttp.ClientSession, *, requires_certificate: bool) -> None:
        self._upstream = upstream
        self._requires_certificate = requires_certificate
        self.closed: HTTPStatus | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        certificate = scope["extensions"]["transport"]["transport"].get_extra_info("client_certificate")
        if self.closed is not None:
            await _page(self.closed, explanation=_CLOSED[self.closed])(scope, receive, send)
            return
        if certificate is None and self._requires_certificate:
            await _page(HTTPStatus.FORBIDDEN)(scope, receive, send)
            return
        if int(request.headers.get("content-length", 0)) > _MAX_BODY_BYTES:
            await _page(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, close=True)(scope, receive, send)
            return
        has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
        body = _Body(request)
        try:
            answer = await self._upstream.request(
                request.method,
                _target(scope),
                headers=_headers(request, certificate),
                data=body if has_body else None,
                allow_redirects=False,
            )
        except aiohttp.ClientConnectorError:
            await _page(HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)
        except _HostGoneError:
            too_large = body.size > _MAX_BODY_BYTES
            page = (
                _page(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, close=True) if too_large else _page(HTTPStatus.BAD_GATEWAY)
            )
            await page(scope, receive, send)
        else:
            await _pass_on(answer, scope, send)


def _target(scope: Scope) -> URL:
    """Return the URL on the host, with path and query as the caller wrote them."""
    query = scope["query_string"].decode("latin-1")
    return URL(f"http://host{scope['raw_path'].decode('latin-1')}{'?' if query else ''}{query}", encoded=True)


def _headers(request: Request, certificate: x509.Certificate | None) -> list[tuple[str, str]]:
    """Return the caller's headers, and the platform's."""
    headers = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in request.scope["headers"]
        if name not in _DROPPED_HEADERS
    ]
    if certificate is not None:
        headers.append(("X-ARR-ClientCert", _encoded(certificate)))
    headers += [
        ("X-Forwarded-Proto", "https"),
        ("Disguised-Host", request.headers.get("host", "")),
    ]
    if request.client is not None:
        headers.append(("X-Forwarded-For", f"{request.client.host}:{request.client.port}"))
    return headers


@functools.lru_cache
def _encoded(certificate: x509.Certificate) -> str:
    return base64.b64encode(certificate.public_bytes(Encoding.DER)).decode()


class _Body:
    """The body of a caller's request, with or without a known length.

    aiohttp reads it, and reports its errors as if they were the host's.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self.size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body in chunks.

        Raises:
            ClientDisconnect: the caller went away before the end of the body.
            ValueError: the body exceeds the limit.
        """
        async for chunk in self._request.stream():
            self.size += len(chunk)
            if self.size > _MAX_BODY_BYTES:
                raise ValueError("the body is too large")
            yield chunk


async def _send_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Send a request, waiting briefly for a host that is away.

    A request that was sent is never sent again, as aiohttp would do for some methods.

    Raises:
        ClientConnectorError: the host did not come back in time.
        _HostGoneError: the host went away after the request was sent.
    """
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        try:
            return await handler(request)
        except aiohttp.ClientConnectorError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(_CONNECT_PAUSE_SECONDS)
        except aiohttp.ClientError as error:
            raise _HostGoneError from error


async def _pass_on(answer: aiohttp.ClientResponse, scope: Scope, send: Send) -> None:
    """Stream the host's answer to the caller; if the answer breaks off, cut the caller's connection."""
    headers = [(name, value) for name, value in answer.raw_headers if name.lower() not in _HOP_BY_HOP]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    is_over = False
    try:
        async for chunk in answer.content.iter_any():
            is_over = answer.content.at_eof()
            await send({"type": "http.response.body", "body": chunk, "more_body": not is_over})
    except aiohttp.ClientError:
        scope["extensions"]["transport"]["transport"].abort()
        return
    finally:
        answer.release()
    if not is_over:
        await send({"type": "http.response.body"})


class FrontEnd:
    """The listener: `start`, then `stop`."""

    def __init__(self) -> None:
        self._listener: Listener | None = None
        self._application: _Application | None = None
        self._upstream: aiohttp.ClientSession | None = None
        self.port = 0

    async def start(
        self, port: int, cert_file: Path, key_file: Path, upstream_socket: Path, *, requires_certificate: bool = True
    ) -> None:
        """Start to listen.

        Args:
            port: port on 127.0.0.1; 0 takes a free one.
            cert_file: PEM file with the certificate chain.
            key_file: PEM file with the private key.
            upstream_socket: Unix socket of the host.
            requires_certificate: whether callers must present a certificate; if not, they are not asked for one.

        Raises:
            OSError: the port is taken.
            OpenSSL.SSL.Error: the certificate and key do not match.
        """
        context = server_context(cert_file, key_file, asks=requires_certificate)
        self._upstream = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(str(upstream_socket), limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            max_line_size=_MAX_HEAD_BYTES,
            max_field_size=_MAX_HEAD_BYTES,
            middlewares=(_send_once,),
        )
        self._application = _Application(self._upstream, requires_certificate=requires_certificate)
        config = protocol_config(self._application)
        self._listener = Listener(config, lambda: context, _Protocol)
        self.port = await self._listener.listen(port)

    def close(self, status: HTTPStatus | None) -> None:
        """Answer every request with a status, because there is no host; None opens the site again."""
        if self._application is not None:
            self._application.closed = status

    async def stop(self) -> None:
        """Stop listening and close every connection."""
        if self._listener is not None:
            await self._listener.stop()
        if self._upstream is not None:
            await self._upstream.close()
