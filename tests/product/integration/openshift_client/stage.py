"""A cluster's API server as the service reaches it: through the proxy, at the address of a private endpoint, port 6443.

The server here gives whatever answer a test wants, even one that no real API server would give. The emulated API
server has its own tests.
"""

import contextlib
import json
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from kubernetes.client import ApiClient
from starlette.responses import JSONResponse

from emulator.core import cut_answers
from emulator.core.faults import Cut
from emulator.core.proxy import Proxy, Refusal
from shared.openshift import client
from tests.kubernetes_pki import SERVER_NAME, Authority, Pair, kubeconfig
from tests.patience import PATIENCE_SECONDS
from tests.platform_server import event_loop, run, variables

ADDRESS = "127.128.0.5"
Behaviour = Callable[[ssl.SSLSocket, str], None]


_NOWHERE = Refusal(403, "No rule leads there.")


@dataclass
class Route:
    """The proxy's route to the private endpoint: a port, or the reason for refusing."""

    to: int | Refusal = _NOWHERE
    asked: list[tuple[str, int]] = field(default_factory=list)

    def resolve(self, host: str, port: int) -> tuple[str, int] | Refusal:
        """Record the request and return its destination, as the proxy asks."""
        self.asked.append((host, port))
        return self.to if isinstance(self.to, Refusal) else ("127.0.0.1", self.to)


@contextmanager
def proxied() -> Iterator[Route]:
    """Run a proxy and name it in this process's environment."""
    route = Route()
    proxy = Proxy(route.resolve)
    with event_loop() as loop:
        port = run(loop, proxy.listen())
        try:
            with variables({"HTTPS_PROXY": f"http://127.0.0.1:{port}", "NO_PROXY": "localhost,127.0.0.1"}):
                yield route
        finally:
            run(loop, proxy.stop())


def answers(status: int, body: Any) -> Behaviour:
    """Return a behaviour that answers every request with JSON, or with a text unchanged."""
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()

    def behave(connection: ssl.SSLSocket, _request: str) -> None:
        head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Length: {len(content)}\r\n\r\n"
        connection.sendall(head.encode() + content)

    return behave


def cut(kind: Cut) -> Behaviour:
    """Return a behaviour that hangs up before or in the answer to every request."""

    def behave(connection: ssl.SSLSocket, _request: str) -> None:
        connection.sendall(cut_answers.sent(kind, "GET", JSONResponse({"kind": "Node", "metadata": {"name": "m-0"}})))
        connection.close()

    return behave


@dataclass
class Server:
    """A TLS server with one behaviour; it records its requests and the common names of its clients' certificates."""

    port: int
    behave: Behaviour
    requests: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    connections: int = 0

    def serve(self, listener: socket.socket, context: ssl.SSLContext) -> None:
        """Accept connections until the listener closes."""
        with contextlib.suppress(OSError):
            while True:
                plain, _address = listener.accept()
                self.connections += 1
                threading.Thread(target=self._converse, args=(plain, context), daemon=True).start()

    def _converse(self, plain: socket.socket, context: ssl.SSLContext) -> None:
        with plain, contextlib.suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
            subject: Any = (connection.getpeercert() or {}).get("subject", ())
            self.users.append(dict(pair for names in subject for pair in names).get("commonName", ""))
            while request := connection.recv(65536).decode():
                self.requests.append(request)
                self.behave(connection, request)


@contextmanager
def server(certificate: Pair, client_authority: Authority | None, behave: Behaviour) -> Iterator[Server]:
    """Run a TLS server.

    Args:
        certificate: the certificate and key of the server.
        client_authority: the authority that must have issued the client certificate, as API servers require one.
        behave: answers each request on its connection.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if client_authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=client_authority.pem)
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as pem:
        pem.write(certificate.certificate + certificate.key)
        pem.flush()
        context.load_cert_chain(pem.name)
    listener = socket.create_server(("127.0.0.1", 0))
    made = Server(listener.getsockname()[1], behave)
    thread = threading.Thread(target=made.serve, args=(listener, context), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        # Closing the socket does not wake a thread that is blocked in `accept`.
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(PATIENCE_SECONDS)


@dataclass(frozen=True)
class Cluster:
    """The certificate authorities of a cluster, and the service's credentials for it."""

    servers: Authority = field(default_factory=lambda: Authority("kube-apiserver-lb-signer"))
    clients: Authority = field(default_factory=lambda: Authority("admin-kubeconfig-signer"))

    def certificate(self, *names: str, days: int = 1) -> Pair:
        """Issue a certificate for the API server."""
        return self.servers.issue("api-int", names=names or (SERVER_NAME,), days=days)

    def bundles(self, user: Pair | None = None) -> Callable[[str], dict[str, str]]:
        """Return a function that reads the bundle of credentials: the service's, or another user's."""
        user = user or self.clients.issue("system:aro-service", organization="system:masters")
        bundle = {"aroServiceKubeconfig": kubeconfig(self.servers, user)}
        return lambda _secret_id: bundle

    def connect(self, address: str = ADDRESS, user: Pair | None = None) -> ApiClient:
        """Return the client that activities would get."""
        bundles = self.bundles(user)
        return client.connect("https://v/secrets/doc-1-credentials/1", "aroServiceKubeconfig", address, bundles)
