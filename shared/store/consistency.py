"""The consistency level of the database. The fence needs `Strong`: `docs/design.md`, "Fence and attempt", says why."""

from dataclasses import dataclass

from azure.cosmos import ConsistencyLevel, CosmosClient
from azure.cosmos.http_constants import HttpHeaders

STRONG = str(ConsistencyLevel.Strong)


@dataclass(frozen=True)
class Levels:
    """How fresh reads are.

    Attributes:
        account: the account's default level now.
        client: the level of this process's reads: the account's default when the process opened the database.
    """

    account: str
    client: str


def read_levels(client: CosmosClient) -> Levels:
    """Ask the account for its level."""
    policy = client.get_database_account().ConsistencyPolicy or {}
    return Levels(
        account=str(policy.get("defaultConsistencyLevel", "")),
        client=str(client.client_connection.default_headers.get(HttpHeaders.ConsistencyLevel, "")),
    )
