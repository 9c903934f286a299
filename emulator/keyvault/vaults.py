"""Vaults and their access policies."""

import re
from collections.abc import Sequence
from datetime import timedelta

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.entra.models import Principal
from emulator.keyvault.exceptions import ACCESS_DENIED

VAULT_NAME = re.compile(r"[a-z](?!.*--)[a-z0-9-]{1,22}[a-z0-9]")
PERMISSIONS = ("get", "list", "set", "delete", "recover", "purge")
CERTIFICATE_PERMISSIONS = (
    *("get", "list", "create", "update", "delete", "recover", "purge"),
    *("getissuers", "listissuers", "setissuers", "deleteissuers"),
)
# The tables with the contents of vaults. Their keys begin with the vault's name.
CONTENTS = (
    *("keyvault_secrets", "keyvault_versions"),
    *("keyvault_certificates", "keyvault_certificate_versions", "keyvault_orders", "keyvault_issuers"),
)


RETENTION_DAYS = 90


def retention_days(vault: Document) -> int:
    """Return how long a vault keeps what was deleted in it."""
    return int(vault.get("retentionDays", RETENTION_DAYS))


class Vaults:
    """All vaults."""

    def __init__(self, platform: Platform) -> None:
        self._store = platform.store
        self._location = platform.world.location
        self._vaults = platform.store.table("keyvault_vaults")

    def ensure_vault(self, name: str, tenant_id: str, *, location: str = "") -> Document:
        """Create a vault, or update or recover an existing one, which keeps its access policies and its contents.

        Args:
            name: name of the vault.
            tenant_id: tenant whose tokens it accepts.
            location: its region; "" for that of this local Azure.

        Raises:
            ValueError: the name is not a vault name.
        """
        if not VAULT_NAME.fullmatch(name.lower()):
            raise ValueError(f"{name!r} is not a vault name: 3-24 letters, digits, single hyphens, a letter first")
        new: Document = {"policies": {}, "certificatePolicies": {}}
        vault = new | (self._vaults.get(name.lower()) or {})
        vault |= {"name": name.lower(), "tenantId": tenant_id.lower(), "location": location or self._location}
        vault["deleted"] = False
        self._vaults.put(name.lower(), vault)
        return vault

    def configure(self, name: str, settings: Document) -> None:
        """Set how ARM configured a vault.

        Args:
            name: name of the vault.
            settings: `resourceId`; `rbac`, whether it goes by roles; `purgeProtection`; `retentionDays`; and, by object
                id, `policies` and `certificatePolicies`.

        Raises:
            LookupError: there is no such vault.
        """
        self._vaults.put(name.lower(), self._existing_vault(name) | settings)

    def vault(self, name: str) -> Document | None:
        """Return a vault that is not deleted, or None."""
        found = self._vaults.get(name.lower())
        return None if found is None or found.get("deleted") else found

    def hide_vault(self, name: str) -> None:
        """Soft-delete a vault: it keeps its contents, and `ensure_vault` recovers it.

        Raises:
            LookupError: there is no such vault.
        """
        self._vaults.put(name.lower(), self._existing_vault(name) | {"deleted": True})

    def delete_vault(self, name: str) -> bool:
        """Remove a vault, deleted or not, with everything in it; return whether there was one."""
        with self._store.transaction():
            for table in map(self._store.table, CONTENTS):
                for key, _ in list(table.scan(f"{name.lower()}/")):
                    table.delete(key)
            return self._vaults.delete(name.lower())

    def allow(
        self, vault: str, object_id: str, permissions: Sequence[str], certificates: Sequence[str] | None = None
    ) -> None:
        """Set a principal's permissions for secrets and for certificates; an empty list takes all of them away.

        Args:
            vault: name of the vault.
            object_id: object id of the principal.
            permissions: permissions for secrets.
            certificates: permissions for certificates and issuers; None leaves them as they are.

        Raises:
            ValueError: a permission is unknown.
            LookupError: there is no such vault.
        """
        _known("secret", permissions, PERMISSIONS)
        _known("certificate", certificates or (), CERTIFICATE_PERMISSIONS)
        found = self._existing_vault(vault)
        found["policies"][object_id.lower()] = list(permissions)
        if certificates is not None:
            found["certificatePolicies"][object_id.lower()] = list(certificates)
        self._vaults.put(vault.lower(), found)

    def retention(self, name: str) -> timedelta:
        """Return how long a vault keeps what was deleted in it."""
        return timedelta(days=retention_days(self.vault(name) or {}))

    def _existing_vault(self, name: str) -> Document:
        found = self.vault(name)
        if found is None:
            raise LookupError(f"there is no vault {name}")
        return found

    @staticmethod
    def authorize(vault: Document, caller: Principal, permission: str) -> None:
        """Check a caller's access policy.

        Raises:
            ServiceError: 403 `Forbidden`, inner `AccessDenied`.
        """
        kind, _, name = permission.partition(" ")
        policies = vault["policies" if kind == "secrets" else "certificatePolicies"]
        if name not in policies.get(caller.object_id.lower(), ()):
            raise ACCESS_DENIED(caller=caller, permission=permission, vault=vault)


def _known(kind: str, permissions: Sequence[str], known: Sequence[str]) -> None:
    unknown = [permission for permission in permissions if permission not in known]
    if unknown:
        raise ValueError(f"unknown {kind} permissions {unknown}; use {', '.join(known)}")
