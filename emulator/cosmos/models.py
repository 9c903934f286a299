"""Accounts, databases and containers, and the roles of principals in an account. Documents are in `items.py`."""

from collections.abc import Iterator
from typing import Any

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.cosmos import resource_ids
from emulator.cosmos.definitions import check_change, complete
from emulator.cosmos.exceptions import OWNER_NOT_FOUND, RECREATED
from emulator.cosmos.former_states import FormerStates
from emulator.cosmos.items import Items
from emulator.cosmos.roles import Role, Roles

SUFFIX = ".documents.azure.com"


_SEPARATOR = "\x1f"


def _key(*parts: str) -> str:
    return _SEPARATOR.join(parts)


class CosmosModel:
    """The Cosmos DB accounts of the local Azure."""

    def __init__(self, platform: Platform) -> None:
        """Open the tables."""
        self._store = platform.store
        self._clock = platform.clock
        self._former = FormerStates(platform.faults)
        self._location = platform.world.location
        self._accounts = platform.store.table("cosmos_accounts")
        self.roles = Roles(platform.store)
        self._databases = platform.store.table("cosmos_databases")
        self._containers = platform.store.table("cosmos_containers")

    def ensure_account(self, name: str, tenant_id: str, location: str = "", ready_at: str = "") -> Document:
        """Create an account, or return the existing one.

        Args:
            name: unique in all of Azure, part of the host name.
            tenant_id: the tenant whose tokens it accepts.
            location: name of the region; "" for the default region of the local Azure.
            ready_at: RFC 3339 time from which the name of a new account resolves; "" for at once.
        """
        found = self._accounts.get(name)
        if found is None:
            found = {"name": name, "tenantId": tenant_id, "location": location or self._location}
            found["readyAt"] = ready_at
            self._accounts.put(name, found)
        return found

    def set_consistency(self, account: str, level: str) -> None:
        """Set the consistency level of an account, which is Session until then."""
        self._accounts.put(account, (self._accounts.get(account) or {}) | {"consistency": level})

    def consistency(self, account: str) -> str:
        """Return the consistency level of an account."""
        return str((self._accounts.get(account) or {}).get("consistency", "Session"))

    def delete_account(self, name: str) -> None:
        """Remove an account with its databases and roles, if it exists."""
        for database in list(self.databases(name)):
            self.delete_database(name, database["id"])
        self.roles.clear(name)
        self._accounts.delete(name)

    def account(self, name: str) -> Document | None:
        """Return an account, or None."""
        return self._accounts.get(name)

    def resolves(self, host: str) -> bool:
        """Tell whether a host name belongs to an account; Azure's DNS has no other names with this suffix."""
        found = self._accounts.get(host.removesuffix(SUFFIX)) if host.endswith(SUFFIX) else None
        return found is not None and found.get("readyAt", "") <= rfc3339(self._clock.now())

    def allow(self, account: str, object_id: str, role: Role) -> None:
        """Give a principal a role on the whole account, in addition to those that ARM assigns."""
        self.roles.assign(account, object_id, role)

    def ensure_database(self, account: str, name: str) -> Document:
        """Create a database, or return the existing one.

        Raises:
            LookupError: the account does not exist.
        """
        if self._accounts.get(account) is None:
            raise LookupError(f"there is no Cosmos DB account {account!r}")
        found = self._databases.get(_key(account, name))
        if found is None:
            rid = resource_ids.new_database_rid()
            found = {"id": name, **self._system(rid, f"dbs/{rid}/"), "_colls": "colls/", "_users": "users/"}
            self._databases.put(_key(account, name), found)
        return found

    def delete_database(self, account: str, name: str) -> None:
        """Remove a database with its containers."""
        for container in list(self.containers(account, name)):
            self.delete_container(account, name, container["id"])
        self._databases.delete(_key(account, name))

    def check_container(self, account: str, database: str, definition: Document) -> Document:
        """Return a container's complete definition, if the container may have it.

        Raises:
            ServiceError: the definition is invalid, or changes what cannot change.
        """
        wanted = complete(definition)
        found = self._containers.get(_key(account, database, definition["id"]))
        if found is not None:
            check_change(found, wanted)
        return wanted

    def put_container(self, account: str, database: str, definition: Document) -> Document:
        """Create a container, or change what can change: its indexes and time to live.

        Args:
            account: an account that exists.
            database: a database that exists.
            definition: `id` and `partitionKey`, perhaps other members, see `definitions.py`.

        Raises:
            ServiceError: as for `check_container`, or the database is missing.
        """
        wanted = self.check_container(account, database, definition)
        key = _key(account, database, definition["id"])
        parent, found = self.database(account, database), self._containers.get(key)
        rid = resource_ids.new_container_rid(parent["_rid"]) if found is None else found["_rid"]
        document = {
            **wanted,
            **self._system(rid, f"{parent['_self']}colls/{rid}/"),
            "_docs": "docs/",
            "_sprocs": "sprocs/",
            "_triggers": "triggers/",
            "_udfs": "udfs/",
            "_conflicts": "conflicts/",
        }
        self._containers.put(key, document)
        return document

    def delete_container(self, account: str, database: str, name: str) -> None:
        """Remove a container with its documents, if it exists."""
        container = self._containers.get(_key(account, database, name))
        if container is not None:
            with self._store.transaction():
                self._items(container).clear()
                self._containers.delete(_key(account, database, name))

    def databases(self, account: str) -> Iterator[Document]:
        """Yield the databases of an account."""
        return (document for _, document in self._databases.scan(_key(account, "")))

    def containers(self, account: str, database: str) -> Iterator[Document]:
        """Yield the containers of a database."""
        return (document for _, document in self._containers.scan(_key(account, database, "")))

    def databases_with(self, container: str) -> list[tuple[str, str]]:
        """Return account and name of each database that has a container of this name."""
        keys = [key.split(_SEPARATOR) for key, _ in self._containers.scan()]
        return [(account, database) for account, database, name in keys if name == container]

    def database(self, account: str, name_or_rid: str) -> Document:
        """Return a database.

        Raises:
            ServiceError: 404.
        """
        found = self._databases.get(_key(account, name_or_rid)) or next(
            (document for document in self.databases(account) if document["_rid"] == name_or_rid), None
        )
        if found is None:
            raise OWNER_NOT_FOUND(kind="database", name=name_or_rid)
        return found

    def container(self, account: str, database: str, name_or_rid: str) -> Document:
        """Return a container.

        Raises:
            ServiceError: 404.
        """
        found = self._containers.get(_key(account, database, name_or_rid))
        if found is None:
            parent = self.database(account, database)["id"]
            found = self._containers.get(_key(account, parent, name_or_rid)) or next(
                (document for document in self.containers(account, parent) if document["_rid"] == name_or_rid), None
            )
        if found is None:
            raise OWNER_NOT_FOUND(kind="container", name=name_or_rid)
        return found

    def items(self, account: str, database: str, container: str, intended_rid: str | None = None) -> Items:
        """Return the documents of a container.

        Args:
            account: name of the account.
            database: name or `_rid` of the database.
            container: name or `_rid` of the container.
            intended_rid: the `_rid` that the client has cached for the container, if any.

        Raises:
            ServiceError: 404; 400 with substatus 1024 if the container was recreated since the client cached its `_rid`.
        """
        found = self.container(account, database, container)
        if intended_rid and intended_rid != found["_rid"]:
            raise RECREATED(name=found["id"], intended=intended_rid)
        return self._items(found)

    def purge_expired(self) -> int:
        """Remove the expired documents of all containers; return how many."""
        return sum(self._items(container).purge_expired() for _, container in self._containers.scan())

    def _items(self, container: Document) -> Items:
        return Items(self._store, self._clock, container, self._former)

    def _system(self, rid: str, self_link: str) -> dict[str, Any]:
        moment = int(self._clock.now().timestamp())
        return {"_rid": rid, "_self": self_link, "_etag": f'"00000000-0000-0100-0000-{moment:08x}0000"', "_ts": moment}
