"""One cluster's API server: its objects, and the listeners in front of them."""

from starlette.requests import Request
from starlette.routing import Route

from emulator.core.listener import Listener
from emulator.core.platform import Platform, Service
from emulator.core.server import Dispatcher, protocol_config
from emulator.openshift.kubernetes import replies
from emulator.openshift.kubernetes.access.authentication import Authenticator
from emulator.openshift.kubernetes.access.authorization import Authorizer
from emulator.openshift.kubernetes.api import requests
from emulator.openshift.kubernetes.api.endpoints import Endpoints
from emulator.openshift.kubernetes.api_server_tls import Contexts, Serving
from emulator.openshift.kubernetes.objects import addresses
from emulator.openshift.kubernetes.objects.objects import Objects

SERVICE = "kubernetes"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def create(platform: Platform) -> Service:  # noqa: ARG001 - every service is created from its platform
    """Create the service without routes, so that faults can name it; each cluster has its own listeners."""
    return Service(SERVICE, (), (), replies.error_reply)


class ApiServer:
    """The Kubernetes API of one cluster. A process has one for each cluster, because it sends the changes to watches."""

    def __init__(self, platform: Platform, cluster: str, services: str = addresses.NETWORK) -> None:
        self._platform = platform
        self.objects = Objects(platform.store, platform.clock, cluster, services)
        self.authorizer = Authorizer(self.objects)
        self._servers: list[Listener] = []
        self._contexts: dict[int, Contexts] = {}
        self._authenticators: dict[int, Authenticator] = {}

    async def listen(self, serving: Serving) -> int:
        """Listen on a free loopback port; return it. Each call adds a listener in front of the same objects.

        Raises:
            ValueError: if the first certificate or the client authorities cannot be used.
        """
        contexts = Contexts(serving)
        contexts.first()
        authenticator = Authenticator(serving.client_ca_pem, self._platform.clock)
        endpoints = Endpoints(self.objects, self.authorizer, authenticator)
        service = Service(
            SERVICE,
            (),
            [Route("/{path:path}", endpoints.answer, methods=METHODS)],
            replies.error_reply,
            operation=_operation,
            request_id_header="Audit-Id",
        )
        server = Listener(protocol_config(Dispatcher(self._platform, service)), contexts.first)
        port = await server.listen()
        self._servers.append(server)
        self._contexts[port], self._authenticators[port] = contexts, authenticator
        return port

    def renew(self, port: int, serving: Serving) -> None:
        """Present other certificates on a port from now on, and trust other clients, without cutting connections.

        Raises:
            ValueError: if the first certificate cannot be used.
        """
        self._contexts[port].renew(serving)
        self._authenticators[port].trust(serving.client_ca_pem)

    async def stop(self) -> None:
        """Stop listening and cut all connections; the objects stay."""
        servers, self._servers = self._servers, []
        self._contexts.clear()
        for server in servers:
            await server.stop()


def _operation(request: Request, _route: Route) -> str:
    return requests.read(request).operation
