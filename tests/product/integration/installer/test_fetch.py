"""A missing `openshift-install` is fetched from a mirror or a registry: whole, checked by digest, over verified TLS."""

import errno
import gzip
import json
import logging
import os
import random
import stat
import subprocess
import tarfile
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from emulator.core.certificate_authority import CertificateAuthority, ServerNames
from installer.back_end_errors import InstallerError
from installer.openshift_install import binary, markers
from installer.release import downloads
from shared import settings
from shared.release import installer_program
from tests.product.integration.installer.program_server import (
    ARCHIVE,
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
PULLSPEC = f"quay.io/x/ocp-release:{VERSION}"
ANY_DIGEST = f"sha256:{'7' * 64}"
# How many characters the program leaves for each value.
ROOMS = {"IMAGE": 300, "VERSION": 64, "ARCHITECTURE": 64}
SECRETS = ("canary-registry-password", CREDENTIAL, TOKEN, "canary-signature")


@pytest.fixture
def served(authority: CertificateAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProgramServer]:
    """Give a server that the settings name as mirror and registry, and a temporary folder for this test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.certificate_path))
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    with listening(ServerNames(authority).context()) as made:
        own = settings.parse(ENVIRONMENT | {"OPENSHIFT_INSTALL_MIRROR": f"https://{made.server}/ocp"})
        monkeypatch.setattr(settings, "load", lambda: own)
        yield made


def ensure(digest: str = "", pullspec: str = PULLSPEC, pull_secret: dict[str, object] | None = None) -> Path:
    """Fetch the program if it is missing; return its path.

    Args:
        digest: `installerDigest` of the catalogue's entry; by default it has none.
        pullspec: the release image.
        pull_secret: `auths` of the cluster's pull secret.
    """
    return binary.ensure(entry(digest, pullspec), lambda: json.dumps({"auths": pull_secret or {}}))


def entry(digest: str = "", pullspec: str = PULLSPEC) -> dict[str, str]:
    """Return what the catalogue says of a version."""
    return {"version": VERSION, "pullspec": pullspec} | ({"installerDigest": digest} if digest else {})


def path(release: dict[str, str]) -> Path:
    """Return the path of a version's program."""
    return installer_program.path(settings.load().openshift_install, release)


def refused(digest: str = "", step: str = "fetch openshift-install", **options: Any) -> InstallerError:
    """Return why the program is not fetched, after checking that the attempt left no file."""
    with pytest.raises(InstallerError) as caught:
        ensure(digest, **options)
    assert caught.value.step == step
    assert [file for file in Path(tempfile.gettempdir()).rglob("*") if file.is_file()] == []
    return caught.value


def credentials(served: ProgramServer) -> dict[str, object]:
    """Return the `auths` of a pull secret with a credential for the registry."""
    return {served.server: {"auth": CREDENTIAL}, "quay.io": {"auth": "eA=="}}


def test_the_mirror_has_it_as_an_archive_with_the_entrys_digest(
    served: ProgramServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The archive is fetched once and its program is executable. The log gives the program's size."""
    caplog.set_level(logging.INFO, "activities")
    digest = served.lay_mirror(PROGRAM)
    program = ensure(digest)
    assert program == Path(tempfile.gettempdir(), "openshift-install", VERSION, digest[7:], "openshift-install")
    assert subprocess.run([program], capture_output=True, check=True).stdout.decode().split() == [
        "openshift-install",
        VERSION,
    ]
    assert stat.S_IMODE(program.stat().st_mode) == 0o755
    assert ensure(digest) == program
    assert served.asked == [(ARCHIVE, "")]
    begin, end = (record.getMessage() for record in caplog.records if record.name == "activities")
    assert begin == f"Fetching openshift-install {VERSION} by {digest} from https://{served.server}/ocp"
    assert end.startswith(f"Fetched openshift-install {VERSION}: {len(PROGRAM)} bytes in ")
    assert list(program.parent.iterdir()) == [program]


def test_an_entry_with_another_digest_gets_another_program(served: ProgramServer) -> None:
    """The operator no longer names the program of the old digest."""
    before = ensure(served.lay_mirror(b"#!/bin/sh\nbefore"))
    after = ensure(served.lay_mirror(PROGRAM))
    assert (before.read_bytes(), after.read_bytes()) == (b"#!/bin/sh\nbefore", PROGRAM)


def test_without_a_digest_nothing_is_fetched(served: ProgramServer) -> None:
    """A tag leads wherever the registry says, and a list of checksums is as good as the server that it is on."""
    served.lay_mirror(PROGRAM)
    served.lay_release(PROGRAM)
    error = refused(step="find openshift-install", pullspec=f"{served.server}/ocp/release:{VERSION}")
    assert "put the catalogue's entry again with 'installerDigest'" in error.cause
    assert served.asked == []


@pytest.mark.parametrize("index", [False, True], ids=["one image", "an image for each machine"])
def test_a_release_image_that_is_named_by_digest_leads_to_it(
    served: ProgramServer, index: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The pull secret's credential buys a token, and no other server sees either of them."""
    caplog.set_level(logging.INFO)
    digest = served.lay_release(PROGRAM, index=index)
    program = ensure(pullspec=f"{served.server}/ocp/release@{digest}", pull_secret=credentials(served))
    assert program.read_bytes() == PROGRAM
    assert served.paths("/v2/")[0] == f"/v2/ocp/release/manifests/{digest}"
    seen = {path.split("/")[1]: authorization for path, authorization in served.asked if authorization}
    assert seen["openshift"] == f"Basic {CREDENTIAL}"
    assert seen["v2"] == f"Bearer {TOKEN}"
    assert served.paths("/blobs/")
    assert "blobs" not in seen
    assert not served.paths("/ocp/")
    for secret in SECRETS:
        assert secret not in caplog.text


def test_a_program_out_of_an_image_is_told_its_release(served: ProgramServer) -> None:
    """As whoever publishes a release does: as built, it would install a release of its own choice."""
    empty = {name: f"\0_RELEASE_{name}_LOCATION_\0{'X' * room}\0" for name, room in ROOMS.items()}
    names = "".join(f"\0_RELEASE_{name}_LOCATION_\0" for name in ROOMS)
    # One of them lies across two pieces that are read at once.
    filling = "." * (markers._PIECE_BYTES - len(names) - 20)
    built = f"{names}{filling}{empty['IMAGE']}{empty['VERSION']}{empty['ARCHITECTURE']}{empty['IMAGE']}"
    pullspec = f"{served.server}/ocp/release@{served.lay_release(built.encode())}"
    found = ensure(pullspec=pullspec, pull_secret=credentials(served)).read_bytes().decode()
    values = {"IMAGE": pullspec, "VERSION": VERSION, "ARCHITECTURE": "linux/amd64"}
    filled = "".join(f"{value}\0{empty[name][len(value) + 1 :]}" for name, value in values.items())
    # Only the first of each: that is the one that the program reads.
    assert found == f"{names}{filling}{filled}{empty['IMAGE']}"


def test_a_release_whose_name_has_no_room_in_the_program_is_refused(served: ProgramServer) -> None:
    """What follows in the program would be overwritten."""
    digest = served.lay_release(f"\0_RELEASE_IMAGE_LOCATION_\0{'X' * 20}\0".encode())
    error = refused(pullspec=f"{served.server}/ocp/release@{digest}", pull_secret=credentials(served))
    assert "cannot be told its release: its marker RELEASE_IMAGE has room for 46 bytes" in error.cause


def test_a_program_of_the_mirror_that_belongs_to_no_release_is_refused(served: ProgramServer) -> None:
    """Somebody has archived what a build left."""
    built = f"\0_RELEASE_VERSION_LOCATION_\0{'X' * 64}\0".encode()
    error = refused(served.lay_mirror(built))
    assert "belongs to no release: its RELEASE_VERSION is not filled in" in error.cause
    assert "Give the digest of a released archive" in error.cause


def test_a_registry_that_wants_the_credential_itself_gets_it(served: ProgramServer) -> None:
    """Some registries issue no tokens."""
    pullspec = f"{served.server}/ocp/release@{served.lay_release(PROGRAM)}"
    answer = served.answer

    def basic(path: str, query: dict[str, list[str]], authorization: str) -> Answer:
        if path.startswith("/v2/") and authorization != f"Basic {CREDENTIAL}":
            return Answer(401, headers={"WWW-Authenticate": 'Basic realm="x"'})
        return answer(path, query, authorization)

    served.guarded = "/nothing"
    served.answer = basic  # type: ignore[method-assign]  # this server answers differently
    assert ensure(pullspec=pullspec, pull_secret=credentials(served)).read_bytes() == PROGRAM


def test_an_archive_with_another_digest_is_not_used(served: ProgramServer) -> None:
    """Nothing of such an archive is kept, and the error says what to correct."""
    served.lay_mirror(PROGRAM)
    error = refused(f"sha256:{'3' * 64}")
    assert f"and not {'3' * 64}: correct the digest, or what the server has" in error.cause
    assert not error.passing


def test_a_list_of_checksums_is_not_even_read(served: ProgramServer) -> None:
    """Whoever can change the archive can change the list."""
    evil = b"#!/bin/sh\nevil"
    wanted = served.lay_mirror(PROGRAM)
    listed = served.lay_mirror(evil).removeprefix("sha256:")
    served.answers[f"/ocp/{VERSION}/sha256sum.txt"] = Answer(body=f"{listed}  {Path(ARCHIVE).name}\n".encode())
    assert "has SHA-256" in refused(wanted).cause
    assert set(served.paths()) == {ARCHIVE}


@pytest.mark.parametrize(
    ("packed", "want"),
    [
        (lambda: archive({"openshift-install": PROGRAM})[:-30], "cannot be unpacked (EOFError): it is cut"),
        (lambda: PROGRAM, "cannot be unpacked (BadGzipFile)"),
        (lambda: gzip.compress(PROGRAM * 1000), "cannot be unpacked (ReadError)"),
        (lambda: archive({"other": b""}), "has no file 'openshift-install'"),
        (lambda: gzip.compress(names_of(64 << 20)), "cannot be unpacked (ReadError)"),
        (lambda: archive({"padding": bytes(50_000_000), "openshift-install": PROGRAM}), "unpacks to more than 2"),
    ],
    ids=["cut", "not compressed", "not an archive", "another file", "a name without an end", "a bomb"],
)
def test_an_archive_that_is_none_says_so(
    served: ProgramServer, packed: Callable[[], bytes], want: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even with the right digest, it takes neither the memory nor the disk of this machine."""
    monkeypatch.setattr(binary, "_LONGEST_PROGRAM", 10_000_000)
    monkeypatch.setattr(binary, "_LONGEST_ARCHIVE", 1_000_000)
    digest = served.lay_archive(packed())
    tracemalloc.start()
    try:
        error = refused(digest)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert want in error.cause
    assert peak < 12_000_000


def names_of(size: int) -> bytes:
    """Return the beginning of an archive whose first name claims a size."""
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, size
    return entry.tobuf() + bytes(size)


def test_a_layer_with_another_digest_is_not_used(served: ProgramServer) -> None:
    """The store of the blobs is not trusted."""
    pullspec = f"{served.server}/ocp/release@{served.lay_release(PROGRAM)}"
    for path in [path for path in served.answers if path.startswith("/blobs/")]:
        served.answers[path] = Answer(body=archive({"usr/bin/openshift-install": b"#!/bin/sh\nevil"}))
    error = refused(pullspec=pullspec, pull_secret=credentials(served))
    assert "has SHA-256" in error.cause
    assert "canary" not in str(error)


def test_a_manifest_with_another_digest_than_its_name_is_not_read(served: ProgramServer) -> None:
    """The manifest must match the digest in the release's name, because it determines everything else."""
    digest = served.lay_release(PROGRAM)
    served.answers[f"/v2/ocp/release/manifests/{digest}"] = Answer(body=b'{"layers": []}')
    error = refused(pullspec=f"{served.server}/ocp/release@{digest}", pull_secret=credentials(served))
    assert "has another digest than its name says" in error.cause


@pytest.mark.parametrize(
    ("answer", "want", "passing"),
    [
        (Answer(404), "answered 404", False),
        (Answer(403), "answered 403", False),
        (Answer(body=archive({"x": b"x" * 9999})[:50], length=1000), "broke off", True),
        (Answer(body=b"x" * 100, length=-1), "broke off in its headers", True),
        (Answer(302, headers={"Location": "http://localhost/x"}), "cannot be read (InvalidSchema)", False),
    ],
    ids=[
        "no such version",
        "forbidden",
        "broken off",
        "broken off in its headers",
        "led away from TLS",
    ],
)
def test_a_mirror_that_has_it_not_is_named(served: ProgramServer, answer: Answer, want: str, passing: bool) -> None:
    """The error quotes the mirror's answer and says whether it may pass."""
    served.answers[ARCHIVE] = answer
    error = refused(ANY_DIGEST)
    assert want in error.cause
    assert f"https://{served.server}{ARCHIVE}" in error.cause
    assert error.passing == passing


def test_a_busy_server_is_asked_again(served: ProgramServer) -> None:
    """A server that is busy twice gets a third request."""
    digest = served.lay_mirror(PROGRAM)
    found = served.answers[ARCHIVE]
    assert isinstance(found, Answer)
    served.answers[ARCHIVE] = [Answer(503), Answer(429), found]
    assert ensure(digest).read_bytes() == PROGRAM
    assert served.paths().count(ARCHIVE) == 3


def test_a_server_with_a_certificate_of_others_is_not_believed(
    served: ProgramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No setting makes the fetch accept such a certificate."""
    digest = served.lay_mirror(PROGRAM)
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    error = refused(digest)
    assert "SSLError" in error.cause
    assert not error.passing
    assert served.asked == []


def test_a_server_that_nobody_reaches_may_come_back(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error may pass, so the row tries again."""
    away = replace(settings.load(), openshift_install_mirror="https://localhost:9/ocp")
    monkeypatch.setattr(settings, "load", lambda: away)
    monkeypatch.setattr(downloads, "_AGAIN", downloads._AGAIN.new(backoff_factor=0))
    error = refused(ANY_DIGEST)
    assert error.cause == f"https://localhost:9{ARCHIVE} cannot be read (ConnectionError)"
    assert error.passing
    assert served.asked == []


@pytest.mark.parametrize(
    ("files", "want"),
    [
        ({"x": b""}, "has no file 'release-manifests/image-references'"),
        ({"release-manifests/image-references": b'{"spec": {"tags": []}}'}, "names no image 'installer' by digest"),
        (
            {
                "release-manifests/image-references": json.dumps(
                    {"spec": {"tags": [{"name": "installer", "from": {"name": "quay.io/x/y:latest"}}]}}
                ).encode()
            },
            "names no image 'installer' by digest",
        ),
    ],
    ids=["no references", "no installer", "a tag"],
)
def test_a_release_that_does_not_lead_to_it_says_where_it_ends(
    served: ProgramServer, files: dict[str, bytes], want: str
) -> None:
    """The error says what is missing and names the release image."""
    digest = served.lay_image("ocp/release", [archive(files)])
    error = refused(pullspec=f"{served.server}/ocp/release@{digest}", pull_secret=credentials(served))
    assert want in error.cause
    assert "ocp/release" in error.cause


def test_a_release_that_is_not_there_is_named(served: ProgramServer) -> None:
    """The error says where it would be."""
    error = refused(pullspec=f"{served.server}/ocp/release@{ANY_DIGEST}", pull_secret=credentials(served))
    assert error.cause == f"https://{served.server}/v2/ocp/release/manifests/{ANY_DIGEST} answered 404"


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
    digest = f"sha256:{sha256(body)}"
    served.answers[f"/v2/ocp/release/manifests/{digest}"] = Answer(body=body)
    error = refused(pullspec=f"{served.server}/ocp/release@{digest}", pull_secret=credentials(served))
    assert error.cause == f"https://{served.server}/v2/ocp/release/manifests/{digest} is not an image manifest"
    assert not error.passing


def test_a_registry_that_refuses_the_credential_is_named(served: ProgramServer) -> None:
    """The error names the address and the status, not the credential."""
    pullspec = f"{served.server}/ocp/release@{served.lay_release(PROGRAM)}"
    error = refused(pullspec=pullspec, pull_secret={served.server: {"auth": "d3Jvbmc6Y2FuYXJ5"}})
    assert error.cause == f"https://{served.server}/openshift/token answered 401"


def test_what_is_longer_than_any_program_is_given_up(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits hold for the archive, for the program in it, and for the time that the fetch takes."""
    digest = served.lay_mirror(random.Random(1).randbytes(5000))  # noqa: S311 - incompressible content
    monkeypatch.setattr(binary, "_LONGEST_PROGRAM", 4000)
    assert refused(digest).cause == "'openshift-install' has 5000 bytes, more than 4000"
    monkeypatch.setattr(binary, "_LONGEST_ARCHIVE", 4000)
    assert "is longer than 4000 bytes" in refused(digest).cause
    monkeypatch.setattr(binary, "_FETCH_SECONDS", 0)
    late = refused(digest)
    assert "there was no time left for" in late.cause
    assert late.passing


def test_a_large_program_is_not_held_in_memory(served: ProgramServer) -> None:
    """The program has hundreds of megabytes, and twenty activities share the function's memory."""
    program = b"#!/bin/sh\n" + random.Random(2).randbytes(20_000_000)  # noqa: S311 - incompressible content
    digest = served.lay_mirror(program)
    tracemalloc.start()
    try:
        fetched = ensure(digest)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000
    assert sha256(fetched.read_bytes()) == sha256(program)


def test_many_at_once_fetch_it_once(served: ProgramServer) -> None:
    """Other threads of the process wait for the one that fetches."""
    digest = served.lay_mirror(PROGRAM)
    together = threading.Barrier(4)
    found: list[bytes] = []

    def fetch() -> None:
        together.wait()
        found.append(ensure(digest).read_bytes())

    threads = [threading.Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [PROGRAM] * 4
    assert served.paths().count(ARCHIVE) == 1


def test_a_disk_that_is_full_is_not_taken_for_a_broken_archive(
    served: ProgramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk can fill up here because the program is larger than its archive; the error may pass."""

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    digest = served.lay_mirror(PROGRAM)
    monkeypatch.setattr("shutil.copyfileobj", full)
    error = refused(digest)
    assert error.cause == "openshift-install cannot be written (No space left on device)"
    assert error.place == str(path(entry(digest)))
    assert error.passing


def test_a_program_is_closed_before_anybody_finds_it(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is open for writing cannot be started ("text file busy"), and those that find it do not wait."""
    digest = served.lay_mirror(PROGRAM)
    put = Path.replace
    still_open: list[Path] = []

    def looked_at(part: Path, target: Path) -> Path:
        still_open.extend(file for file in Path("/proc/self/fd").iterdir() if os.path.realpath(file) == str(part))
        return put(part, target)

    monkeypatch.setattr(Path, "replace", looked_at)
    assert ensure(digest).exists()
    assert still_open == []


def test_another_process_that_was_faster_does_no_harm(served: ProgramServer) -> None:
    """Both processes put the same whole file at the path."""
    digest = served.lay_mirror(PROGRAM)
    program = path(entry(digest))

    def be_faster(asked: str) -> None:
        if asked == ARCHIVE:
            program.write_bytes(PROGRAM)
            program.chmod(0o755)

    served.before = be_faster
    assert ensure(digest).read_bytes() == PROGRAM
    assert list(program.parent.iterdir()) == [program]


def test_what_a_killed_fetch_has_left_goes_with_the_next(served: ProgramServer) -> None:
    """The next fetch removes parts older than an hour; a younger one may belong to a fetch that is still running."""
    digest = served.lay_mirror(PROGRAM)
    folder = path(entry(digest)).parent
    folder.mkdir(parents=True)
    an_hour_ago = time.time() - 3700
    (folder / ".part-old").touch()
    os.utime(folder / ".part-old", (an_hour_ago, an_hour_ago))
    (folder / ".part-young").touch()
    ensure(digest)
    assert sorted(file.name for file in folder.iterdir()) == [".part-young", "openshift-install"]


def test_a_body_that_comes_too_slowly_is_given_up(served: ProgramServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the host would end the function in the middle of the transfer."""
    digest = served.lay_mirror(PROGRAM)
    clock, ahead = time.monotonic, [0.0]
    monkeypatch.setattr(downloads, "time", SimpleNamespace(monotonic=lambda: clock() + ahead[0]))
    served.before = lambda asked: ahead.append(ahead.pop() + 1000) if asked == ARCHIVE else None
    error = refused(digest)
    assert "did not arrive in time" in error.cause
    assert error.passing
