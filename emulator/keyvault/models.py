"""Secrets with versions and soft delete."""

from collections.abc import Iterator
from uuid import uuid4

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.keyvault.exceptions import (
    DELETED_BUT_RECOVERABLE,
    DELETED_SECRET_NOT_FOUND,
    SECRET_DISABLED,
    SECRET_MANAGED,
    SECRET_NOT_FOUND,
)
from emulator.keyvault.properties import attributes, check_name, metadata, value_of
from emulator.keyvault.vaults import Vaults


class KeyVaultModel(Vaults):
    """All vaults with their secrets.

    A secret's document lists its versions, oldest first. Each version is a separate document, which has the value.
    """

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self._clock = platform.clock
        self._secrets = platform.store.table("keyvault_secrets")
        self._versions = platform.store.table("keyvault_versions")

    # Secrets

    def set_secret(self, vault: str, name: str, wish: Document) -> Document:
        """Create a secret, or its next version; return the version.

        Raises:
            ServiceError: 400 for the name, value or attributes; 403 if it is a certificate's; 409 if a deleted secret
                has the name.
        """
        check_name(name)
        secret = self._secret(vault, name) or _new(vault, name)
        if secret["deleted"]:
            raise DELETED_BUT_RECOVERABLE(name)
        _refuse_managed(secret, "set")
        now = int(self._clock.now().timestamp())
        version = {
            "vault": vault.lower(),
            "name": secret["name"],
            "version": uuid4().hex,
            "value": value_of(wish),
            "attributes": {"enabled": True} | attributes(wish) | {"created": now, "updated": now},
        } | metadata(wish)
        secret["versions"].append(version["version"])
        with self._store.transaction():
            self._versions.put(_key(vault, name, version["version"]), version)
            self._secrets.put(_key(vault, name), secret)
        return version

    def get_secret(self, vault: str, name: str, version: str = "") -> Document:
        """Return a version of a secret.

        Raises:
            ServiceError: 404 if it does not exist or is deleted; 403 if it is disabled.
        """
        check_name(name)
        found = self._existing(vault, name, version)
        if not found["attributes"]["enabled"]:
            raise SECRET_DISABLED()
        return found

    def update_secret(self, vault: str, name: str, version: str, wish: Document) -> Document:
        """Change a version's attributes, content type or tags, never its value.

        Raises:
            ServiceError: 400 for the attributes; 403 if it is a certificate's; 404 if it does not exist or is deleted.
        """
        check_name(name)
        found = self._existing(vault, name, version)
        _refuse_managed(found, "update")
        found["attributes"] |= attributes(wish) | {"updated": int(self._clock.now().timestamp())}
        found |= metadata(wish)
        self._versions.put(_key(vault, name, found["version"]), found)
        return found

    def secrets(self, vault: str) -> Iterator[Document]:
        """Yield the newest version of every secret, by name."""
        for _, secret in self._secrets.scan(f"{vault.lower()}/"):
            if not secret["deleted"]:
                yield self._version(vault, secret["name"], secret["versions"][-1])

    def versions(self, vault: str, name: str) -> list[Document]:
        """Return all versions of a secret, by id; none if there is no such secret."""
        check_name(name)
        secret = self._active(vault, name)
        return [self._version(vault, name, version) for version in sorted(secret["versions"])] if secret else []

    # Soft delete

    def delete_secret(self, vault: str, name: str, *, managed: bool = False) -> Document:
        """Soft-delete a secret with all its versions. It can be recovered while its vault keeps it.

        Raises:
            ServiceError: 404; 403 if it is a certificate's.
        """
        check_name(name)
        secret = self._active(vault, name)
        if secret is None:
            raise SECRET_NOT_FOUND(name)
        if not managed:
            _refuse_managed(secret, "delete")
        now = self._clock.now()
        secret["deleted"] = {
            "deletedDate": int(now.timestamp()),
            "scheduledPurgeDate": int((now + self.retention(vault)).timestamp()),
        }
        self._secrets.put(_key(vault, name), secret)
        return self._deleted_version(secret)

    def deleted_secret(self, vault: str, name: str) -> Document:
        """Return the newest version of a deleted secret, with the time of its deletion.

        Raises:
            ServiceError: 404.
        """
        check_name(name)
        secret = self._secret(vault, name)
        if secret is None or not secret["deleted"]:
            raise DELETED_SECRET_NOT_FOUND(name)
        return self._deleted_version(secret)

    # Secrets of certificates

    def has_own_secret(self, vault: str, name: str) -> bool:
        """Tell whether a secret, deleted or not, has this name and is not a certificate's."""
        secret = self._secret(vault, name)
        return secret is not None and not secret.get("managed")

    def put_managed(self, vault: str, version: Document) -> None:
        """Write a version of a certificate's secret.

        Args:
            vault: name of the vault.
            version: `name`, `version`, `value`, `contentType`, `attributes`, perhaps `tags`. A version that is
                disabled, because its certificate is on order, becomes the newest only if there is no other.
        """
        name = version["name"]
        secret = self._secret(vault, name) or _new(vault, name) | {"managed": True}
        if version["version"] not in secret["versions"] and (
            version["attributes"]["enabled"] or not secret["versions"]
        ):
            secret["versions"].append(version["version"])
        with self._store.transaction():
            self._versions.put(
                _key(vault, name, version["version"]), version | {"vault": vault.lower(), "managed": True}
            )
            self._secrets.put(_key(vault, name), secret)

    def recover_managed(self, vault: str, name: str) -> None:
        """Recover the deleted secret of a certificate with all its versions."""
        secret = self._secret(vault, name)
        if secret is not None:
            self._secrets.put(_key(vault, name), secret | {"deleted": None})

    def managed_version(self, vault: str, name: str, version: str) -> Document:
        """Return a version of a certificate's secret, disabled or not.

        Raises:
            LookupError: there is no such version.
        """
        return self._version(vault, name, version)

    def _forget(self, vault: str, name: str) -> None:
        with self._store.transaction():
            self._secrets.delete(_key(vault, name))
            for key, _ in list(self._versions.scan(f"{_key(vault, name)}/")):
                self._versions.delete(key)

    def _secret(self, vault: str, name: str) -> Document | None:
        """Return a secret, deleted or not, or None. A secret whose retention is over is removed."""
        secret = self._secrets.get(_key(vault, name))
        if secret and secret["deleted"] and secret["deleted"]["scheduledPurgeDate"] <= self._clock.now().timestamp():
            self._forget(vault, name)
            return None
        return secret

    def _active(self, vault: str, name: str) -> Document | None:
        secret = self._secret(vault, name)
        return None if secret is None or secret["deleted"] else secret

    def _existing(self, vault: str, name: str, version: str) -> Document:
        secret = self._active(vault, name)
        wanted = version.lower() or (secret["versions"][-1] if secret else "")
        if secret is None or wanted not in secret["versions"]:
            raise SECRET_NOT_FOUND(f"{name}/{version}" if version else name)
        return self._version(vault, name, wanted)

    def _version(self, vault: str, name: str, version: str) -> Document:
        found = self._versions.get(_key(vault, name, version))
        if found is None:
            raise LookupError(f"version {version} of {name} is listed and not stored")
        return found

    def _deleted_version(self, secret: Document) -> Document:
        version = self._version(secret["vault"], secret["name"], secret["versions"][-1])
        return version | {"deleted": secret["deleted"]}


def _new(vault: str, name: str) -> Document:
    return {"name": name, "vault": vault.lower(), "versions": [], "deleted": None}


def _refuse_managed(secret: Document, operation: str) -> None:
    if secret.get("managed"):
        raise SECRET_MANAGED(operation)


def secret_id(version: Document, *, versioned: bool = True) -> str:
    """Return a secret's identifier, with its version or without."""
    base = f"https://{version['vault']}.vault.azure.net/secrets/{version['name']}"
    return f"{base}/{version['version']}" if versioned else base


def _key(vault: str, name: str, version: str = "") -> str:
    key = f"{vault}/{name}".lower()
    return f"{key}/{version}" if version else key
