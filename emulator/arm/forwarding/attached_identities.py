"""The user-assigned identities of the provider's resources, and where the provider gets credentials for them.

ARM attaches the identities that a write names before it forwards the write, and tells the provider an address that is
good for this one resource.
"""

from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import NAMESPACE_URL, uuid5

from emulator.core.platform import Platform

ASSIGN = "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"
PATH = "/credentials/v2/identities"


class AttachedIdentities:
    """The identities of all resources of the provider."""

    def __init__(self, platform: Platform) -> None:
        self.host = f"control-{platform.world.location}.identity.azure.net"
        self._table = platform.store.table("arm_attached_identities")

    def attach(self, resource_id: str, names: Sequence[str]) -> None:
        """Give a resource these identities, in place of others."""
        self._table.put(resource_id.lower(), {"names": [name.lower() for name in names]})

    def of(self, resource_id: str) -> list[str]:
        """Return the ids of a resource's identities, in lower case."""
        found = self._table.get(resource_id.lower()) or {"names": []}
        return list(found["names"])

    def query(self, resource_id: str) -> dict[str, str]:
        """Return the parameters that the provider must send back with each call for a resource."""
        return {"arpid": str(uuid5(NAMESPACE_URL, f"identities of {resource_id.lower()}"))}

    def url(self, resource_id: str) -> str:
        """Return the value of `x-ms-identity-url`."""
        return f"https://{self.host}{resource_id}{PATH}?{urlencode(self.query(resource_id))}"
