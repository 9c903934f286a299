"""Storage accounts as the blob front end sees them: by globally unique name, with keys."""

import base64

from emulator.arm.models import ArmModel
from emulator.json_object import Json
from emulator.storage.service_endpoints import subnets_without

# The service endpoint of storage accounts.
SERVICE = "Microsoft.Storage"


class StorageModel:
    """Accounts by name. ARM has their documents; the table only maps a name to an id."""

    def __init__(self, arm: ArmModel) -> None:
        self._arm = arm
        self._names = arm.platform.store.table("storage_names")

    def claim(self, name: str, resource_id: str) -> None:
        """Record which account has a name."""
        self._names.put(name, {"id": resource_id})

    def find(self, account: str) -> Json | None:
        """Return an account's document, or None."""
        known = self._names.get(account)
        return None if known is None else self._arm.load(known["id"])

    def exists(self, account: str) -> bool:
        """Tell whether the account exists and is provisioned, so that its name resolves."""
        found = self.find(account)
        return found is not None and "pending" not in found

    def keys(self, account: str) -> list[bytes]:
        """Return the account's keys; an empty list if there is no account."""
        found = self.find(account)
        return [] if found is None else [base64.b64decode(key["value"]) for key in found["private"]["keys"]]

    def allows_keys(self, account: str) -> bool:
        """Tell whether the account accepts its keys, and what is signed with them."""
        found = self.find(account)
        return found is not None and found["properties"].get("allowSharedKeyAccess") is not False

    def admits(self, account: str, subnet: str) -> bool:
        """Tell whether the account's network rules let in a caller from a subnet; "" is the internet.

        A rule needs the subnet's service endpoint, because without it a call comes from a public address. No rule lets in
        public addresses here, because every caller on the internet has the address of this machine.
        """
        found = self.find(account)
        rules = {} if found is None else found["properties"].get("networkAcls") or {}
        if rules.get("defaultAction") != "Deny":
            return True
        admitted = [rule["id"].lower() for rule in rules.get("virtualNetworkRules") or ()]
        return subnet.lower() in admitted and not subnets_without(self._arm, [subnet], SERVICE)

    def has_website(self, account: str) -> bool:
        """Tell whether an account has a static website."""
        found = self._arm.load(f"{self.resource_id(account)}/blobServices/default")
        return found is not None and bool(found["properties"].get("staticWebsite", {}).get("enabled"))

    def resource_id(self, account: str) -> str:
        """Return the account's resource id.

        Raises:
            LookupError: there is no such account.
        """
        found = self.find(account)
        if found is None:
            raise LookupError(f"there is no storage account {account}")
        return str(found["id"])

    def container_deleted(self, account: str, name: str) -> None:
        """Remove a container that was deleted through the blob service, because ARM shows the same containers."""
        found = self._arm.load(f"{self.resource_id(account)}/blobServices/default/containers/{name}")
        if found is not None:
            self._arm.documents.drop(found)
