"""Limits on what a subscription may have in a region. What it has of it, the resource providers count themselves."""

from emulator.core.platform import Platform


class Limits:
    """Limits of all subscriptions, under the names of the resource providers' usages."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("compute_quotas")

    def get(self, subscription_id: str, location: str, name: str, otherwise: int) -> int:
        """Return how much there may be; `otherwise` holds as long as nobody says more."""
        found = self._table.get(_key(subscription_id, location, name))
        return otherwise if found is None else int(found["limit"])

    def set(self, subscription_id: str, location: str, name: str, limit: int) -> None:
        """Say how much there may be."""
        self._table.put(_key(subscription_id, location, name), {"limit": limit})


def _key(subscription_id: str, location: str, name: str) -> str:
    return f"{subscription_id}/{location}/{name}".lower()
