"""Containers and blobs, tested with azure-storage-blob."""

import gzip
import time
from datetime import UTC, datetime, timedelta

import pytest
import requests
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.storage.blob import BlobAnalyticsLogging, BlobClient, BlobSasPermissions, ContentSettings, generate_blob_sas

from emulator.blobs import copies
from tests.emulator.integration.blobs.conftest import Azurite, LocalBlobs, Owner

LARGE = 9 * 1024 * 1024


def test_a_blob_goes_up_and_comes_down(owner: Owner) -> None:
    """A blob's content comes back, whatever characters its name has, and the blob may have metadata."""
    container = owner[2].create_container("ignition")
    for name in ("bootstrap.ign", "a/b c+ü%2F.json", "x" * 200):
        blob = container.get_blob_client(name)
        blob.upload_blob(
            b"content", metadata={"b": "1", "a_b": "2", "a1": "3", "B2": "4"} if name == "bootstrap.ign" else None
        )
        assert blob.download_blob().readall() == b"content"
    assert sorted(container.list_blob_names()) == sorted(["bootstrap.ign", "a/b c+ü%2F.json", "x" * 200])


def test_a_large_blob_streams_in_both_directions(owner: Owner) -> None:
    """A large blob goes up in blocks and comes down in ranges, byte for byte."""
    content = bytes(range(256)) * (LARGE // 256)
    container = owner[2].create_container("large")
    container.upload_blob("blob", content, max_concurrency=2)
    assert container.download_blob("blob").readall() == content


def test_a_compressed_blob_stays_as_it_was_stored(local_blobs: LocalBlobs, owner: Owner) -> None:
    """The service does not decode the content; that is left to the client."""
    content = gzip.compress(b"text")
    blob = owner[2].create_container("zipped").get_blob_client("blob")
    blob.upload_blob(content, content_settings=ContentSettings(content_encoding="gzip", content_type="text/plain"))
    url = f"{blob.url}?{_sas(owner, blob)}"
    verify = str(local_blobs.platform.authority.certificate_path)
    reply = requests.get(url, proxies={"https": local_blobs.listening.proxy}, verify=verify, timeout=60)
    assert (reply.text, reply.headers["content-encoding"]) == ("text", "gzip")


def _sas(owner: Owner, blob: BlobClient) -> str:
    return generate_blob_sas(
        owner[0],
        blob.container_name,
        blob.blob_name,
        account_key=owner[1],
        permission=BlobSasPermissions(read=True),
        expiry=datetime.now(UTC) + timedelta(hours=1),
    )


def test_each_account_sees_its_own_containers(local_blobs: LocalBlobs, owner: Owner) -> None:
    """Two accounts may have containers of the same name and see nothing of each other's."""
    name, key = local_blobs.account()
    other = local_blobs.client(name, key)
    for client in (owner[2], other):
        client.create_container("aro")
    other.create_container("ignition").upload_blob("one", b"1")
    assert [container.name for container in owner[2].list_containers()] == ["aro"]
    assert [container.name for container in other.list_containers()] == ["aro", "ignition"]
    assert [container.name for container in other.list_containers(name_starts_with="ign")] == ["ignition"]
    with pytest.raises(ResourceNotFoundError):
        owner[2].get_blob_client("ignition", "one").download_blob()


def test_lists_go_on_from_page_to_page(owner: Owner) -> None:
    """A list of containers continues on the next page."""
    for number in range(3):
        owner[2].create_container(f"c{number}-x").upload_blob("blob", b"")
    pages = owner[2].list_containers(results_per_page=2).by_page()
    assert [[container.name for container in page] for page in pages] == [["c0-x", "c1-x"], ["c2-x"]]


def test_conditions_are_kept(owner: Owner) -> None:
    """If-None-Match does not replace a blob, and a write with a stale ETag is refused."""
    blob = owner[2].create_container("aro").get_blob_client("graph")
    first = blob.upload_blob(b"1")
    with pytest.raises(ResourceExistsError):
        blob.upload_blob(b"2")
    blob.upload_blob(b"2", overwrite=True)
    with pytest.raises(ResourceModifiedError):
        blob.upload_blob(b"3", overwrite=True, etag=first["etag"], match_condition=MatchConditions.IfNotModified)
    assert blob.download_blob().readall() == b"2"


@pytest.mark.parametrize(
    ("content", "wanted", "want"),
    [
        (b"hello", "bytes=4-", (206, "bytes 4-4/5")),
        (b"hello", "bytes=5-", (416, "bytes */5")),
        (b"", "bytes=0-", (416, "bytes */0")),
        (b"hello", "bytes=-2", (200, None)),
        (b"hello", "bytes=a", (200, None)),
        (b"hello", "items=1-2", (200, None)),
    ],
)
def test_a_range_is_within_the_blob_or_ignored(
    local_blobs: LocalBlobs, owner: Owner, content: bytes, wanted: str, want: tuple[int, str | None]
) -> None:
    """A range after the last byte is refused with the size; one that Azure cannot read counts as none."""
    blob = owner[2].create_container("aro").upload_blob("one", content)
    reply = requests.get(
        f"{blob.url}?{_sas(owner, blob)}",
        headers={"Range": wanted, "x-ms-version": "2023-11-03"},
        proxies={"https": local_blobs.listening.proxy},
        verify=str(local_blobs.platform.authority.certificate_path),
        timeout=60,
    )
    assert (reply.status_code, reply.headers.get("content-range")) == want
    assert blob.download_blob().readall() == content


def test_a_blob_keeps_its_type(owner: Owner) -> None:
    """Whoever wants another type deletes the blob first; an upload that must not overwrite fails as always."""
    blob = owner[2].create_container("aro").get_blob_client("disk")
    blob.create_page_blob(512)
    with pytest.raises(ResourceExistsError, match="InvalidBlobType"):
        blob.upload_blob(b"2", overwrite=True)
    with pytest.raises(ResourceExistsError, match="BlobAlreadyExists"):
        blob.upload_blob(b"2")
    blob.delete_blob()
    blob.upload_blob(b"2", overwrite=True)
    assert blob.download_blob().readall() == b"2"


def test_pages_that_a_page_blob_lacks_are_refused(owner: Owner) -> None:
    """The code is Azure's, on which clients depend."""
    blob = owner[2].create_container("aro").get_blob_client("disk")
    blob.create_page_blob(512)
    with pytest.raises(HttpResponseError, match="InvalidPageRange") as caught:
        blob.upload_page(b"x" * 512, 1024, 512)
    assert caught.value.status_code == 416


def test_a_deleted_container_is_gone(owner: Owner) -> None:
    """A deleted container takes its blobs with it and cannot be deleted again."""
    container = owner[2].create_container("aro")
    container.upload_blob("one", b"1")
    with pytest.raises(ResourceExistsError):
        container.create_container()
    container.delete_container()
    assert not container.exists()
    with pytest.raises(ResourceNotFoundError):
        container.delete_container()


def test_arm_makes_containers_and_takes_accounts_away(local_blobs: LocalBlobs, owner: Owner) -> None:
    """Clients see what the management side does, and doing it twice is harmless."""
    for _ in range(2):
        local_blobs.listening.run(local_blobs.model.create_container(owner[0], "aro"))
    owner[2].get_blob_client("aro", "one").upload_blob(b"1")
    for _ in range(2):
        local_blobs.listening.run(local_blobs.model.delete_account(owner[0]))
    assert list(owner[2].list_containers()) == []


def test_what_was_answered_survives_a_kill(local_blobs: LocalBlobs, local_azurite: Azurite, owner: Owner) -> None:
    """Azurite itself would lose the writes of its last five seconds."""
    blob = owner[2].create_container("aro").get_blob_client("graph")
    blob.upload_blob(b"1")
    blob.upload_blob(b"2", overwrite=True)
    local_azurite.kill()
    local_azurite.start(local_blobs.platform)
    assert blob.download_blob().readall() == b"2"


def test_the_name_of_an_account_that_does_not_exist_does_not_resolve(local_blobs: LocalBlobs, owner: Owner) -> None:
    """Clients fail to connect, as in Azure."""
    assert local_blobs.model.resolves(f"{owner[0]}.blob.core.windows.net")
    assert not local_blobs.model.resolves("nobody.blob.core.windows.net")
    with pytest.raises(Exception, match="403"):
        local_blobs.client("nobody", owner[1]).get_service_stats()


def test_what_is_not_emulated_is_said(owner: Owner) -> None:
    """Operations that are not emulated are refused by name instead of appearing to succeed."""
    container = owner[2].create_container("aro")
    blob = container.get_blob_client("one")
    for call in (
        lambda: owner[2].set_service_properties(analytics_logging=BlobAnalyticsLogging()),
        lambda: container.set_container_access_policy({}),
        lambda: blob.start_copy_from_url("https://example.org/"),
        lambda: blob.acquire_lease(15),
    ):
        with pytest.raises(HttpResponseError) as caught:
            call()
        assert caught.value.status_code == 400
        assert "NotSupportedByLocalAzure" in str(caught.value)


DISK = "https://rhcos.blob.core.windows.net/imagebucket/rhcos-9.6.20250826-1-azure.x86_64.vhd"


def test_azure_copies_the_disk_of_a_release_by_itself(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy takes its time and says how far it is; its content is a fixed VHD."""
    blob = owner[2].create_container("disks").get_blob_client("rhcos.vhd")
    assert blob.start_copy_from_url(DISK)["copy_status"] == "pending"
    found = blob.get_blob_properties()
    assert (found.copy.source, found.copy.status, found.blob_type) == (DISK, "pending", "PageBlob")
    assert found.size == len(copies.DISK)
    with pytest.raises(HttpResponseError, match="PendingCopyOperation"):
        blob.start_copy_from_url(DISK)
    blob.delete_blob()
    monkeypatch.setattr(copies, "SECONDS", 0.1)
    blob.start_copy_from_url(DISK)
    time.sleep(0.1)
    copied = blob.get_blob_properties()
    assert (copied.copy.status, copied.copy.progress) == ("success", f"{found.size}/{found.size}")
    assert blob.download_blob(offset=found.size - 512, length=8).readall() == b"conectix"
    blob.delete_blob()
    blob.upload_blob(b"other")
    assert blob.get_blob_properties().copy.status is None


def test_what_nobody_publishes_is_not_copied(owner: Owner) -> None:
    """Azure looks at the source before it begins."""
    blob = owner[2].create_container("nothing").get_blob_client("disk")
    with pytest.raises(HttpResponseError, match="CannotVerifyCopySource"):
        blob.start_copy_from_url(DISK.replace("rhcos-9", "other-9"))
