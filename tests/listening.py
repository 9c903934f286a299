"""A platform of a test's own choice of services that listens in this process, so that blocking clients can call it.

What the services are, and who and what exists in them, is each folder's own. The whole local Azure, in processes of
its own, is in `local_azure.py`.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from emulator.core.platform import Platform
from emulator.core.proxy import Proxy, Refusal
from emulator.core.server import Server

Result = TypeVar("Result")

# Far more than a start or a stop needs (the server waits 2 s for requests in flight), far less than a test's time-out.
TIMEOUT_SECONDS = 10.0
ONE_FREE_PORT: Mapping[int, bool] = {0: True}


@dataclass(frozen=True)
class Listening:
    """A platform that listens.

    Args:
        platform: its services' models, its faults and its journal, to arrange and to look at.
        proxy: the URL of the proxy that leads public names to it.
        loop: the event loop in which it runs.
    """

    platform: Platform
    proxy: str
    loop: asyncio.AbstractEventLoop

    @property
    def environment(self) -> dict[str, str]:
        """What any client process needs in its environment to reach it by the public names."""
        certificate = str(self.platform.authority.certificate_path)
        return {
            "HTTPS_PROXY": self.proxy,
            "NO_PROXY": "localhost,127.0.0.1",
            "REQUESTS_CA_BUNDLE": certificate,
            "SSL_CERT_FILE": certificate,
        }

    def run(self, work: Coroutine[Any, Any, Result], timeout_seconds: float = TIMEOUT_SECONDS) -> Result:
        """Run something in the platform's loop, and wait for its result."""
        return run(self.loop, work, timeout_seconds)


@contextmanager
def listening(
    platform: Platform,
    listeners: Mapping[int, bool] = ONE_FREE_PORT,
    resolve: Callable[[str], bool] = lambda _host: True,
) -> Iterator[Listening]:
    """Let a platform listen and resume its work; stop it at the end, also when it came up only in part.

    Args:
        platform: with its services; it is closed in the end.
        listeners: whether each port speaks TLS; 0 stands for any free port. Public names lead to the first one.
        resolve: tells whether the DNS knows a public name, for services that have a name for each account.

    Raises:
        OSError: a port is taken.
        TimeoutError: something did not start in time.
    """
    with ExitStack() as stack:
        loop = stack.enter_context(event_loop())
        stack.callback(lambda: run(loop, platform.stop()))
        server = Server(platform)
        stack.callback(lambda: run(loop, server.stop()))
        ports = [run(loop, server.listen(port, tls=tls)) for port, tls in listeners.items()]

        def address(host: str, _port: int) -> tuple[str, int] | Refusal:
            known = platform.service_for(host) and resolve(host)
            return ("127.0.0.1", ports[0]) if known else Refusal(403, f"{host} is not emulated.")

        proxy = Proxy(address)
        stack.callback(lambda: run(loop, proxy.stop()))
        url = f"http://127.0.0.1:{run(loop, proxy.listen())}"
        run(loop, platform.start())
        yield Listening(platform, url, loop)


@contextmanager
def variables(environment: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables of this process, for clients in it that take nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


def free_port() -> int:
    """Return a port that is free now: for a service that has to know its own before it listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    # A daemon: the interpreter waits for other threads without limit, so that one stuck loop would keep it from ending.
    thread = threading.Thread(target=loop.run_forever, name="local azure", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        with suppress(TimeoutError):
            run(loop, _cut_all())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(TIMEOUT_SECONDS)
        # A loop that still runs cannot be closed; what it is stuck in has raised a TimeoutError from a stop before.
        if not thread.is_alive():
            loop.close()


async def _cut_all() -> None:
    """Cut what is still connected, as the end of a process would.

    A server's stop does not wait for connections in the middle of a TLS handshake or farewell, and asyncio has no
    public list of them; the garbage collector would complain of each in whichever test it next runs.
    """
    loop: Any = asyncio.get_running_loop()
    for transport in list(loop._transports.values()):
        transport.abort()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def run(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Result], timeout_seconds: float = TIMEOUT_SECONDS
) -> Result:
    """Run something in a loop of another thread, and wait for its result."""
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result(timeout_seconds)
    finally:
        # Without effect on work that is done; the rest is given up, that no task outlives its loop.
        future.cancel()
