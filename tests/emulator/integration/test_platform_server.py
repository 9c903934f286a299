"""The platform that tests run in this process: whatever happens to it, the test run ends."""

import asyncio
import gc
import socket
import threading
import warnings
from pathlib import Path

import pytest
from starlette.responses import Response

from emulator.core.clock import Clock
from emulator.core.platform import Platform, Service
from emulator.core.world import World
from tests.platform_server import free_port, listening


def _platform(root: Path) -> Platform:
    return Platform(root, clock=Clock(40), world=World())


def _refused(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) != 0


def test_a_platform_that_comes_up_in_part_leaves_neither_a_thread_nor_a_port(tmp_path: Path) -> None:
    """Otherwise the test run would wait for that thread forever."""
    port, before = free_port(), threading.active_count()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(OSError, match="in use"), listening(_platform(tmp_path), {port: True, _port(taken): True}):
            pass
        assert _refused(port)
    assert threading.active_count() == before


def test_a_service_that_does_not_start_leaves_neither_a_thread_nor_a_port(tmp_path: Path) -> None:
    """The test fails with the exception that the service raised."""

    async def start() -> None:
        raise LookupError("no such account")

    platform, port, before = _platform(tmp_path), free_port(), threading.active_count()
    platform.services.append(Service("broken", (), (), lambda _request, _error: Response(), start=start))
    with pytest.raises(LookupError, match="no such account"), listening(platform, {port: True}):
        pass
    assert _refused(port)
    assert threading.active_count() == before


def test_work_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    """After a timeout the platform still serves and still stops."""
    before = threading.active_count()
    with listening(_platform(tmp_path)) as local:
        with pytest.raises(TimeoutError):
            local.run(asyncio.Event().wait(), timeout_seconds=0.01)
        assert local.run(asyncio.sleep(0, "done")) == "done"
    assert threading.active_count() == before


@pytest.mark.parametrize("hello", [b"", b"\x16\x03\x01"], ids=["nothing was said", "in the middle of a handshake"])
def test_a_platform_that_stops_leaves_no_connection_to_the_garbage_collector(tmp_path: Path, hello: bytes) -> None:
    """Otherwise asyncio warns about it in whichever test next collects garbage."""
    with warnings.catch_warnings(record=True) as complaints, socket.socket() as client:
        warnings.simplefilter("always")
        with listening(_platform(tmp_path), {(port := free_port()): True}) as local:
            client.connect(("127.0.0.1", port))
            client.sendall(hello)
            local.run(asyncio.sleep(0.05))
        del local
        gc.collect()
    assert [str(one.message) for one in complaints] == []


def _port(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port
