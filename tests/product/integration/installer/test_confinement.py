"""A confined child sees what is named, one address of the network, and no other process.

The child is a script in Python that tries what a hostile program would try, and says what happened.
"""

import os
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from shared.children import child_process
from shared.children.child_process import Confinement, Limits

LIMITS = Limits(60, 30, 512 << 20, 1 << 20)
SYSTEM = [Path(place) for place in ("/usr", "/lib", "/lib64", "/bin", sys.prefix, sys.base_prefix)]
# The first address is one of documentation, the second this machine's.
ELSEWHERE = ("('192.0.2.1', 443)", "('127.0.0.1', 9)")


@contextmanager
def gate() -> Iterator[tuple[int, list[bytes]]]:
    """Yield the port of a server, and what it gets from each connection."""
    got: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        def answer(connection: socket.socket) -> None:
            with connection:
                if piece := connection.recv(100):
                    got.append(piece)
                    connection.sendall(b"gate")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1], got
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def tries(folder: Path, lines: Sequence[str], port: int | None, *, confined: bool = True) -> list[str]:
    """Run expressions in a child; return what each evaluates to, or the name of its exception."""
    program, said = folder / "program", folder / "said"
    work = folder / "work"
    work.mkdir(exist_ok=True)
    script = [f"#!{sys.executable} -IS", "import ctypes, os, signal, socket, subprocess", "parent = os.getppid()"]
    script += ["def connected(place, kind=socket.SOCK_STREAM, family=socket.AF_INET):"]
    script += ["    one = socket.socket(family, kind); one.connect(place); one.sendall(b'x'); return one.recv(9)"]
    for line in lines:
        script += ["try:", f"    print({line})", "except OSError as error:", "    print(type(error).__name__)"]
    program.write_text("\n".join(script), encoding="utf-8")
    program.chmod(0o755)
    confinement = Confinement(startable=SYSTEM, writable=[work], port=port) if confined else None
    child_process._log_once.cache_clear()
    code = child_process.run([str(program)], LIMITS, folder=work, environment={}, output=said, confinement=confinement)
    text = child_process.text_of(said, 1 << 16)
    assert code == 0, text
    return text.splitlines()


@pytest.fixture(autouse=True)
def _confinement(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Skip the test where the kernel lacks Landlock or seccomp, which the log says."""
    with gate() as (port, _):
        tries(tmp_path, ["1"], port)
    if caplog.records:
        pytest.skip(caplog.records[0].getMessage())


def test_every_connection_leads_to_the_one_address(tmp_path: Path) -> None:
    """Whatever the child asks for, and however often it asks on one socket."""
    lines = [f"connected({place})" for place in ELSEWHERE]
    lines += [
        "(lambda s: [s.connect(('192.0.2.1', 1)), s.connect(('192.0.2.2', 2)), s.getpeername()[0]])(socket.socket())"
    ]
    with gate() as (port, got):
        assert tries(tmp_path, lines, port) == ["b'gate'", "b'gate'", "[None, None, '127.0.0.1']"]
    assert got == [b"x", b"x"]


@pytest.mark.parametrize(
    "line",
    [
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_INET6)",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "socket.socket().listen()",
        "(lambda s: [s.shutdown(2), s.sendto(b'x', 0x20000000, ('127.0.0.1', 9))])(socket.socket())",
    ],
    ids=["UDP, as for names", "IPv6", "of this machine", "of the kernel", "for others to connect to", "fast open"],
)
def test_no_other_socket_is_made(tmp_path: Path, line: str) -> None:
    """Each would be a way past the one address."""
    with gate() as (port, _):
        (told,) = tries(tmp_path, [line], port)
    assert told in ("PermissionError", "OSError")


def test_without_an_address_there_is_no_socket(tmp_path: Path) -> None:
    """A child that needs no network gets none."""
    assert tries(tmp_path, ["socket.socket()"], None) == ["PermissionError"]


def test_files_are_read_and_written_where_they_are_named(tmp_path: Path) -> None:
    """Its own folder is the child's, the system's programs can be started, and everything else is closed."""
    (tmp_path / "other").write_text("secret")
    lines = [
        "open('own', 'w').write('12')",
        "open('own').read()",
        "subprocess.run(['/bin/echo'], stdout=subprocess.PIPE).returncode",
        f"open({str(tmp_path / 'other')!r}).read()",
        "open('/usr/bin/env', 'ab')",
        "os.listdir('/dev/shm')",
        "os.listdir('/tmp')",
        "os.listdir('/proc')",
    ]
    want = ["2", "12", "0", *["PermissionError"] * 5]
    assert tries(tmp_path, lines, None) == want


def test_a_file_that_the_child_writes_is_no_program(tmp_path: Path) -> None:
    """What it gets over the network is not started."""
    line = "[open('own', 'w').write('#!/bin/sh'), os.chmod('own', 0o700), subprocess.run(['./own'])]"
    assert tries(tmp_path, [line], None) == ["PermissionError"]


def test_other_processes_are_out_of_reach(tmp_path: Path) -> None:
    """This process has the service's identity in its environment and its memory."""
    lines = [
        "open(f'/proc/{parent}/environ').read()",
        "open(f'/proc/{parent}/mem')",
        "open(f'/proc/{parent}/cmdline').read()",
        "ctypes.CDLL(None).ptrace(16, parent, 0, 0)",
    ]
    assert tries(tmp_path, lines, None) == [*["PermissionError"] * 3, "-1"]
    free = tries(tmp_path, [f"len(open(f'/proc/{os.getpid()}/environ').read()) > 0"], None, confined=False)
    assert free == ["True"]
