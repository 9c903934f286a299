"""A missing `openshift-install` is fetched from a mirror or a registry: whole, checked by digest, over verified TLS."""

import errno
import json
import logging
import os
import random
import stat
import subprocess
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from emulator.core.certificates import CertificateAuthority, ServerNames
from installer.back_end_errors import InstallerError
from installer.openshift_install import binary
from installer.release import downloads
from shared import settings
from tests.product.integration.installer.program_server import (
    CREDENTIAL,
    TOKEN,
    VERSION,
    Answer,
    ProgramServer,
    archive,
    listening,
    sha256,
)
from tests.product.unit.product_world import ENVIRONMENT

PROGRAM = f"#!/bin/sh\necho openshift-install {VERSION}\n".encode()
SECRETS = ("canary-registry-password", CREDENTIAL, TOKEN, "canary-signature")


@pytest.fixture
def served(authority: CertificateAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProgramServer]:
    """Give a server that the settings name as mirror and registry, and a temporary folder for this test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.certificate_path))
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    with listening(ServerNames(authority).context()) as made:
        named = {"OPENSHIFT_INSTALL_MIRROR": f"https://{made.server}/ocp", "OPENSHIFT_CI_REGISTRY": made.server}
        own = settings.parse(ENVIRONMENT | named)
        monkeypatch.setattr(settings, "load", lambda: own)
        yield made


def ensure(pull_secret: dict[str, object] | None = None, pullspec: str = f"quay.io/x/ocp-release:{VERSION}") -> Path:
    """Fetch the program if it is missing; return its path."""
    auths = json.dumps({"auths": pull_secret or {}})
    return binary.ensure({"version": VERSION, "pullspec": pullspec}, auths)


def refused(**options: object) -> InstallerError:
    """Return why the program is not fetched, after checking that the attempt left no file."""
    with pytest.raises(InstallerError) as caught:
        ensure(**options)  # type: ignore[arg-type]  # the arguments of `ensure`
    assert caught.value.step == "fetch openshift-install"
    assert [file for file in Path(tempfile.gettempdir()).rglob("*") if file.is_file()] == []
    return caught.value


def credentials(served: ProgramServer) -> dict[str, object]:
    """Return the `auths` of a pull secret with a credential for the registry."""
    return {served.server: {"auth": CREDENTIAL}, "quay.io": {"auth": "eA=="}}


@pytest.mark.parametrize("name", ["", "openshift-install-linux.tar.gz"], ids=["with its version", "without"])
def test_the_mirror_has_it_as_an_archive_with_a_checksum(
    served: ProgramServer, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An archive of either name is fetched once and its program is executable. The log gives the program's size."""
    caplog.set_level(logging.INFO, "activities")
    path = served.lay_mirror(PROGRAM, name=name)
    program = ensure()
    assert program == Path(tempfile.gettempdir(), "openshift-install", VERSION, "openshift-install")
    assert subprocess.run([program], capture_output=True, check=True).stdout.decode().split() == [
        "openshift-install",
        VERSION,
    ]
    assert stat.S_IMODE(program.stat().st_mode) == 0o755
    assert ensure() == program
    assert served.paths() == [f"/ocp/{VERSION}/sha256sum.txt", path]
    assert {authorization for _, authorization in served.asked} == {""}
    begin, end = (record.getMessage() for record in caplog.records if record.name == "activities")
    assert begin == f"Fetching openshift-install {VERSION} from https://{served.server}/ocp"
    assert end.startswith(f"Fetched openshift-install {VERSION}: {len(PROGRAM)} bytes in ")
    assert list(program.parent.iterdir()) == [program]


@pytest.mark.parametrize("index", [False, True], ids=["one image", "an image for each machine"])
@pytest.mark.parametrize("named", [False, True], ids=["release by version", "release by digest"])
def test_the_registry_has_it_in_an_image_that_the_release_names(
    served: ProgramServer, index: bool, named: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The pull secret's credential buys a token, and no other server sees either of them."""
    caplog.set_level(logging.INFO)
    digest = served.lay_release(PROGRAM, index=index)
    pullspec = f"{served.server}/ocp/release@{digest}" if named else f"quay.io/x/ocp-release:{VERSION}"
    program = ensure(pull_secret=credentials(served), pullspec=pullspec)
    assert program.read_bytes() == PROGRAM
    assert served.paths("/v2/")[0] == f"/v2/ocp/release/manifests/{digest if named else VERSION}"
    seen = {path.split("/")[1]: authorization for path, authorization in served.asked if authorization}
    assert seen["openshift"] == f"Basic {CREDENTIAL}"
    assert seen["v2"] == f"Bearer {TOKEN}"
    assert served.paths("/blobs/")
    assert "blobs" not in seen
    assert not served.paths("/ocp/")
    for secret in SECRETS:
        assert secret not in caplog.text


def test_a_registry_that_wants_the_credential_itself_gets_it(served: ProgramServer) -> None:
    """Some registries issue no tokens."""
    served.lay_release(PROGRAM)
    answer = served.answer

    def basic(path: str, query: dict[str, list[str]], authorization: str) -> Answer:
        if path.startswith("/v2/") and authorization != f"Basic {CREDENTIAL}":
            return Answer(401, headers={"WWW-Authenticate": 'Basic realm="x"'})
        return answer(path, query, authorization)

    served.guarded = "/nothing"
    served.answer = basic  # type: ignore[method-assign]  # this server answers differently
    assert ensure(pull_secret=credentials(served)).read_bytes() == PROGRAM


def test_an_archive_with_another_checksum_is_not_unpacked(served: ProgramServer) -> None:
    """Nothing of such an archive is kept."""
    served.lay_mirror(PROGRAM, digest="3" * 64)
    assert f"and not {'3' * 64}" in refused().cause


def test_a_layer_with_another_digest_is_not_unpacked(served: ProgramServer) -> None:
    """The store of the blobs is not trusted."""
    served.lay_release(PROGRAM)
    for path in [path for path in served.answers if path.startswith("/blobs/")]:
        served.answers[path] = Answer(body=archive({"usr/bin/openshift-install": b"#!/bin/sh\nevil"}))
    error = refused(pull_secret=credentials(served))
    assert "has SHA-256" in error.cause
    assert "canary" not in str(error)


def test_a_manifest_with_another_digest_than_its_name_is_not_read(served: ProgramServer) -> None:
    """The manifest must match the digest in the release's name, because it determines everything else."""
    digest = served.lay_release(PROGRAM)
    served.answers[f"/v2/ocp/release/manifests/{digest}"] = Answer(body=b'{"layers": []}')
    error = refused(pull_secret=credentials(served), pullspec=f"{served.server}/ocp/release@{digest}")
    assert "has another digest than its name says" in error.cause


@pytest.mark.parametrize(
    ("answer", "want", "passing"),
    [
        (Answer(404), "answered 404", False),
        (Answer(403), "answered 403", False),
        (Answer(body=b"0  other.tar.gz\n"), "has neither openshift-install-linux-4.19.24.tar.gz nor", False),
        (Answer(body=b"x" * 100, length=1000), "broke off", True),
        (Answer(body=b"x" * 100, length=-1), "broke off in its headers", True),
        (Answer(302, headers={"Location": "http://localhost/x"}), "cannot be read (InvalidSchema)", False),
    ],
    ids=[
        "no such version",
        "forbidden",
        "no such file",
        "broken off",
        "broken off in its headers",
        "led away from TLS",
    ],
)
def test_a_mirror_that_has_it_not_is_named(served: ProgramServer, answer: Answer, want: str, passing: bool) -> None:
    """The error quotes the mirror's answer and says whether it may pass."""
    served.answers[f"/ocp/{VERSION}/sha256sum.txt"] = answer
    error = refused()
    assert want in error.cause
    assert f"https://{served.server}/ocp/{VERSION}/sha256sum.txt" in error.cause
    assert error.passing == passing


def test_a_busy_server_is_asked_again(served: ProgramServer) -> None:
    """A server that is busy twice gets a third request."""
    path = served.lay_mirror(PROGRAM)
    found = served.answers[path]
    assert isinstance(found, Answer)
    served.answers[path] = [Answer(503), Answer(429), found]
    assert ensure().read_bytes() == PROGRAM
    assert served.paths().count(path) == 3


def test_a_server_with_a_certificate_of_others_is_not_believed(
    served: ProgramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No setting makes the fetch accept such a certificate."""
    served.lay_mirror(PROGRAM)
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    error = refused()
    assert "SSLError" in error.cause
    assert not error.passing
    assert served.asked == []


def test_a_server_that_nobody_reaches_may_come_back(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error may pass, so the row tries again."""
    away = replace(settings.load(), openshift_install_mirror="https://localhost:9/ocp")
    monkeypatch.setattr(settings, "load", lambda: away)
    monkeypatch.setattr(downloads, "_AGAIN", downloads._AGAIN.new(backoff_factor=0))
    error = refused()
    assert error.cause == f"https://localhost:9/ocp/{VERSION}/sha256sum.txt cannot be read (ConnectionError)"
    assert error.passing
    assert served.asked == []


@pytest.mark.parametrize(
    ("lay", "want"),
    [
        ({}, "answered 404"),
        ({"release": {"x": b""}}, "has no file 'release-manifests/image-references'"),
        ({"release": {"release-manifests/image-references": b'{"spec": {"tags": []}}'}}, "names no image 'installer'"),
    ],
    ids=["no release", "no references", "no installer"],
)
def test_a_release_that_does_not_lead_to_it_says_where_it_ends(
    served: ProgramServer, lay: dict[str, dict[str, bytes]], want: str
) -> None:
    """The error says what is missing and names the release image."""
    for name, files in lay.items():
        served.lay_image(f"ocp/{name}", [archive(files)], VERSION)
    error = refused(pull_secret=credentials(served))
    assert want in error.cause
    assert "ocp/release" in error.cause


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"layers": 5}',
        b'{"layers": ["x"]}',
        b'{"manifests": 5}',
        b'{"manifests": ["x"]}',
        b"[" * 9999,
    ],
    ids=["nothing", "list", "null", "number", "text", "number of images", "text for an image", "no end of lists"],
)
def test_a_manifest_of_another_shape_is_named_and_is_no_bug(served: ProgramServer, body: bytes) -> None:
    """Something between the service and the registry may answer in the registry's place."""
    served.answers[f"/v2/ocp/release/manifests/{VERSION}"] = Answer(body=body)
    error = refused(pull_secret=credentials(served))
    assert error.cause == f"https://{served.server}/v2/ocp/release/manifests/{VERSION} is not an image manifest"
    assert not error.passing


def test_a_registry_that_refuses_the_credential_is_named(served: ProgramServer) -> None:
    """The error names the address and the status, not the credential."""
    served.lay_release(PROGRAM)
    error = refused(pull_secret={served.server: {"auth": "d3Jvbmc6Y2FuYXJ5"}})
    assert error.cause == f"https://{served.server}/openshift/token answered 401"


def test_what_is_longer_than_any_program_is_given_up(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits hold for the archive, for the program in it, and for the time that the fetch takes."""
    served.lay_mirror(random.Random(1).randbytes(5000))  # noqa: S311 - incompressible content
    monkeypatch.setattr(binary, "_LONGEST_PROGRAM", 4000)
    assert refused().cause == "'openshift-install' has 5000 bytes, more than 4000"
    monkeypatch.setattr(binary, "_LONGEST_ARCHIVE", 4000)
    assert "is longer than 4000 bytes" in refused().cause
    monkeypatch.setattr(binary, "_FETCH_SECONDS", 0)
    late = refused()
    assert "there was no time left for" in late.cause
    assert late.passing


def test_a_large_program_is_not_held_in_memory(served: ProgramServer) -> None:
    """The program has hundreds of megabytes, and twenty activities share the function's memory."""
    program = b"#!/bin/sh\n" + random.Random(2).randbytes(20_000_000)  # noqa: S311 - incompressible content
    served.lay_mirror(program)
    tracemalloc.start()
    try:
        fetched = ensure()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000
    assert sha256(fetched.read_bytes()) == sha256(program)


def test_many_at_once_fetch_it_once(served: ProgramServer) -> None:
    """Other threads of the process wait for the one that fetches."""
    path = served.lay_mirror(PROGRAM)
    together = threading.Barrier(4)
    found: list[bytes] = []

    def fetch() -> None:
        together.wait()
        found.append(ensure().read_bytes())

    threads = [threading.Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [PROGRAM] * 4
    assert served.paths().count(path) == 1


def test_a_disk_that_is_full_is_not_taken_for_a_broken_archive(
    served: ProgramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk can fill up here because the program is larger than its archive; the error may pass."""

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    served.lay_mirror(PROGRAM)
    monkeypatch.setattr("shutil.copyfileobj", full)
    error = refused()
    assert error.cause == "openshift-install cannot be written (No space left on device)"
    assert error.place == str(binary.path(VERSION))
    assert error.passing


def test_a_program_is_closed_before_anybody_finds_it(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is open for writing cannot be started ("text file busy"), and those that find it do not wait."""
    served.lay_mirror(PROGRAM)
    put = Path.replace
    still_open: list[Path] = []

    def looked_at(part: Path, target: Path) -> Path:
        still_open.extend(file for file in Path("/proc/self/fd").iterdir() if os.path.realpath(file) == str(part))
        return put(part, target)

    monkeypatch.setattr(Path, "replace", looked_at)
    assert ensure().exists()
    assert still_open == []


def test_another_process_that_was_faster_does_no_harm(served: ProgramServer) -> None:
    """Both processes put the same whole file at the path."""
    path = served.lay_mirror(PROGRAM)
    program = binary.path(VERSION)

    def be_faster(asked: str) -> None:
        if asked == path:
            program.write_bytes(PROGRAM)
            program.chmod(0o755)

    served.before = be_faster
    assert ensure().read_bytes() == PROGRAM
    assert list(program.parent.iterdir()) == [program]


def test_what_a_killed_fetch_has_left_goes_with_the_next(served: ProgramServer) -> None:
    """The next fetch removes parts older than an hour; a younger one may belong to a fetch that is still running."""
    served.lay_mirror(PROGRAM)
    folder = binary.path(VERSION).parent
    folder.mkdir(parents=True)
    an_hour_ago = time.time() - 3700
    (folder / ".part-old").touch()
    os.utime(folder / ".part-old", (an_hour_ago, an_hour_ago))
    (folder / ".part-young").touch()
    ensure()
    assert sorted(file.name for file in folder.iterdir()) == [".part-young", "openshift-install"]


def test_a_body_that_comes_too_slowly_is_given_up(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the host would end the function in the middle of the transfer."""
    path = served.lay_mirror(PROGRAM)
    clock, ahead = time.monotonic, [0.0]
    monkeypatch.setattr(downloads, "time", SimpleNamespace(monotonic=lambda: clock() + ahead[0]))
    served.before = lambda asked: ahead.append(ahead.pop() + 1000) if asked == path else None
    error = refused()
    assert "did not arrive in time" in error.cause
    assert error.passing
