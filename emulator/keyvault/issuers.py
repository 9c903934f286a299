"""The issuers that a vault knows, in addition to `Self` and `Unknown`, which every vault knows."""

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.keyvault.properties import attributes


class IssuerModel:
    """The issuers of all vaults. The local authority signs for every issuer."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("keyvault_issuers")

    def find(self, vault: str, name: str) -> Document | None:
        """Return an issuer, or None."""
        return self._table.get(f"{vault}/{name}".lower())

    def ensure(self, vault: str, name: str, provider: str) -> None:
        """Create an issuer, unless the vault already has one with this name."""
        if self.find(vault, name) is None:
            self.set(vault, name, {"provider": provider})

    def set(self, vault: str, name: str, wish: Document) -> Document:
        """Create or replace an issuer. Its password is not kept, because no provider is ever called."""
        credentials = wish.get("credentials") or {}
        now, before = int(self._clock.now().timestamp()), self.find(vault, name) or {}
        created = before.get("attributes", {}).get("created", now)
        issuer = {
            "name": name,
            "vault": vault.lower(),
            "provider": wish.get("provider"),
            "credentials": {key: value for key, value in credentials.items() if key != "pwd"},
            "org_details": wish.get("org_details") or {},
            "attributes": {"enabled": attributes(wish).get("enabled", True), "created": created, "updated": now},
        }
        self._table.put(f"{vault}/{name}".lower(), issuer)
        return issuer
