"""Makes a platform of services that a test chooses listen in this process, so that blocking clients can call it.

Each folder's tests choose the services and what exists in them. The whole local Azure, in its own processes, is in
`local_azure.py`.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from emulator.core.platform import Platform
from emulator.core.ports import listen_on_free_port
from emulator.core.proxy import Proxy, Refusal
from emulator.core.server import Server

Result = TypeVar("Result")

# Far more than a start or a stop needs (the server waits 2 s for requests in flight), less than a test's time-out.
TIMEOUT_SECONDS = 120.0
ONE_FREE_PORT: Mapping[int, bool] = {0: True}


@dataclass(frozen=True)
class Listening:
    """A platform that listens.

    Args:
        platform: the platform, with its services' models, faults and journal.
        proxy: URL of the proxy through which public names reach it.
        loop: the event loop in which it runs.
    """

    platform: Platform
    proxy: str
    loop: asyncio.AbstractEventLoop

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables with which any client process reaches it by the public names."""
        certificate = str(self.platform.authority.certificate_path)
        return {
            "HTTPS_PROXY": self.proxy,
            "NO_PROXY": "localhost,127.0.0.1",
            "REQUESTS_CA_BUNDLE": certificate,
            "SSL_CERT_FILE": certificate,
        }

    def run(self, work: Coroutine[Any, Any, Result], timeout_seconds: float = TIMEOUT_SECONDS) -> Result:
        """Run a coroutine in the platform's loop; return its result."""
        return run(self.loop, work, timeout_seconds)


@contextmanager
def listening(
    platform: Platform,
    listeners: Mapping[int, bool] = ONE_FREE_PORT,
) -> Iterator[Listening]:
    """Make a platform listen and resume its work; stop it at the end, even if it started only in part.

    Args:
        platform: the platform with its services; it is closed at the end.
        listeners: whether each port uses TLS; 0 stands for any free port. Public names lead to the first port.

    Raises:
        OSError: if a port is taken.
        TimeoutError: if something does not start in time.
    """
    with ExitStack() as stack:
        loop = stack.enter_context(event_loop())
        stack.callback(lambda: run(loop, platform.stop()))
        server = Server(platform)
        stack.callback(lambda: run(loop, server.stop()))
        ports = [run(loop, server.listen(port, tls=tls)) for port, tls in listeners.items()]

        def address(host: str, _port: int) -> tuple[str, int] | Refusal:
            service = platform.service_for(host)
            known = service is not None and service.resolves(host)
            return ("127.0.0.1", ports[0]) if known else Refusal(403, f"{host} is not emulated.")

        proxy = Proxy(address, platform.sources)
        stack.callback(lambda: run(loop, proxy.stop()))
        url = f"http://127.0.0.1:{run(loop, proxy.listen())}"
        run(loop, platform.start())
        yield Listening(platform, url, loop)


@contextmanager
def variables(environment: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables of this process, for clients that can be configured in no other way."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


def free_port() -> int:
    """Return a port that is free now, for a service that must know its port before it listens."""
    with listen_on_free_port() as probe:
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a separate thread."""
    loop = asyncio.new_event_loop()
    # A daemon thread: the interpreter waits for other threads without limit, so a stuck loop would keep it from ending.
    thread = threading.Thread(target=loop.run_forever, name="local azure", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        with suppress(TimeoutError):
            run(loop, _cut_all())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(TIMEOUT_SECONDS)
        # A running loop cannot be closed. If this one is stuck, an earlier stop has already raised a TimeoutError.
        if not thread.is_alive():
            loop.close()


async def _cut_all() -> None:
    """Abort the connections that are still open, as the end of a process would.

    A server's stop does not wait for connections in the middle of a TLS handshake or shutdown, and asyncio has no
    public list of them. The garbage collector would warn about each in whichever test it runs next.
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
    """Run a coroutine in the loop of another thread; return its result.

    Args:
        loop: the event loop, which runs in another thread.
        work: the coroutine.
        timeout_seconds: how long to wait for the result.
    """
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result(timeout_seconds)
    finally:
        # This does nothing if the work is done. Otherwise it gives the work up, so that no task outlives its loop.
        future.cancel()
