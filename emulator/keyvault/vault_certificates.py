"""Certificates with versions, policies and soft delete.

Every version has a secret with the same name and version, which is deleted and recovered with its certificate.
Only that secret has the key.
"""

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.keyvault.exceptions import (
    CERTIFICATE_NAME_IN_USE,
    CERTIFICATE_NOT_FOUND,
    DELETED_CERTIFICATE_NOT_FOUND,
)
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.properties import check_name


class CertificateModel:
    """The certificates of all vaults.

    A certificate's document has its policy, its last order and the ids of its versions, oldest first. Each version is a
    separate document.
    """

    def __init__(self, platform: Platform, vaults: KeyVaultModel) -> None:
        self._clock = platform.clock
        self._store = platform.store
        self._vaults = vaults
        self._certificates = platform.store.table("keyvault_certificates")
        self._versions = platform.store.table("keyvault_certificate_versions")

    def get(self, vault: str, name: str, version: str = "") -> tuple[Document, Document]:
        """Return a certificate and one of its versions.

        Raises:
            ServiceError: 404.
        """
        check_name(name)
        found = self.active(vault, name)
        wanted = version.lower() or (found["versions"][-1] if found else "")
        if found is None or wanted not in found["versions"]:
            raise CERTIFICATE_NOT_FOUND(f"{name}/{version}" if version else name)
        return found, self.version(vault, name, wanted)

    # Soft delete

    def delete(self, vault: str, name: str) -> tuple[Document, Document]:
        """Soft-delete a certificate with its versions and its secret, and forget its order.

        Raises:
            ServiceError: 404.
        """
        found, version = self.get(vault, name)
        now = self._clock.now()
        found["deleted"] = {
            "deletedDate": int(now.timestamp()),
            "scheduledPurgeDate": int((now + self._vaults.retention(vault)).timestamp()),
        }
        with self._store.transaction():
            self.put(found | {"order": None})
            self._vaults.delete_secret(vault, name, managed=True)
        return found, version

    def deleted(self, vault: str, name: str) -> tuple[Document, Document]:
        """Return a deleted certificate with its newest version.

        Raises:
            ServiceError: 404.
        """
        check_name(name)
        found = self.find(vault, name)
        if found is None or not found["deleted"]:
            raise DELETED_CERTIFICATE_NOT_FOUND(name)
        return found, self.version(vault, name, found["versions"][-1])

    def recover(self, vault: str, name: str) -> tuple[Document, Document]:
        """Recover a deleted certificate and its secret.

        Raises:
            ServiceError: 404 if it is not deleted; 409 if there is a certificate with the name.
        """
        check_name(name)
        if self.active(vault, name) is not None:
            raise CERTIFICATE_NAME_IN_USE(name)
        found, version = self.deleted(vault, name)
        found["deleted"] = None
        with self._store.transaction():
            self.put(found)
            self._vaults.recover_managed(vault, name)
        return found, version

    # Documents

    def find(self, vault: str, name: str) -> Document | None:
        """Return a certificate, deleted or not, or None. A certificate whose retention is over is removed."""
        found = self._certificates.get(_key(vault, name))
        if found and found["deleted"] and found["deleted"]["scheduledPurgeDate"] <= self._now():
            self._forget(vault, name)
            return None
        return found

    def active(self, vault: str, name: str) -> Document | None:
        """Return a certificate that is not deleted, or None."""
        found = self.find(vault, name)
        return None if found is None or found["deleted"] else found

    def all(self, vault: str) -> list[Document]:
        """Return the certificates of a vault that are not deleted."""
        return [found for _, found in self._certificates.scan(f"{vault}/") if not found["deleted"]]

    def version(self, vault: str, name: str, version: str) -> Document:
        """Return a version, listed or still on order.

        Raises:
            LookupError: there is no such version.
        """
        found = self._versions.get(_key(vault, name, version))
        if found is None:
            raise LookupError(f"version {version} of certificate {name} is not stored")
        return found

    def put(self, certificate: Document) -> None:
        """Write a certificate."""
        self._certificates.put(_key(certificate["vault"], certificate["name"]), certificate)

    def put_version(self, certificate: Document, version: Document, value: str) -> None:
        """Write a version and its secret."""
        secret: Document = {
            member: version[member] for member in ("name", "version", "attributes", "tags") if member in version
        }
        secret |= {"value": value, "contentType": certificate["policy"]["secret_props"]["contentType"]}
        with self._store.transaction():
            self._versions.put(_key(certificate["vault"], certificate["name"], version["version"]), version)
            self._vaults.put_managed(certificate["vault"], secret)

    def _forget(self, vault: str, name: str) -> None:
        with self._store.transaction():
            self._certificates.delete(_key(vault, name))
            for key, _ in list(self._versions.scan(f"{_key(vault, name)}/")):
                self._versions.delete(key)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


def _key(vault: str, name: str, version: str = "") -> str:
    key = f"{vault}/{name}".lower()
    return f"{key}/{version}" if version else key
