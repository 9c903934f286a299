"""The bundles of sites, sealed in the service's own storage account: one blob for each, named by its digest.

A bundle may hold Secrets, so nothing of it lies there in clear. Its key is derived from a secret of the service's vault
and from the digest, so the blob of one bundle cannot pass for another. The seal names the version of that secret.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.blob import ContainerClient, ContentSettings, LinearRetry
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared import answer_framing, cloud, durations, seal, settings
from shared.bundles import archive

# Returns a version of the service's secret and which it is; the newest for "".
ReadKey = Callable[[str], tuple[str, str]]


class NoBundle(Exception):  # noqa: N818 - what is missing, not an error of the caller
    """There is no bundle of that digest, or it cannot be opened. The message is a sentence without its end."""


class Bundles:
    """The bundles in one container."""

    def __init__(self, container: ContainerClient, read_key: ReadKey) -> None:
        """Wrap a container of the SDK.

        Args:
            container: the container.
            read_key: reads the secret that seals.
        """
        self._container = container
        self._read_key = read_key

    def store(self, packed: bytes) -> str:
        """Store a bundle, unless it is there already; return its digest.

        Args:
            packed: the archive; whoever calls has checked that it is one.
        """
        digest = archive.digest(packed)
        secret, version = self._read_key("")
        sealed = seal.seal_text(packed, _key(secret, digest), version)
        try:
            self._container.get_blob_client(digest).upload_blob(
                sealed, content_settings=ContentSettings(content_type="application/octet-stream")
            )
        except ResourceExistsError:
            return digest
        return digest

    def has(self, digest: str) -> bool:
        """Tell whether there is a bundle of a digest."""
        return self._container.get_blob_client(digest).exists()

    def remove(self, digest: str) -> None:
        """Remove a bundle, unless there is none."""
        with suppress(ResourceNotFoundError):
            self._container.delete_blob(digest)

    def fetch(self, digest: str) -> bytes:
        """Return a bundle.

        Raises:
            NoBundle: there is none of that digest, or the blob was altered.
        """
        try:
            sealed = self._container.get_blob_client(digest).download_blob().readall()
        except ResourceNotFoundError:
            raise NoBundle(f"there is no bundle '{digest}'") from None
        try:
            secret, _ = self._read_key(seal.key_id(sealed))
            packed = seal.open_sealed(sealed, _key(secret, digest))
        except seal.SealBroken as error:
            raise NoBundle(f"the bundle '{digest}' cannot be opened: {error}") from error
        except ResourceNotFoundError as error:
            raise NoBundle(f"the key of the bundle '{digest}' is no longer in the vault") from error
        return packed


def open_bundles(read_key: Callable[[str, str], tuple[str, str]]) -> Bundles:
    """Return the bundles of this service, sealed with its paging key.

    Args:
        read_key: `Vault.get_service_key`.
    """
    service_settings = settings.load()
    # In requests their deadline limits every attempt. The SDK's own retries would begin after 15 seconds.
    patience: dict[str, Any] = {
        "connection_timeout": durations.ARM_CONNECTION.total_seconds(),
        "read_timeout": durations.SHORT_READ.total_seconds(),
        "retry_policy": LinearRetry(backoff=1, retry_total=1, random_jitter_range=0),
        "raw_request_hook": cloud.PROMPT["raw_request_hook"],
        "raw_response_hook": answer_framing.expect_whole,
    }
    container = ContainerClient.from_container_url(
        service_settings.bundles_url, credential=cloud.managed_identity(), **patience
    )
    return Bundles(container, lambda version: read_key(service_settings.paging_key_secret, version))


def _key(secret: str, digest: str) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=seal.KEY_BYTES, salt=None, info=f"bundle {digest}".encode())
    return derived.derive(secret.encode())
