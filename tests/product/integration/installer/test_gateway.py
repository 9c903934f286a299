"""What a hostile program gets instead of `openshift-install`: Azure Resource Manager, as one that reads.

The program is a script in Python. Between it and the hosts of the network is a proxy, as this process could have one,
which notes every host that somebody wants to reach.
"""

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError

from installer.back_end_errors import InstallerError
from installer.openshift_install import gateway as gateway_module
from installer.openshift_install.gateway import Azure, Gateway
from installer.openshift_install.program import Program
from shared.children import child_process
from tests.product.unit.installer import example

ARM = "management.azure.com"
AUDIENCES = ("https://management.core.windows.net/", "https://management.azure.com/")
TOKEN = "canary-token-of-the-reader"  # noqa: S105 - the token of a test
HEAD = f"""#!{sys.executable} -IS
import json, os, socket, sys
from urllib.request import Request, ProxyHandler, build_opener
if sys.argv[1] == "version":
    print("openshift-install 4.19.24")
    sys.exit()

def answer(url, headers={{}}):
    opened = build_opener(ProxyHandler({{}})).open(Request(url, headers=headers), timeout=20)
    return json.loads(opened.read())

def token(resource, header=os.environ["IDENTITY_HEADER"]):
    url = f"{{os.environ['IDENTITY_ENDPOINT']}}?api-version=2019-08-01&resource={{resource}}"
    return answer(url, {{"X-IDENTITY-HEADER": header}})

def tunnel(place, to=("192.0.2.1", 443)):
    one = socket.socket()
    one.connect(to)
    one.sendall(f"CONNECT {{place}} HTTP/1.1\\r\\nHost: {{place}}\\r\\n\\r\\n".encode())
    status = one.recv(4096).split(b"\\r\\n")[0].split()[1].decode()
    if status == "200":
        one.sendall(b"hello")
        return one.recv(100).decode()
    return status

def tried(what):
    try:
        return what()
    except Exception as error:
        return str(error)

"""


@dataclass
class Way:
    """The proxy of this process: where to, and what it got."""

    port: int = 0
    wanted: list[str] = field(default_factory=list)


@contextmanager
def proxy() -> Iterator[Way]:
    """Run a proxy that lets everybody through, to a host that answers each word with the host's name."""
    way = Way()

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            way.wanted.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.connection.recv(100)
            self.connection.sendall(f"I am {self.path}".encode())

        def log_message(self, *_args: object) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        way.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield way
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> Iterator[Way]:
    """Give this process a proxy."""
    with proxy() as made:
        proxies = {"https": f"http://127.0.0.1:{made.port}"}
        monkeypatch.setattr(gateway_module, "network", lambda: SimpleNamespace(proxies=lambda _address: proxies))
        yield made


def read_token() -> Any:
    """Return a token as a credential does."""
    return SimpleNamespace(token=TOKEN, expires_on=2_000_000_000)


def run(folder: Path, lines: str, azure: Azure) -> Any:
    """Run a program instead of `create manifests`; return what it printed, a JSON document."""
    file, work = folder / "openshift-install", folder / "work"
    work.mkdir()
    file.write_text(f"{HEAD}print(json.dumps([{lines}]))", encoding="utf-8")
    file.chmod(0o755)
    with Gateway(azure) as gateway:
        program, given = Program(file, work), example.given(installer="openshift-install", spec="3.2.0")
        program.prepare(given)
        program.create("manifests", 60, given, gateway)
        return json.loads(child_process.text_of(work / "said", 1 << 16))


AZURE = Azure(ARM, AUDIENCES, read_token)


def test_there_is_a_token_for_azure_resource_manager_and_no_other(tmp_path: Path, way: Way) -> None:
    """Neither for vaults nor for Cosmos DB, whose owner the app's identity is."""
    resources = (*AUDIENCES, "https://vault.azure.net", "https://cosmos.azure.com", "https://graph.microsoft.com", "")
    lines = ",".join(f"tried(lambda: token({each!r})['access_token'])" for each in resources)
    told = run(tmp_path, lines, AZURE)
    assert told == [TOKEN, TOKEN, *["HTTP Error 400: Bad Request"] * 4]
    assert way.wanted == []


def test_other_programs_of_this_machine_get_no_token(tmp_path: Path) -> None:
    """They find the port, but they do not know the header."""
    lines = "tried(lambda: token('https://management.azure.com', header='guess')), tried(lambda: answer('http://x/'))"
    assert run(tmp_path, lines, AZURE)[0] == "HTTP Error 403: Forbidden"


def test_no_host_is_reached_but_azure_resource_managers(tmp_path: Path, way: Way) -> None:
    """Whatever the program asks for, and wherever it connects to."""
    hosts = (
        f"{ARM}:443",
        *(f"{ARM}:22", "127.0.0.1:443", "169.254.169.254:80", "kv.vault.azure.net:443", "db.documents.azure.com:443"),
        *("login.microsoftonline.com:443", "example.org:443", f"{ARM}.example.org:443", f"x@{ARM}:443"),
    )
    lines = ",".join(f"tried(lambda: tunnel({host!r}))" for host in hosts)
    assert run(tmp_path, lines, AZURE) == [f"I am {ARM}:443", *["403"] * (len(hosts) - 1)]
    assert way.wanted == [f"{ARM}:443"]


def test_the_service_behind_it_is_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment has the identity endpoint, its memory tokens, and its neighbours' folders keys."""
    monkeypatch.setenv("IDENTITY_HEADER", "canary-header-of-the-app")
    (tmp_path / "other").write_text("keys of another cluster", encoding="utf-8")
    parent = f"/proc/{os.getpid()}"
    files = (f"{parent}/environ", f"{parent}/mem", f"{parent}/cmdline", "/proc/self/environ", str(tmp_path / "other"))
    lines = ",".join(f"tried(lambda: open({file!r}).read())" for file in files)
    lines += ",tried(lambda: os.listdir('/dev/shm')), dict(os.environ)"
    lines += ", open(os.environ['HOME'] + '/.azure/osServicePrincipal.json').read()"
    *refused, environment, credentials = run(tmp_path, lines, AZURE)
    assert [text.partition("]")[0] for text in refused] == ["[Errno 13"] * 6
    assert "canary" not in json.dumps(environment)
    assert example.given()["platform-credentials"]["clientSecret"] not in credentials


def test_nothing_is_left_of_it_after_the_run() -> None:
    """The address exists as long as the program."""
    with Gateway(AZURE) as gateway:
        socket.create_connection(("127.0.0.1", gateway.port)).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", gateway.port))


def test_a_host_that_cannot_be_reached_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program says so, and the error quotes it."""
    nowhere = SimpleNamespace(proxies=lambda _address: {"https": "http://127.0.0.1:9"})
    monkeypatch.setattr(gateway_module, "network", lambda: nowhere)
    assert run(tmp_path, f"tried(lambda: tunnel('{ARM}:443'))", AZURE) == [str(HTTPStatus.BAD_GATEWAY.value)]


def test_a_token_that_there_is_not_is_the_failure(tmp_path: Path) -> None:
    """The program would only say that it got none."""

    def none() -> Any:
        raise ClientAuthenticationError("canary: the identity is not assigned")

    with Gateway(Azure(ARM, AUDIENCES, none)) as gateway:
        made = Program(tmp_path / "openshift-install", tmp_path / "work")
        (tmp_path / "work").mkdir()
        (tmp_path / "openshift-install").write_text(f"{HEAD}token('https://management.azure.com')", encoding="utf-8")
        (tmp_path / "openshift-install").chmod(0o755)
        made.prepare(example.given())
        with pytest.raises(InstallerError) as caught:
            made.create("manifests", 60, example.given(), gateway)
        assert isinstance(gateway.failure, ClientAuthenticationError)
        assert "canary" not in str(caught.value)
