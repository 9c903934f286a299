"""The issuers that a vault knows, in addition to `Self` and `Unknown`, which every vault knows."""

from collections.abc import Iterator

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.keyvault.exceptions import BAD_PARAMETER, ISSUER_NOT_FOUND
from emulator.keyvault.properties import attributes, check_name


class IssuerModel:
    """The issuers of all vaults. The local authority signs for every issuer."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._table = platform.store.table("keyvault_issuers")

    def find(self, vault: str, name: str) -> Document | None:
        """Return an issuer, or None."""
        return self._table.get(f"{vault}/{name}".lower())

    def ensure(self, vault: str, name: str, provider: str) -> None:
        """Create an issuer, unless the vault already has one with this name.

        Args:
            vault: name of the vault.
            name: name of the issuer.
            provider: name of the issuer's provider.
        """
        if self.find(vault, name) is None:
            self.set(vault, name, {"provider": provider})

    def set(self, vault: str, name: str, wish: Document) -> Document:
        """Create or replace an issuer. Its password is not kept, because no provider is ever called.

        Args:
            vault: name of the vault.
            name: name of the issuer.
            wish: the request: `provider`, `credentials`, `org_details`, `attributes`.

        Raises:
            ServiceError: 400.
        """
        check_name(name)
        provider = wish.get("provider")
        if not isinstance(provider, str) or not provider:
            raise BAD_PARAMETER("Property provider is required and must be a string.")
        credentials, organization = wish.get("credentials") or {}, wish.get("org_details") or {}
        if not isinstance(credentials, dict) or not isinstance(organization, dict):
            raise BAD_PARAMETER("Properties credentials and org_details must be objects.")
        now, before = int(self._clock.now().timestamp()), self.find(vault, name) or {}
        created = before.get("attributes", {}).get("created", now)
        issuer = {
            "name": name,
            "vault": vault.lower(),
            "provider": provider,
            "credentials": {key: value for key, value in credentials.items() if key != "pwd"},
            "org_details": organization,
            "attributes": {"enabled": attributes(wish).get("enabled", True), "created": created, "updated": now},
        }
        self._table.put(f"{vault}/{name}".lower(), issuer)
        return issuer

    def get(self, vault: str, name: str) -> Document:
        """Return an issuer.

        Raises:
            ServiceError: 404.
        """
        found = self.find(vault, name)
        if found is None:
            raise ISSUER_NOT_FOUND(name)
        return found

    def all(self, vault: str) -> Iterator[Document]:
        """Yield every issuer, by name."""
        for _, found in self._table.scan(f"{vault.lower()}/"):
            yield found

    def delete(self, vault: str, name: str) -> Document:
        """Remove an issuer. The certificates that it has issued stay.

        Raises:
            ServiceError: 404.
        """
        found = self.get(vault, name)
        self._table.delete(f"{vault}/{name}".lower())
        return found
