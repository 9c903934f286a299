"""The emulated services of one process, with the server and the proxy through which clients reach them."""

from collections.abc import Callable, Mapping
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path

from emulator import blobs, control, cosmos, entra, graph, keyvault, managed_identity, mirror, openshift
from emulator.arm.models import ArmModel
from emulator.blobs import missing_services, websites
from emulator.core.clock import Clock
from emulator.core.platform import Platform, Service
from emulator.core.proxy import Proxy, Refusal
from emulator.core.server import Server
from emulator.core.world import World
from emulator.managed_identity import data_plane
from emulator.network.reach import Reach
from emulator.openshift import kubernetes
from emulator.openshift.guests import Guests
from emulator.run import arm
from emulator.run.tools import MIRROR
from emulator.storage.models import StorageModel
from emulator.web import scm
from emulator.web.names import SUFFIX as SITE_SUFFIX

# A service that uses the model of another one comes after it.
SERVICES: tuple[Callable[[Platform], Service], ...] = (
    entra.create,
    managed_identity.create,
    graph.create,
    cosmos.create,
    arm.create,
    lambda platform: data_plane.create(
        platform,
        platform.model(ArmModel).front_door.identities,
        platform.model(ArmModel).registration.is_authorized,
    ),
    lambda platform: keyvault.create(platform, platform.model(ArmModel).authorization.data_allowed),
    lambda platform: blobs.create(platform, platform.model(StorageModel), platform.model(ArmModel).authorization),
    websites.create,
    missing_services.create,
    missing_services.create_tables,
    scm.create,
    openshift.create,
    kubernetes.create,
    lambda _platform: mirror.create(MIRROR),
    control.create,
)
HTTPS_PORT = 443
# The ports of a cluster's API server and machine config server.
MACHINE_PORTS = (6443, 22623)
# The ports of a cluster's router; host names of Azure's services take precedence.
ROUTER_PORTS = (80, HTTPS_PORT)
# Whether each listener uses TLS. The identity endpoint is plain HTTP in App Service too.
LISTENERS = {"arm": True, "token": True, "identity": False, "control": False}
# The time scale of the platform on which the provider is deployed: what takes time in Azure is over at once.
NO_WAITING = 1e9


def make_platform(root: Path, ports: Mapping[str, int], *, time_scale: float, world: World) -> Platform:
    """Open the state and create every service.

    Raises:
        SchemaMismatchError: the state is of another version.
    """
    platform = Platform(root, clock=Clock(time_scale), world=world)
    platform.ports.update(ports)
    platform.services += [create(platform) for create in SERVICES]
    return platform


class Azure:
    """A platform together with its listeners and its proxy."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self._server = Server(platform)
        self._proxy = Proxy(self._resolve, platform.sources)

    async def start(self) -> None:
        """Listen on every port, and let the services resume their work.

        Raises:
            OSError: another program has taken a port since it was chosen.
        """
        await self.listen()
        await self.platform.start()

    async def listen(self) -> None:
        """Listen on every port.

        Raises:
            OSError: another program has taken a port since it was chosen.
        """
        ports = self.platform.ports
        for name, tls in LISTENERS.items():
            ports[name] = await self._server.listen(ports[name], tls=tls)
        ports["proxy"] = await self._proxy.listen(ports["proxy"])

    async def stop(self) -> None:
        """Stop listening and close the state."""
        await self._proxy.stop()
        await self._server.stop()
        await self.platform.stop()

    def _resolve(self, host: str, port: int) -> tuple[str, int] | Refusal:
        """Return the local address that answers for a public name or address, or a refusal."""
        if port in MACHINE_PORTS:
            return self._resolve_machine(host, port)
        service = self.platform.service_for(host) if port == HTTPS_PORT else None
        if port == HTTPS_PORT and host.endswith(SITE_SUFFIX) and service is None:
            return self._resolve_site(host)
        if service is None and port in ROUTER_PORTS and self._address(host):
            return self._resolve_machine(host, port)
        if service is not None and not service.resolves(host):
            return Refusal(403, f"{host} does not exist on the local Azure.")
        if port != HTTPS_PORT or _is_loopback(host):
            return Refusal(403, f"{host}:{port} is not emulated by the local Azure.")
        # A host that nothing emulates leads there too, and gets an error inside the tunnel: many clients take a refused
        # CONNECT for a network failure, and retry for minutes.
        return "127.0.0.1", self.platform.ports["arm"]

    def _resolve_site(self, host: str) -> tuple[str, int] | Refusal:
        """Return the address of a site's front end, or a refusal."""
        site = self.platform.sites.get(host)
        if site is None:
            return Refusal(403, f"{host} does not exist on the local Azure, or its front end is still starting.")
        return "127.0.0.1", site

    def _resolve_machine(self, host: str, port: int) -> tuple[str, int] | Refusal:
        """Return the address of the first listening machine behind an endpoint's address or name, or a refusal."""
        reach = self.platform.model(Reach)
        address = self._address(host)
        if address is None:
            return Refusal(403, f"{host} has no address in any DNS zone of the local Azure.")
        backends = reach.from_outside(address, port)
        if not backends:
            return Refusal(403, reach.why_not(address, port))
        guests = self.platform.model(Guests)
        for backend in backends:
            local = guests.listener(backend.vm_id, backend.port)
            if local is not None:
                return "127.0.0.1", local
        machines = ", ".join(backend.vm_id.rsplit("/", 1)[-1] for backend in backends)
        return Refusal(504, f"No machine behind {address}:{port} listens on port {backends[0].port}: {machines}.")

    def _address(self, host: str) -> str | None:
        return host if _is_address(host) else self.platform.model(Reach).resolve_public(host)


def _is_loopback(host: str) -> bool:
    """Tell whether a name belongs to this machine, to which clients connect without a proxy."""
    return host == "localhost" or host.endswith(".localhost")


def _is_address(host: str) -> bool:
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True
