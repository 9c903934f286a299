"""Limits on what a subscription may have in a region. The resource providers themselves count what it has."""

from emulator.core.platform import Platform


class Limits:
    """The limits of all subscriptions, under the names that the resource providers' usages have."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("compute_quotas")

    def get(self, subscription_id: str, location: str, name: str, otherwise: int) -> int:
        """Return a limit."""
        found = self._table.get(_key(subscription_id, location, name))
        return otherwise if found is None else int(found["limit"])

    def set(self, subscription_id: str, location: str, name: str, limit: int) -> None:
        """Set a limit."""
        self._table.put(_key(subscription_id, location, name), {"limit": limit})


def _key(subscription_id: str, location: str, name: str) -> str:
    return f"{subscription_id}/{location}/{name}".lower()
