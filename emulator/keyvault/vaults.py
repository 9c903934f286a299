"""Vaults: their names, and how ARM configured them."""

import re
from datetime import timedelta

from emulator.core.platform import Platform
from emulator.core.store import Document

VAULT_NAME = re.compile(r"[a-z](?!.*--)[a-z0-9-]{1,22}[a-z0-9]")
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
        """Create a vault, or update or recover an existing one, which keeps its settings and its contents.

        Args:
            name: name of the vault.
            tenant_id: tenant whose tokens it accepts.
            location: its region; "" for that of this local Azure.

        Raises:
            ValueError: the name is not a vault name.
        """
        if not VAULT_NAME.fullmatch(name.lower()):
            raise ValueError(f"{name!r} is not a vault name: 3-24 letters, digits, single hyphens, a letter first")
        vault = self._vaults.get(name.lower()) or {}
        vault |= {"name": name.lower(), "tenantId": tenant_id.lower(), "location": location or self._location}
        vault["deleted"] = False
        self._vaults.put(name.lower(), vault)
        return vault

    def configure(self, name: str, settings: Document) -> None:
        """Set how ARM configured a vault.

        Args:
            name: name of the vault.
            settings: `resourceId`, `purgeProtection` and `retentionDays`.

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

    def retention(self, name: str) -> timedelta:
        """Return how long a vault keeps what was deleted in it."""
        return timedelta(days=retention_days(self.vault(name) or {}))

    def _existing_vault(self, name: str) -> Document:
        found = self.vault(name)
        if found is None:
            raise LookupError(f"there is no vault {name}")
        return found
