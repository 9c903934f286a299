"""The front end in front of a host: client certificates, headers, restarts, many connections."""

import asyncio
import base64
import datetime as dt
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from emulator.host.front_end import FrontEnd
from tests.emulator.integration.host.harness import LIMIT_SECONDS, HostUnderTest, wait_until


@dataclass(frozen=True)
class Pair:
    """A self-signed certificate and its key."""

    certificate: Path
    key: Path
    der: bytes


def _make_pair(folder: Path, name: str) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.crt", folder / f"{name}.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return Pair(*files, certificate.public_bytes(serialization.Encoding.DER))


@pytest.fixture(scope="module")
def server_pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Make the front end's certificate."""
    return _make_pair(tmp_path_factory.mktemp("server"), "server")


@pytest.fixture(scope="module")
def caller_pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Make a certificate that chains to nothing the front end knows."""
    return _make_pair(tmp_path_factory.mktemp("caller"), "caller")


def _context(server: Pair, caller: Pair | None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(server.certificate))
    if caller is not None:
        context.load_cert_chain(caller.certificate, caller.key)
    return context


def _client(server: Pair, caller: Pair | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(verify=_context(server, caller), timeout=LIMIT_SECONDS)


@asynccontextmanager
async def _front_end(server: Pair, upstream: Path) -> AsyncIterator[str]:
    front_end = FrontEnd()
    await front_end.start(0, server.certificate, server.key, upstream)
    try:
        yield f"https://localhost:{front_end.port}"
    finally:
        await front_end.stop()


def _run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(story())


async def _begun(host: HostUnderTest, name: str) -> None:
    """Wait until a slow call has reached its function."""
    await asyncio.to_thread(wait_until, (host.marks / f"{name}.begun").exists)


def test_any_certificate_whose_key_the_caller_holds_is_passed_on(
    basic: HostUnderTest, server_pair: Pair, caller_pair: Pair
) -> None:
    async def story() -> None:
        async with (
            _front_end(server_pair, basic.socket) as url,
            _client(server_pair, caller_pair) as client,
        ):
            forged = {
                "X-ARR-ClientCert": "forged",
                "X-Forwarded-Proto": "gopher",
                "X-Forwarded-For": "192.0.2.1",
                "Disguised-Host": "elsewhere",
                "TE": "trailers",
            }
            response = await client.post(f"{url}/echo/a/b%20c?x=1", content=b"body", headers=forged)
            seen = response.json()

            assert response.status_code == 201
            assert base64.b64decode(seen["headers"]["x-arr-clientcert"]) == caller_pair.der
            assert seen["headers"]["x-forwarded-proto"] == "https"
            assert seen["headers"]["x-forwarded-for"].startswith(("127.0.0.1:", "::1:"))
            assert "te" not in seen["headers"]
            assert seen["url"] == f"{url}/echo/a/b%20c?x=1"
            assert seen["body"] == "body"

    _run(story)


def test_a_caller_without_a_certificate_gets_403(basic: HostUnderTest, server_pair: Pair) -> None:
    async def story() -> None:
        async with (
            _front_end(server_pair, basic.socket) as url,
            _client(server_pair, None) as client,
        ):
            for _ in range(2):
                response = await client.post(f"{url}/echo/a/b", content=b"x" * 100_000)
                assert response.status_code == 403
                assert response.headers["content-type"] == "text/html"

    _run(story)


def test_tls_below_1_2_is_refused(basic: HostUnderTest, server_pair: Pair) -> None:
    async def story() -> None:
        async with _front_end(server_pair, basic.socket) as url:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(server_pair.certificate)
            context.set_ciphers("DEFAULT:@SECLEVEL=0")
            context.maximum_version = ssl.TLSVersion.TLSv1_1
            with pytest.raises(ssl.SSLError):
                await asyncio.open_connection("localhost", httpx.URL(url).port, ssl=context)

    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        _run(story)


def test_a_chunked_body_is_passed_on_as_chunks(basic: HostUnderTest, server_pair: Pair, caller_pair: Pair) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"piece"

    async def story() -> None:
        async with (
            _front_end(server_pair, basic.socket) as url,
            _client(server_pair, caller_pair) as client,
        ):
            seen = (await client.post(f"{url}/echo/a/b", content=chunks())).json()
            assert seen["headers"]["transfer-encoding"] == "chunked"
            assert seen["body"] == ""

    _run(story)


def test_a_large_body_arrives_whole(basic: HostUnderTest, server_pair: Pair, caller_pair: Pair) -> None:
    async def story() -> None:
        async with (
            _front_end(server_pair, basic.socket) as url,
            _client(server_pair, caller_pair) as client,
        ):
            body = b"0123456789" * 500_000
            assert (await client.post(f"{url}/echo/a/b", content=body)).json()["body"] == body.decode()

    _run(story)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"Content-Length": str(101 * 1024 * 1024)}, 413, id="a body over 100 MB"),
        pytest.param({"X-Long": "x" * 40_000}, 431, id="headers over 32 KB"),
        pytest.param({"Bad Header": "x"}, 400, id="what is not HTTP"),
        pytest.param({"Content-Length": "3", "Transfer-Encoding": "chunked"}, 400, id="two kinds of length"),
        pytest.param({"Content-Length": "3", "content-length": "3"}, 400, id="two lengths"),
        pytest.param({"Transfer-Encoding": "gzip"}, 400, id="a body without an end"),
        pytest.param({"Folded": "a\r\n b"}, 400, id="a folded header"),
        pytest.param({"Split": "a\nX-ARR-ClientCert: forged"}, 400, id="a line that ends with LF alone"),
    ],
)
def test_what_is_too_large_or_no_http_is_refused(
    basic: HostUnderTest, server_pair: Pair, caller_pair: Pair, headers: dict[str, str], status: int
) -> None:
    async def story() -> None:
        async with _front_end(server_pair, basic.socket) as url:
            port = httpx.URL(url).port
            reader, writer = await asyncio.open_connection("localhost", port, ssl=_context(server_pair, caller_pair))
            lines = [f"{name}: {value}" for name, value in headers.items()]
            writer.write("\r\n".join(["POST /echo/a/b HTTP/1.1", "Host: x", *lines, "", ""]).encode())
            answer = await reader.readline()
            writer.close()
            assert f" {status} ".encode() in answer

    _run(story)


def test_requests_of_one_connection_are_answered_in_order(
    basic: HostUnderTest, server_pair: Pair, caller_pair: Pair
) -> None:
    async def story() -> None:
        async with _front_end(server_pair, basic.socket) as url:
            port = httpx.URL(url).port
            reader, writer = await asyncio.open_connection("localhost", port, ssl=_context(server_pair, caller_pair))
            writer.write(b"GET /slow/first HTTP/1.1\r\nHost: x\r\n\r\nGET /items/7 HTTP/1.1\r\nHost: x\r\n\r\n")
            await _begun(basic, "first")
            basic.mark("first.go")
            answer = b""
            while b"item 7" not in answer:
                answer += await reader.read(4096)
            writer.close()
            assert answer.index(b"late") < answer.index(b"item 7")

    _run(story)


def test_many_connections_are_held_and_served(basic: HostUnderTest, server_pair: Pair, caller_pair: Pair) -> None:
    async def story() -> None:
        async with (
            _front_end(server_pair, basic.socket) as url,
            _client(server_pair, caller_pair) as client,
        ):
            responses = await asyncio.gather(*(client.get(f"{url}/items/{number}") for number in range(200)))
            assert [response.text for response in responses] == [f"item {number}" for number in range(200)]

    _run(story)


def test_503_while_the_host_is_away_and_200_once_it_is_back(
    tmp_path: Path, server_pair: Pair, caller_pair: Pair
) -> None:
    host = HostUnderTest("basic", tmp_path)

    async def story() -> None:
        async with (
            _front_end(server_pair, host.socket) as url,
            _client(server_pair, caller_pair) as client,
        ):
            assert (await client.get(f"{url}/items/1")).status_code == 503
            await asyncio.to_thread(host.start)
            assert (await client.get(f"{url}/items/1")).text == "item 1"
            cut = asyncio.create_task(client.get(f"{url}/slow/cut"))
            await _begun(host, "cut")
            await asyncio.to_thread(host.kill)
            assert (await cut).status_code == 502
            waiting = asyncio.create_task(client.get(f"{url}/items/2"))
            await asyncio.to_thread(host.start)
            # The front end held the request until the host was back, or gave up because that took too long.
            assert (await waiting).status_code in (200, 503)

    _run(story)
    host.stop()


def test_a_caller_that_goes_away_leaves_the_front_end_serving(
    basic: HostUnderTest, server_pair: Pair, caller_pair: Pair
) -> None:
    async def story() -> None:
        async with (
            _front_end(server_pair, basic.socket) as url,
            _client(server_pair, caller_pair) as client,
        ):
            gone = asyncio.create_task(client.get(f"{url}/slow/gone"))
            await _begun(basic, "gone")
            gone.cancel()
            await asyncio.wait([gone])
            plain = socket.create_connection(("localhost", httpx.URL(url).port or 0))
            plain.sendall(b"this is not TLS at all\r\n\r\n")
            plain.close()
            assert (await client.get(f"{url}/items/3")).text == "item 3"
            basic.mark("gone.go")
            assert (await client.get(f"{url}/items/4")).text == "item 4"

    _run(story)


@asynccontextmanager
async def _upstream(
    folder: Path, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
) -> AsyncIterator[Path]:
    """Run a stand-in for the host that controls every byte; yield its socket."""
    path = folder / "upstream.sock"
    server = await asyncio.start_unix_server(serve, path)
    try:
        yield path
    finally:
        server.close()


async def _connect(url: str, server: Pair, caller: Pair) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("localhost", httpx.URL(url).port, ssl=_context(server, caller))


def test_an_answer_is_passed_on_as_it_comes_and_cut_where_it_breaks_off(
    tmp_path: Path, server_pair: Pair, caller_pair: Pair
) -> None:
    read = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"
        )
        await read.wait()
        writer.close()

    async def story() -> None:
        async with (
            _upstream(tmp_path, serve) as upstream,
            _front_end(server_pair, upstream) as url,
            _client(server_pair, caller_pair) as client,
            client.stream("GET", url) as response,
        ):
            assert response.headers.get_list("set-cookie") == ["a", "b"]
            pieces = response.aiter_raw()
            assert await anext(pieces) == b"first"
            read.set()
            with pytest.raises(httpx.RemoteProtocolError):
                await anext(pieces)

    _run(story)


def test_an_upload_that_breaks_off_is_not_passed_on_as_a_whole(
    tmp_path: Path, server_pair: Pair, caller_pair: Pair
) -> None:
    received: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.put_nowait((await reader.readuntil(b"abc\r\n")).partition(b"\r\n\r\n")[2])
        received.put_nowait(await reader.read())
        writer.close()

    async def story() -> None:
        async with _upstream(tmp_path, serve) as upstream, _front_end(server_pair, upstream) as url:
            _, writer = await _connect(url, server_pair, caller_pair)
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            assert await asyncio.wait_for(received.get(), LIMIT_SECONDS) == b"3\r\nabc\r\n"
            writer.close()
            assert await asyncio.wait_for(received.get(), LIMIT_SECONDS) == b""

    _run(story)


def test_a_request_that_was_sent_is_never_sent_again(tmp_path: Path, server_pair: Pair, caller_pair: Pair) -> None:
    seen: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readline())
        await reader.readuntil(b"\r\n\r\n")
        if len(seen) == 1:
            # The connection is kept for the next request, and closed after that request's first line.
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            seen.append(await reader.readline())
        writer.close()

    async def story() -> None:
        async with (
            _upstream(tmp_path, serve) as upstream,
            _front_end(server_pair, upstream) as url,
            _client(server_pair, caller_pair) as client,
        ):
            assert (await client.delete(f"{url}/1")).status_code == 204
            assert (await client.delete(f"{url}/2")).status_code == 502
            assert seen == [b"DELETE /1 HTTP/1.1\r\n", b"DELETE /2 HTTP/1.1\r\n"]

    _run(story)


def test_limits_hold_before_the_end_of_what_has_no_length(tmp_path: Path, server_pair: Pair, caller_pair: Pair) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1024 * 1024):
            pass
        writer.close()

    async def story() -> None:
        async with _upstream(tmp_path, serve) as upstream, _front_end(server_pair, upstream) as url:
            reader, writer = await _connect(url, server_pair, caller_pair)
            writer.write(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 6000)
            assert b" 431 " in await reader.readline()
            writer.close()
            reader, writer = await _connect(url, server_pair, caller_pair)
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in range(100):
                writer.write(b"100000\r\n" + b"x" * 1024 * 1024 + b"\r\n")
                await writer.drain()
            writer.write(b"1\r\nx\r\n")
            assert b" 413 " in await reader.readline()
            writer.close()

    _run(story)


@pytest.mark.parametrize("target", ["//a/../b", "/%zz%2f%00", "/a?b=%zz&b", "/a;b='(c)'"])
def test_a_target_arrives_as_it_was_written(tmp_path: Path, server_pair: Pair, caller_pair: Pair, target: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + line)
        writer.close()

    async def story() -> None:
        async with _upstream(tmp_path, serve) as upstream, _front_end(server_pair, upstream) as url:
            reader, writer = await _connect(url, server_pair, caller_pair)
            writer.write(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            assert f"GET {target} HTTP/1.1".encode() in await reader.read()
            writer.close()

    _run(story)


def test_a_head_has_no_body_and_the_connection_goes_on(tmp_path: Path, server_pair: Pair, caller_pair: Pair) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (line := await reader.readline()).startswith((b"HEAD", b"GET")):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + (b"" if line[0:1] == b"H" else b"body"))
        writer.close()

    async def story() -> None:
        async with _upstream(tmp_path, serve) as upstream, _front_end(server_pair, upstream) as url:
            reader, writer = await _connect(url, server_pair, caller_pair)
            for method, body in ((b"HEAD", b""), (b"GET", b"body")):
                writer.write(method + b" / HTTP/1.1\r\nHost: x\r\n\r\n")
                head = await reader.readuntil(b"\r\n\r\n")
                assert b"content-length: 4" in head.lower()
                assert await reader.readexactly(len(body)) == body
            writer.close()

    _run(story)
