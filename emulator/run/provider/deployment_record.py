"""What `up` has deployed of the resource provider, as other commands and tests find it in the state."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from emulator.core.store import Store

TABLE = "service"


@dataclass(frozen=True)
class Deployed:
    """The resource provider that runs the working tree."""

    site: str
    outputs: Mapping[str, Any]
    identities: Sequence[str]
    roles: Mapping[str, Any]
    settings: Mapping[str, str]

    @property
    def host(self) -> str:
        """The public host name of the function app."""
        return str(self.outputs["host"])

    @property
    def callers(self) -> str:
        """Who calls the service: the setting CALLERS."""
        return str(self.settings["CALLERS"])

    @property
    def database(self) -> tuple[str, str]:
        """The Cosmos DB account and the database."""
        return self.settings["COSMOSDB_ACCOUNT"], self.settings["COSMOSDB_DATABASE"]

    def save(self, store: Store) -> None:
        """Keep this in the state."""
        store.table(TABLE).put(TABLE, asdict(self))


def deployed(store: Store) -> Deployed:
    """Return what the last `up` has deployed.

    Raises:
        LookupError: there was none.
    """
    found = last_deployed(store)
    if found is None:
        raise LookupError("no resource provider is deployed in this state folder")
    return found


def last_deployed(store: Store) -> Deployed | None:
    """Return what the last `up` has deployed, or None if there was none."""
    found = store.table(TABLE).get(TABLE)
    return None if found is None else Deployed(**found)
