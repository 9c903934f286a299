"""What the program `openshift-install` finds of the network: one address of this machine, as long as it runs.

There it gets tokens, as a function app gets those of its managed identity, but of one identity and for Azure Resource
Manager alone. And it is a proxy to the host of that, and to no other. The program encrypts what it sends there, and
checks the certificate; nothing here reads it.
"""

import json
import secrets
import selectors
import socket
import threading
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Protocol, Self
from urllib.parse import parse_qs, urlsplit

from azure.core.exceptions import AzureError

from shared.http_session import network

_PATH, _HEADER = "/identity", "X-IDENTITY-HEADER"
_PORT = "443"
_CONNECT_SECONDS, _IDLE_SECONDS = 20, 150
_PIECE_BYTES = 1 << 16


class Token(Protocol):
    """A token, and when it expires, in seconds since 1970."""

    @property
    def token(self) -> str:
        """The token itself."""

    @property
    def expires_on(self) -> int:
        """Seconds since 1970."""


@dataclass(frozen=True)
class Azure:
    """What the program may use of Azure.

    Args:
        host: Azure Resource Manager's, which is reached over TLS.
        audiences: the names of Azure Resource Manager for which there are tokens.
        read_token: returns a token of an identity that can only read.
    """

    host: str
    audiences: Collection[str]
    read_token: Callable[[], Token]


class Gateway:
    """The address, which exists until it is left.

    Args:
        azure: what it leads to.

    Attributes:
        failure: the last failure to get a token, or None.
    """

    def __init__(self, azure: Azure) -> None:
        self.azure = azure
        self.failure: AzureError | None = None
        self.secret = secrets.token_urlsafe()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="gateway", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which programs in Go find both."""
        address = f"http://127.0.0.1:{self.port}"
        return {
            "HTTP_PROXY": address,
            "HTTPS_PROXY": address,
            "IDENTITY_ENDPOINT": address + _PATH,
            "IDENTITY_HEADER": self.secret,
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.gateway = gateway

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a program that is ended leaves connections behind."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _IDLE_SECONDS

    def do_GET(self) -> None:
        """Answer with a token.

        Source: App Service's identity endpoint, version 2019-08-01.
        """
        gateway, address = self.server.gateway, urlsplit(self.path)
        if address.path != _PATH or not secrets.compare_digest(self.headers.get(_HEADER, ""), gateway.secret):
            self._answer(HTTPStatus.FORBIDDEN, {"error": "forbidden"})
            return
        resource = parse_qs(address.query).get("resource", [""])[0]
        audiences = {audience.rstrip("/") for audience in gateway.azure.audiences}
        if resource.rstrip("/") not in audiences:
            allowed = f"there are tokens for {', '.join(sorted(audiences))} alone"
            self._answer(HTTPStatus.BAD_REQUEST, {"error": "invalid_resource", "error_description": allowed})
            return
        try:
            found = gateway.azure.read_token()
        except AzureError as error:
            gateway.failure = error
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": type(error).__name__})
            return
        self._answer(
            HTTPStatus.OK,
            {
                "access_token": found.token,
                "expires_on": str(found.expires_on),
                "resource": resource,
                "token_type": "Bearer",
            },
        )

    def do_CONNECT(self) -> None:
        """Connect the program with a host that it may reach."""
        host = self.server.gateway.azure.host
        if self.path.lower() != f"{host}:{_PORT}":
            self._answer(HTTPStatus.FORBIDDEN, {"error": f"only {host} can be reached, on port {_PORT}"})
            return
        try:
            upstream = _connected(host)
        except (OSError, HTTPException) as error:
            self._answer(HTTPStatus.BAD_GATEWAY, {"error": f"{host} cannot be reached ({type(error).__name__})"})
            return
        with closing(upstream):
            self.send_response(HTTPStatus.OK)
            self.end_headers()
            _relay(self.connection, upstream)

    def _answer(self, status: HTTPStatus, body: dict[str, str]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the standard library
        """Say nothing: what the program asks for is the program's."""


def _connected(host: str) -> socket.socket:
    """Return a connection to a host, over the proxy of this process if it has one."""
    proxy = urlsplit(network().proxies(f"https://{host}").get("https") or "")
    if proxy.hostname:
        connection = HTTPConnection(proxy.hostname, proxy.port, timeout=_CONNECT_SECONDS)
        connection.set_tunnel(host, int(_PORT))
    else:
        connection = HTTPConnection(host, int(_PORT), timeout=_CONNECT_SECONDS)
    connection.connect()
    return connection.sock


def _relay(one: socket.socket, other: socket.socket) -> None:
    """Pass on what each side sends, until one of them ends or both are silent."""
    with selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ, other)
        selector.register(other, selectors.EVENT_READ, one)
        while ready := selector.select(_IDLE_SECONDS):
            for key, _ in ready:
                side: socket.socket = key.fileobj  # type: ignore[assignment]  # one of the two registered above
                piece = side.recv(_PIECE_BYTES)
                if not piece:
                    return
                key.data.sendall(piece)
