"""The roles of principals in accounts: Cosmos DB's own, which ARM's roles do not replace.

Source: https://learn.microsoft.com/azure/cosmos-db/nosql/security/reference-data-plane-actions. Stored
procedures, conflicts and the change feed are left out, because the local Cosmos DB has none.
"""

from typing import Literal

from emulator.core.store import Store

Role = Literal["reader", "contributor"]

_ACTION = "Microsoft.DocumentDB/databaseAccounts/"
_ITEMS = f"{_ACTION}sqlDatabases/containers/items/"
READ_METADATA = f"{_ACTION}readMetadata"
EXECUTE_QUERY = f"{_ACTION}sqlDatabases/containers/executeQuery"
ITEM_ACTIONS = {name: f"{_ITEMS}{name}" for name in ("create", "read", "replace", "upsert", "delete")}

# The two built-in roles of the data plane.
ROLE_ACTIONS: dict[Role, frozenset[str]] = {
    "reader": frozenset({READ_METADATA, EXECUTE_QUERY, ITEM_ACTIONS["read"]}),
    "contributor": frozenset({READ_METADATA, EXECUTE_QUERY, *ITEM_ACTIONS.values()}),
}
_SEPARATOR = "\x1f"


class Roles:
    """The role assignments of all accounts. A principal has the rights of all its roles together."""

    def __init__(self, store: Store) -> None:
        """Open the table."""
        self._table = store.table("cosmos_role_assignments")

    def assign(self, account: str, object_id: str, role: Role, name: str = "") -> None:
        """Give a principal a role on a whole account.

        Args:
            account: name of the account.
            object_id: the principal.
            role: the role, in place of what this assignment gave before.
            name: name of the assignment; "" for one that is not a resource in ARM.
        """
        self._table.put(_key(account, object_id.lower(), name.lower()), {"role": role})

    def withdraw(self, account: str, object_id: str, name: str = "") -> None:
        """Remove an assignment, if it exists."""
        self._table.delete(_key(account, object_id.lower(), name.lower()))

    def clear(self, account: str) -> None:
        """Remove all assignments of an account."""
        for key, _ in list(self._table.scan(_key(account, ""))):
            self._table.delete(key)

    def allow(self, account: str, object_id: str, action: str) -> bool:
        """Tell whether a principal may do an action."""
        found = self._table.scan(_key(account, object_id.lower(), ""))
        return any(action in ROLE_ACTIONS[assignment["role"]] for _, assignment in found)


def _key(*parts: str) -> str:
    return _SEPARATOR.join(parts)
