"""Operators store the bundles of their sites."""

import gzip
import io
import tarfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from frontend.messages import Reply
from shared.bundles import archive
from tests.product.unit import blobs_fake
from tests.product.unit.blobs_fake import FakeBlobs
from tests.product.unit.frontend.world import World, admin_certificate
from tests.product.unit.phases.bundles import write

BUNDLES = "/sre/providers/Microsoft.RedHatOpenShift/bundles"


@pytest.fixture
def blobs(monkeypatch: pytest.MonkeyPatch) -> FakeBlobs:
    """The blobs of the service's account."""
    made = FakeBlobs()
    made.install(monkeypatch)
    return made


@pytest.fixture
def packed(tmp_path: Path) -> bytes:
    """The archive of a site."""
    write(tmp_path / "site")
    return archive.pack(tmp_path / "site")


def put(world: World, packed: bytes, digest: str = "", content_type: str = "application/gzip") -> Reply:
    """Send an archive as an operator."""
    path = f"{BUNDLES}/{digest or archive.digest(packed)}"
    headers = {"content-type": content_type}
    return world.send("PUT", path, packed, api_version="", headers=headers, certificate=admin_certificate())


def hostile(*names: str) -> bytes:
    """Return an archive with files of some names."""
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(name))
    return content.getvalue()


def test_a_bundle_is_stored_once_under_its_digest(world: World, blobs: FakeBlobs, packed: bytes) -> None:
    """Whoever sends it again is told that it is there, and can read it back later."""
    first = put(world, packed)
    assert (first.status, first.body) == (201, {"digest": archive.digest(packed), "bytes": len(packed)})
    assert put(world, packed).status == 200
    assert len(blobs.writes) == 1
    assert world.bundles.fetch(archive.digest(packed)) == packed


def test_a_bundle_that_no_site_has_can_be_removed(world: World, blobs: FakeBlobs, packed: bytes) -> None:
    """A site needs its bundle for a resume. A repeated request, or one for an unknown bundle, gets the same answer."""
    digest = archive.digest(packed)
    path, site = f"{BUNDLES}/{digest}", BUNDLES.replace("/bundles", "/sites/edge-1")
    send = partial(world.send, api_version="", certificate=admin_certificate())
    put(world, packed)
    assert send("PUT", site, {"bundle": digest}).status == 201
    refused = send("DELETE", path)
    assert (refused.status, refused.body["error"]["code"]) == (409, "Conflict")
    assert f"Sites have the bundle '{digest}': edge-1." in refused.body["error"]["message"]
    assert len(blobs.blobs) == 1
    assert send("DELETE", site).status == 204
    assert [send("DELETE", path).status for _ in range(2)] == [204, 204]
    assert not blobs.blobs
    assert put(world, packed).status == 201


def test_an_archive_that_is_not_what_its_name_says_is_refused(world: World, blobs: FakeBlobs, packed: bytes) -> None:
    """A torn upload is not stored, and the answer has both digests."""
    reply = put(world, packed[:-1], archive.digest(packed))
    error = reply.body["error"]
    assert (reply.status, error["code"], error["target"]) == (400, "InvalidParameter", "digest")
    assert archive.digest(packed) in error["message"]
    assert archive.digest(packed[:-1]) in error["message"]
    assert not blobs.writes


def test_every_problem_of_an_archive_is_told(world: World, blobs: FakeBlobs) -> None:
    """Nothing of it is stored."""
    reply = put(world, hostile("../one", "/two", "fine"))
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidParameter")
    assert {one["target"] for one in reply.body["error"]["details"]} == {"../one", "/two"}
    assert put(world, b"no archive").status == 400
    assert not blobs.writes


@pytest.mark.parametrize("digest", ["x", "0" * 63, "0" * 65, "g" * 64, "..", f"{'0' * 63}\u0660"])
def test_a_name_that_is_no_digest_is_refused(world: World, blobs: FakeBlobs, digest: str) -> None:
    """So a name is never a path."""
    reply = put(world, b"x", digest)
    assert (reply.status, reply.body["error"]["target"]) == (400, "digest")
    assert not blobs.writes


def test_an_archive_is_larger_than_a_document_may_be_and_not_without_a_limit(world: World, blobs: FakeBlobs) -> None:
    """The size is looked at before anything else is done with it."""
    reply = put(world, b"x" * (archive.MOST_BYTES_PACKED + 1))
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResource")
    within = put(world, b"x" * 2_000_000)
    assert (within.status, within.body["error"]["code"]) == (400, "InvalidParameter")
    assert not blobs.writes


def test_an_archive_has_its_own_type(world: World, blobs: FakeBlobs, packed: bytes) -> None:
    """What an operator sends by mistake is told before it is unpacked."""
    reply = put(world, packed, content_type="application/json")
    assert (reply.status, reply.body["error"]["code"]) == (415, "UnsupportedMediaType")
    assert "'application/gzip'" in reply.body["error"]["message"]
    assert not blobs.writes


def test_a_bundle_is_no_strangers_business(world: World, blobs: FakeBlobs, packed: bytes) -> None:
    """It may hold Secrets, and what it declares changes clusters."""
    path = f"{BUNDLES}/{archive.digest(packed)}"
    for certificate in (b"", None):
        reply = world.send(
            "PUT", path, packed, api_version="", headers={"content-type": "application/gzip"}, certificate=certificate
        )
        assert reply.status == 403
    assert not blobs.writes


def test_a_service_that_may_not_write_blobs_says_what_cannot_be_used(
    world: World, blobs: FakeBlobs, packed: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client learns the name of the dependency, the log also the role."""
    refused = {"x-ms-error-code": "AuthorizationPermissionMismatch"}
    monkeypatch.setattr(blobs, "answer", lambda prepared: blobs_fake._reply(prepared, 403, refused))
    reply = put(world, packed)
    assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
    assert reply.body["error"]["message"].startswith("Azure Storage, ")
    assert "lacks the role 'Storage Blob Data Owner' on 'rpeastus.blob.core.windows.net'" in caplog.text


def test_a_deployment_older_than_bundles_says_what_to_do(world: World, packed: bytes) -> None:
    """All other routes work; this one needs the container that a newer `infra/` makes."""
    world.services = replace(world.services, settings=replace(world.services.settings, bundles_url=""))
    reply = put(world, packed)
    assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
    assert "Deploy infra/ again" in reply.body["error"]["message"]
