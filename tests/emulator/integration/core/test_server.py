"""The server and the proxy, tested with a real HTTPS client."""

import asyncio
import base64
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from emulator.core.clock import Clock
from emulator.core.faults import Fault, Kind
from emulator.core.platform import Platform, Service
from emulator.core.proxy import Ends, Proxy, Refusal
from emulator.core.server import Server
from emulator.core.service_error import ServiceError
from emulator.core.world import World

calls: list[str] = []


async def _hello(request: Request) -> Response:
    calls.append(request.url.path)
    if request.url.path == "/bad":
        raise ServiceError(409, "Conflict", "no")
    if request.url.path == "/bug":
        raise RuntimeError("a secret detail")
    return JSONResponse({"host": request.headers["host"]})


def _render(_request: Request, error: ServiceError) -> Response:
    return JSONResponse({"error": error.body()}, status_code=error.status_code, headers=error.headers)


@asynccontextmanager
async def _running(
    tmp_path: Path,
) -> AsyncIterator[tuple[Platform, Callable[[str], Coroutine[Any, Any, requests.Response]]]]:
    platform = Platform(tmp_path, clock=Clock(40), world=World())
    route = Route("/{rest:path}", _hello, methods=["GET"], name="hello")
    platform.services.append(Service("hello", ("*.hello.azure.net",), [route], _render))
    server = Server(platform)
    port = await server.listen()
    proxy = Proxy(
        lambda host, _port: ("127.0.0.1", port) if platform.service_for(host) else Refusal(403, "It is nobody's name.")
    )
    proxy_url = f"http://127.0.0.1:{await proxy.listen()}"

    async def get(url: str) -> requests.Response:
        return await asyncio.to_thread(
            requests.get,
            url,
            proxies={"https": proxy_url},
            verify=str(platform.authority.certificate_path),
            timeout=60,
        )

    try:
        yield platform, get
    finally:
        await proxy.stop()
        await server.stop()
        await platform.stop()


def test_a_client_reaches_a_service_under_its_public_name(tmp_path: Path) -> None:
    """The request goes through the proxy, and the local CA's certificate is for exactly that name."""

    async def story() -> None:
        async with _running(tmp_path) as (platform, get):
            assert (await get("https://one.hello.azure.net/a")).json() == {"host": "one.hello.azure.net"}
            entry = next(platform.journal.entries())
            assert (entry.service, entry.operation, entry.status) == ("hello", "hello", 200)

    asyncio.run(story())


def test_a_name_that_nobody_emulates_is_refused(tmp_path: Path) -> None:
    """A call that was overlooked fails at once and never leaves the machine."""

    async def story() -> None:
        async with _running(tmp_path) as (_, get):
            with pytest.raises(requests.exceptions.ProxyError):
                await get("https://forgotten.example.com/")

    asyncio.run(story())


def test_a_refusal_says_why() -> None:
    """The client reads the reason of a refusal; a target that does not answer gets a 504."""

    async def connect(proxy: Proxy) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.listen())
        writer.write(b"CONNECT 127.1.2.3:6443 HTTP/1.1\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await proxy.stop()
        return answer

    refused = asyncio.run(connect(Proxy(lambda _host, _port: Refusal(403, "Rule r has no probe."))))
    # Clients show at most the status line: kubectl, requests and the Python client of Kubernetes drop the body.
    assert refused.startswith(b"HTTP/1.1 403 Rule r has no probe.\r\n")
    assert refused.endswith(b"Rule r has no probe.")
    # Nothing listens on port 1 of this machine.
    silent = asyncio.run(connect(Proxy(lambda _host, _port: ("127.0.0.1", 1))))
    assert silent.startswith(b"HTTP/1.1 504")


def test_a_tunnel_whose_server_has_closed_holds_nothing() -> None:
    """All that the server sent arrives; the server's connection ends although the client keeps its own open."""

    async def story() -> bytes:
        ended = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"x" * 500_000 + b"last words")
            writer.write_eof()
            await reader.read()
            ended.set()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        proxy = Proxy(lambda _host, _port: ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.listen())
        writer.write(b"CONNECT one.hello.azure.net:443 HTTP/1.1\r\n\r\n")
        received = await reader.read()
        async with asyncio.timeout(60):
            await ended.wait()
        writer.close()
        await proxy.stop()
        server.close()
        return received

    assert asyncio.run(story()).endswith(b"xlast words")


@pytest.mark.parametrize(
    ("line", "source"),
    [
        (b"Proxy-Authorization: Basic %s" % base64.b64encode(b"/a/subnet:"), "/a/subnet"),
        (b"proxy-authorization:basic %s" % base64.b64encode(b"/a/subnet"), "/a/subnet"),
        (b"Proxy-Authorization: Basic ?", None),
        (b"Proxy-Authorization: Basic %s" % base64.b64encode(b"\xff:"), None),
        (b"Host: one.hello.azure.net", None),
    ],
)
def test_the_proxy_knows_the_subnet_that_a_client_names(line: bytes, source: str | None) -> None:
    """The server's side of the connection leads to it, for as long as the connection is open."""

    async def story() -> tuple[str | None, dict[Ends, str]]:
        seen: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        sources: dict[Ends, str] = {}

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            seen.set_result(sources.get((writer.get_extra_info("peername"), writer.get_extra_info("sockname"))))
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        proxy = Proxy(lambda _host, _port: ("127.0.0.1", port), sources)
        reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.listen())
        writer.write(b"CONNECT one.hello.azure.net:443 HTTP/1.1\r\n" + line + b"\r\n\r\nx")
        await reader.read()
        writer.close()
        await proxy.stop()
        server.close()
        return await seen, sources

    assert asyncio.run(story()) == (source, {})


def test_the_end_of_a_connection_leaves_others_from_its_port_their_subnet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux gives one port to two connections, if they lead to different servers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        shared: int = free.getsockname()[1]
    connect = asyncio.open_connection

    async def connect_from_shared_port(host: str, port: int) -> Any:
        upstream = socket.socket()
        upstream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        upstream.bind(("127.0.0.1", shared))
        upstream.connect((host, port))
        return await connect(sock=upstream)

    async def story() -> list[list[str]]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"x")
            await reader.read()
            ended.set()
            writer.close()

        sources: dict[Ends, str] = {}
        ended = asyncio.Event()
        servers = [await asyncio.start_server(answer, "127.0.0.1", 0) for _ in range(2)]
        proxy = Proxy(lambda _host, port: servers[port].sockets[0].getsockname(), sources)
        at, found = await proxy.listen(), []
        writers = []
        for number in range(2):
            reader, writer = await connect("127.0.0.1", at)
            named = base64.b64encode(b"subnet-%d" % number)
            writer.write(
                b"CONNECT one.azure.net:%d HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n" % (number, named)
            )
            await reader.readuntil(b"\r\n\r\nx")
            writers.append((reader, writer))
        found.append(sorted(sources.values()))
        reader, writer = writers[0]
        writer.close()
        async with asyncio.timeout(60):
            await ended.wait()
        found.append(sorted(sources.values()))
        writers[1][1].close()
        await proxy.stop()
        for server in servers:
            server.close()
        return found

    monkeypatch.setattr("emulator.core.proxy.asyncio.open_connection", connect_from_shared_port)
    assert asyncio.run(story()) == [["subnet-0", "subnet-1"], ["subnet-1"]]


@pytest.mark.parametrize(
    "head", [b"\x16\x03\x01", b"CONNECT", b"CONNECT one.hello.azure.net:\xb2 HTTP/1.1", b"GET http://x/ HTTP/1.1", b""]
)
def test_a_request_that_is_no_connect_is_refused_by_the_proxy(head: bytes) -> None:
    """TLS sent to the proxy itself, or a port of non-ASCII digits, gets an answer, and nothing crashes."""

    async def story() -> bytes:
        crashes: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: crashes.append(context))
        proxy = Proxy(lambda _host, _port: ("127.0.0.1", 1))
        reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.listen())
        writer.write(head + b"\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await proxy.stop()
        assert not crashes
        return answer

    assert asyncio.run(story()).startswith(b"HTTP/1.1 40")


def test_errors_come_in_the_service_s_own_format_and_bugs_tell_nothing(tmp_path: Path) -> None:
    """The service renders a ServiceError; a crash becomes a bare 500."""

    async def story() -> None:
        async with _running(tmp_path) as (_, get):
            refused = await get("https://one.hello.azure.net/bad")
            crashed = await get("https://one.hello.azure.net/bug")
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "Conflict")
            assert crashed.status_code == 500
            assert "secret detail" not in crashed.text

    asyncio.run(story())


def test_injected_faults_answer_cut_and_lose(tmp_path: Path) -> None:
    """Only a lost response lets the work happen; a status, a reset and silence come before it."""

    async def story() -> None:
        async with _running(tmp_path) as (platform, get):
            platform.faults.add(Fault(service="hello", status_code=429, retry_after=3))
            throttled = await get("https://one.hello.azure.net/throttled")
            assert (throttled.status_code, throttled.headers["Retry-After"]) == (429, "3")
            platform.faults.add(Fault(service="hello", kind="reset"))
            with pytest.raises(requests.exceptions.ConnectionError):
                await get("https://one.hello.azure.net/reset")
            platform.faults.add(Fault(service="hello", kind="lost-response"))
            with pytest.raises(requests.exceptions.ConnectionError):
                await get("https://one.hello.azure.net/lost")
            assert "/lost" in calls
            assert "/throttled" not in calls
            assert "/reset" not in calls
            platform.faults.add(Fault(service="hello", status_code=429))
            assert "Retry-After" not in (await get("https://one.hello.azure.net/throttled")).headers
            platform.faults.add(Fault(service="hello", kind="silence", delay_seconds=0.05))
            with pytest.raises(requests.exceptions.ConnectionError):
                await get("https://one.hello.azure.net/silence")
            assert "/silence" not in calls

    asyncio.run(story())


@pytest.mark.parametrize(
    ("kind", "want"),
    [
        ("cut-headers", None),
        ("cut-body", requests.exceptions.ChunkedEncodingError),
        ("cut-chunk", requests.exceptions.ChunkedEncodingError),
        ("cut-end", requests.exceptions.ChunkedEncodingError),
    ],
)
def test_an_answer_is_cut_where_the_fault_says(tmp_path: Path, kind: Kind, want: Any) -> None:
    """The work is done. Of an answer that is cut in its headers, a client sees the status and an empty body."""

    async def story() -> None:
        async with _running(tmp_path) as (platform, get):
            platform.faults.add(Fault(service="hello", kind=kind))
            if want:
                with pytest.raises(want):
                    await get(f"https://one.hello.azure.net/{kind}")
            else:
                answer = await get(f"https://one.hello.azure.net/{kind}")
                assert (answer.status_code, answer.content, answer.headers.get("Content-Length")) == (200, b"", None)
            assert f"/{kind}" in calls
            assert [call.status for call in platform.journal.entries()] == [0]
            assert (await get("https://one.hello.azure.net/whole")).status_code == 200

    asyncio.run(story())


def test_a_held_call_waits_until_its_fault_is_lifted(tmp_path: Path) -> None:
    """Lifting wakes the call although the rule was spent on it, and it does its work."""

    async def story() -> None:
        async with _running(tmp_path) as (platform, get):
            hold = platform.faults.add(Fault(service="hello", kind="hold", delay_seconds=3600))
            call = asyncio.ensure_future(get("https://one.hello.azure.net/held"))
            while platform.faults.list():  # noqa: ASYNC110 - a rule tells nobody when it is met
                await asyncio.sleep(0.01)
            assert "/held" not in calls
            assert platform.faults.clear(hold.id) == 1
            assert (await call).status_code == 200
            assert "/held" in calls
            assert platform.faults.clear(hold.id) == 0

    asyncio.run(story())
