"""Containers of the local Azure's Cosmos DB, for tests that deploy no database."""

from collections.abc import Sequence

from emulator.core.store import Document
from emulator.cosmos.models import CosmosModel


def ensure_container(
    model: CosmosModel,
    account: str,
    database: str,
    name: str,
    partition_key: str,
    *,
    unique_keys: Sequence[str | Sequence[str]] = (),
    default_ttl: int | None = None,
) -> Document:
    """Create a container, or return the existing one.

    Args:
        model: the model.
        account: an account that exists.
        database: a database that exists.
        name: unique in the database.
        partition_key: path such as `/partitionKey`.
        unique_keys: each is one path, or several paths whose values together are unique within a partition.
        default_ttl: seconds that documents live; -1 without end, unless a document has its own; None for no TTL.

    Raises:
        ServiceError: a path is malformed, or the database is missing.
    """
    found = next((known for known in model.containers(account, database) if known["id"] == name), None)
    if found is not None:
        return found
    keys = [[key] if isinstance(key, str) else list(key) for key in unique_keys]
    definition = {
        "id": name,
        "partitionKey": {"paths": [partition_key], "kind": "Hash", "version": 2},
        "uniqueKeyPolicy": {"uniqueKeys": [{"paths": paths} for paths in keys]},
        **({} if default_ttl is None else {"defaultTtl": default_ttl}),
    }
    return model.put_container(account, database, definition)
