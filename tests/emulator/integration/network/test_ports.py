"""Ports 6443 and 22623 through the proxy: they reach a listening machine if the deployed network leads there."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from emulator.core.platform import Platform
from emulator.openshift.guests import Guests
from emulator.run.azure import LISTENERS, Azure
from tests.emulator.unit.network.conftest import model, open_arm, time, world
from tests.emulator.unit.network.world import POOL, World

__all__ = ["model", "open_arm", "time", "world"]

NAME = "api.one.eastus.aroapp.io"


class Listening(Guests):
    """Guests whose API listens where a test says."""

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self.ports: dict[tuple[str, int], int] = {}

    def listener(self, vm_id: str, port: int) -> int | None:
        """Return the local port that stands in for a machine's port, or None."""
        return self.ports.get((vm_id, port))


@pytest.fixture
def guests(world: World) -> Listening:
    """Replace the guests with ones whose ports a test sets."""
    found = Listening(world.arm.platform)
    world.arm.platform._models[Guests] = found
    return found


def _connect(world: World, target: str, port_of: Callable[[int], None] = lambda _port: None) -> bytes:
    """Send CONNECT and a line; return the answer. `port_of` receives the port of a server that echoes."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        writer.close()

    async def story() -> bytes:
        platform = world.arm.platform
        platform.ports |= dict.fromkeys(LISTENERS, 0) | {"proxy": 0}
        azure = Azure(platform)
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port_of(server.sockets[0].getsockname()[1])
        await azure._proxy.listen(0)
        proxy_port = azure._proxy._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]  # it listens
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy_port)
        writer.write(f"CONNECT {target} HTTP/1.1\r\n\r\nhello\n".encode())
        answer = await asyncio.wait_for(reader.read(), 60)
        writer.close()
        await azure._proxy.stop()
        server.close()
        await server.wait_closed()
        return answer

    return asyncio.run(story())


def _cluster(world: World) -> tuple[str, str]:
    """Create a public load balancer with a machine and a DNS name; return its address and the machine's id."""
    address = world.put_public_balancer()["properties"]["ipAddress"]
    world.put_rules({})
    vm = world.put_machine("vm", POOL)
    zone = "dnsZones/eastus.aroapp.io"
    world.put(zone, {"location": "global"}, version="2018-05-01")
    record: Any = {"properties": {"TTL": 300, "ARecords": [{"ipv4Address": address}]}}
    world.put(f"{zone}/A/api.one", record, version="2018-05-01")
    return str(address), vm


@pytest.mark.parametrize("by_name", [False, True], ids=["by address", "by name"])
def test_the_api_s_port_leads_to_the_machine(world: World, guests: Listening, by_name: bool) -> None:
    """The connection reaches the machine's own listener, and bytes go both ways."""
    address, vm = _cluster(world)

    def listens(port: int) -> None:
        guests.ports[vm, 6443] = port

    answer = _connect(world, f"{NAME if by_name else address}:6443", listens)
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"hello\n")


def test_a_machine_that_does_not_listen_yet_is_a_timeout(world: World, guests: Listening) -> None:
    """The network leads to the machine, so the answer is a 504 that names it."""
    assert not guests.ports
    address, _ = _cluster(world)
    answer = _connect(world, f"{address}:6443")
    assert answer.startswith(b"HTTP/1.1 504")
    assert b"listens on port 6443: vm." in answer


@pytest.mark.parametrize(
    ("target", "want"),
    [
        ("127.5.5.5:6443", b"no public IP address and of no private endpoint"),
        (f"{NAME}:22623", b"No load balancing rule of"),
        ("api.two.eastus.aroapp.io:6443", b"has no address in any DNS zone"),
        ("127.0.0.1:6443", b"no public IP address and of no private endpoint"),
        (f"{NAME}:443", b"takes TCP port 443"),
        (f"{NAME}:8443", b"is not emulated by the local Azure"),
        ("other.example.com:80", b"is not emulated by the local Azure"),
        ("localhost:443", b"is not emulated by the local Azure"),
    ],
)
def test_what_leads_nowhere_is_refused_with_the_reason(
    world: World, guests: Listening, target: str, want: bytes
) -> None:
    """The answer is a 403 that says where the path ends."""
    assert not guests.ports
    _cluster(world)
    answer = _connect(world, target)
    assert answer.startswith(b"HTTP/1.1 403")
    assert want in answer
