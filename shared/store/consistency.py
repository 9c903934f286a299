"""The consistency level of the database. The fence needs `Strong`: `docs/design.md`, "Fence", says why."""

from dataclasses import dataclass

from azure.cosmos import ConsistencyLevel, CosmosClient
from azure.cosmos.http_constants import HttpHeaders

STRONG = str(ConsistencyLevel.Strong)


@dataclass(frozen=True)
class Levels:
    """How fresh reads are.

    Attributes:
        account: the account's default level now.
        client: the level of this process's reads.
    """

    account: str
    client: str


def read_levels(client: CosmosClient) -> Levels:
    """Ask the account for its level.

    If the account's level is `Session` when a process opens the database, the SDK asks for `Session` from then on, also
    after the account has become stronger. At the other levels it asks for none, and gets the account's.
    """
    policy = client.get_database_account().ConsistencyPolicy or {}
    account = str(policy.get("defaultConsistencyLevel", ""))
    own = client.client_connection.default_headers.get(HttpHeaders.ConsistencyLevel)
    return Levels(account=account, client=str(own or account))
