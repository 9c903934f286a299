"""What hardly ever exists: after a run of a timer that finds none, the runs of the next few minutes do not look."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from time import monotonic
from typing import TypeVar

from shared.store import Store

Found = TypeVar("Found")


@lru_cache(maxsize=8)
def _last_empty_run(store: Store, name: str) -> list[float]:  # noqa: ARG001 - the cache's key
    """Return when the last run began that found none; nothing if the last run found one."""
    return []


def look(store: Store, name: str, find: Callable[[], Iterable[Found]], quiet_seconds: float) -> list[Found]:
    """Return what a timer looks for; nothing, without looking, for a while after a run that found nothing.

    Args:
        store: where it looks.
        name: the timer's module.
        find: looks.
        quiet_seconds: how long it does not look.
    """
    began, last_empty = monotonic(), _last_empty_run(store, name)
    if last_empty and began - last_empty[0] < quiet_seconds:
        return []
    found = list(find())
    last_empty[:] = [] if found else [began]
    return found
