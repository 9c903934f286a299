"""Deleted vaults: they keep name and contents until they are purged, or their retention is over.

Source: https://learn.microsoft.com/azure/key-vault/general/soft-delete-overview.
"""

from collections.abc import Iterator
from datetime import timedelta

from starlette.responses import Response

from emulator.arm.call import Call, Row, answer, page
from emulator.arm.groups import normal_location
from emulator.arm.ids import parse_resource
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.json_object import Json
from emulator.keyvault import KeyVaultModel
from emulator.vaults import exceptions
from emulator.vaults.versions import VERSIONS

PURGE_SECONDS = 10
POLL_SECONDS = 5
_S = "/subscriptions/{subscription_id}/providers/Microsoft.KeyVault"
_ONE = _S + "/locations/{location}/deletedVaults/{name}"
_TYPE = "Microsoft.KeyVault/locations/deletedVaults"


class DeletedVaults:
    """The deleted vaults of all subscriptions, by name."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._table = platform.store.table("vaults_deleted")

    def add(self, stored: Json) -> None:
        """Delete a vault softly."""
        now = self._platform.clock.now()
        retention = timedelta(days=stored["properties"]["softDeleteRetentionInDays"])
        record = {"deletionDate": rfc3339(now), "scheduledPurgeDate": rfc3339(now + retention), "vault": stored}
        self._table.put(stored["name"].lower(), record)
        self._platform.model(KeyVaultModel).hide_vault(stored["name"])

    def find(self, name: str) -> Json | None:
        """Return the record of a deleted vault, or None. A vault whose retention is over is purged."""
        found = self._table.get(name.lower())
        if found is not None and found["scheduledPurgeDate"] <= rfc3339(self._platform.clock.now()):
            self.purge(name)
            return None
        return found

    def all(self) -> Iterator[Json]:
        """Yield the record of every deleted vault, by name."""
        for name, _ in self._table.scan():
            found = self.find(name)
            if found is not None:
                yield found

    def purge_by_hand(self, name: str) -> None:
        """Purge a deleted vault before its retention is over.

        Raises:
            ServiceError: 404; 405 if the vault has purge protection.
        """
        found = self.find(name)
        if found is None:
            raise exceptions.DELETED_NOT_FOUND(name)
        if is_protected(found["vault"]):
            raise exceptions.PURGE_NOT_ALLOWED()
        self.purge(name)

    def purge(self, name: str) -> None:
        """Remove a deleted vault for good, with its contents."""
        self._platform.model(KeyVaultModel).delete_vault(name)
        self._table.delete(name.lower())


def is_protected(stored: Json) -> bool:
    """Tell whether a vault's document says that nobody may purge."""
    return bool(stored["properties"].get("enablePurgeProtection"))


async def list_deleted(call: Call) -> Response:
    """GET …/deletedVaults."""
    subscription_id = _enter(call, "Microsoft.KeyVault/deletedVaults/read")
    found = call.arm.platform.model(DeletedVaults).all()
    return page(call, [_shown(record) for record in found if _subscription(record) == subscription_id])


async def list_deleted_pools(call: Call) -> Response:
    """GET …/deletedManagedHSMs, which the CLI asks for beside deleted vaults: there are no pools of hardware modules."""
    _enter(call, "Microsoft.KeyVault/deletedManagedHSMs/read")
    return page(call, [])


async def get_deleted(call: Call) -> Response:
    """GET …/locations/{location}/deletedVaults/{name}."""
    _enter(call, f"{_TYPE}/read")
    return answer(_shown(_find(call)))


async def purge_deleted(call: Call) -> Response:
    """POST …/locations/{location}/deletedVaults/{name}/purge: 202 with a `Location`, without protection."""
    subscription_id = _enter(call, f"{_TYPE}/purge/action")
    record = _find(call)
    call.arm.platform.model(DeletedVaults).purge_by_hand(record["vault"]["name"])
    operation = call.arm.operations.begin("delete", _shown(record)["id"], PURGE_SECONDS, api_version=call.api_version)
    location = (
        f"/subscriptions/{subscription_id}/providers/Microsoft.KeyVault/locations/{call.params['location']}"
        f"/operationResults/{operation['id']}"
    )
    headers = {"Location": call.url(location), "Retry-After": call.arm.clock.retry_after(POLL_SECONDS)}
    return answer(None, 202, headers)


def _find(call: Call) -> Json:
    found = call.arm.platform.model(DeletedVaults).find(call.params["name"])
    if (
        found is None
        or _subscription(found) != call.params["subscription_id"].lower()
        or found["vault"]["location"] != normal_location(call.params["location"])
    ):
        raise exceptions.DELETED_NOT_FOUND(call.params["name"])
    return found


def _enter(call: Call, action: str) -> str:
    subscription_id = call.params["subscription_id"]
    found = call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, action, f"/subscriptions/{subscription_id}")
    return str(found["subscriptionId"])


def _subscription(record: Json) -> str:
    return parse_resource(record["vault"]["id"]).subscription_id.lower()


def _shown(record: Json) -> Json:
    vault = record["vault"]
    subscription_id = parse_resource(vault["id"]).subscription_id
    properties = {
        "vaultId": vault["id"],
        "location": vault["location"],
        "tags": vault.get("tags", {}),
        "deletionDate": record["deletionDate"],
        "scheduledPurgeDate": record["scheduledPurgeDate"],
    }
    if is_protected(vault):
        properties["purgeProtectionEnabled"] = True
    return {
        "id": f"/subscriptions/{subscription_id}/providers/Microsoft.KeyVault/locations/{vault['location']}"
        f"/deletedVaults/{vault['name']}",
        "name": vault["name"],
        "type": "Microsoft.KeyVault/deletedVaults",
        "properties": properties,
    }


ROWS = (
    Row("GET", _S + "/deletedVaults", list_deleted, "Microsoft.KeyVault/deletedVaults", VERSIONS),
    Row("GET", _S + "/deletedManagedHSMs", list_deleted_pools, "Microsoft.KeyVault/deletedManagedHSMs", VERSIONS),
    Row("GET", _ONE, get_deleted, _TYPE, VERSIONS),
    Row("POST", _ONE + "/purge", purge_deleted, f"{_TYPE}/purge", VERSIONS),
)
