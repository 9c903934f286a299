"""Bundles outside the vault are sealed, and each is what its digest says."""

import pytest
from azure.storage.blob import ContainerClient

from shared.bundles import archive
from shared.bundles.storage import Bundles, NoBundle
from tests.product.unit.blobs_fake import FakeBlobs

CANARY = b"a bundle with a canary"


class Keys:
    """The versions of the service's secret."""

    def __init__(self) -> None:
        self.versions = {"1": "first"}

    def read(self, version: str) -> tuple[str, str]:
        """Return a version of the secret and which it is; the newest for ""."""
        wanted = version or max(self.versions)
        return self.versions[wanted], wanted


@pytest.fixture
def blobs(monkeypatch: pytest.MonkeyPatch) -> FakeBlobs:
    """The blobs of the service's account."""
    made = FakeBlobs()
    made.install(monkeypatch)
    return made


@pytest.fixture
def keys() -> Keys:
    """The key, in its first version."""
    return Keys()


@pytest.fixture
def bundles(blobs: FakeBlobs, keys: Keys) -> Bundles:
    """The bundles on these blobs."""
    assert blobs.blobs == {}
    return Bundles(ContainerClient.from_container_url("https://rp.blob.core.windows.net/bundles"), keys.read)


def test_what_is_stored_is_fetched_by_its_digest_and_does_not_lie_there_in_clear(
    bundles: Bundles, blobs: FakeBlobs
) -> None:
    """A bundle may hold Secrets."""
    digest = bundles.store(CANARY)
    assert digest == archive.digest(CANARY)
    assert bundles.has(digest)
    assert bundles.fetch(digest) == CANARY
    (path,) = blobs.blobs
    assert path == f"bundles/{digest}"
    assert b"canary" not in blobs.blobs[path].content


def test_a_bundle_that_is_there_already_stays_as_it_is(bundles: Bundles, blobs: FakeBlobs) -> None:
    """Two operators may send the same one at the same time."""
    bundles.store(CANARY)
    before = {path: blob.content for path, blob in blobs.blobs.items()}
    bundles.store(CANARY)
    assert {path: blob.content for path, blob in blobs.blobs.items()} == before


def test_a_bundle_outlives_the_rotation_of_its_key(bundles: Bundles, keys: Keys) -> None:
    """The seal names the version that opens it."""
    digest = bundles.store(CANARY)
    keys.versions["2"] = "second"
    assert bundles.fetch(digest) == CANARY


def test_a_bundle_that_nobody_has_stored_is_named(bundles: Bundles) -> None:
    """With its digest."""
    digest = archive.digest(b"another")
    assert not bundles.has(digest)
    with pytest.raises(NoBundle, match=f"there is no bundle '{digest}'"):
        bundles.fetch(digest)


def test_a_blob_that_was_altered_or_exchanged_is_refused(bundles: Bundles, blobs: FakeBlobs) -> None:
    """One bundle does not pass for another, although both are sealed by the service."""
    one, other = bundles.store(CANARY), bundles.store(b"another")
    blobs.blobs[f"bundles/{one}"] = blobs.blobs[f"bundles/{other}"]
    with pytest.raises(NoBundle, match="altered"):
        bundles.fetch(one)
    blobs.blobs[f"bundles/{one}"].content = CANARY
    with pytest.raises(NoBundle, match="not sealed"):
        bundles.fetch(one)
