"""Task hubs that share one database, as in a blue-green deployment: who drives an operation, and who still lives.

Only the hub that an operation names drives it, so that two watchdogs never fight for one. At each run a watchdog writes
its hub's sign of life; another hub takes over once it has listened for fifteen minutes in vain. A hub listens only
while it can write its own sign: after an outage of the database all hubs look silent, and each gets its turn again.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from shared.settings import Settings
from shared.steps import ProgressItem
from shared.store import Document

# How long a hub must have been silent before another takes over what it drives.
SILENCE = timedelta(minutes=15)
# After a gap of this length between two of its own signs, a hub begins to listen anew.
GAP = SILENCE / 3


def next_sign(last: Document | None, now: datetime, own: Settings) -> Document:
    """Return the sign of life that a hub writes now.

    Args:
        last: the one that it wrote before, `{"id", "lastSeen", "listeningSince"}`, None before the first.
        now: the time of this run.
        own: for the hub's name, and the length of a gap.
    """
    listens = last is not None and now - datetime.fromisoformat(last["lastSeen"]) <= own.look_back(GAP)
    since = last["listeningSince"] if last and listens else now.isoformat()
    return {"id": own.task_hub, "lastSeen": now.isoformat(), "listeningSince": since}


def last_heard(
    operation: Document, items: Iterable[ProgressItem], signs: Mapping[str, Document], own: Settings
) -> datetime | None:
    """Return when the other hub that drives an operation was last heard of, or None for an operation of our own.

    That is its last sign of life or the last progress of the operation, and never before this hub began to listen.

    Args:
        operation: the async operation.
        items: its progress items.
        signs: the signs of life of all hubs by name, with our own of this run.
        own: for our hub's name.
    """
    owner = operation["taskHub"]
    if owner == own.task_hub:
        return None
    heard = [operation["asyncOperation"]["startTime"], signs[own.task_hub]["listeningSince"]]
    heard += [item["lastProgressTime"] for item in items]
    if owner in signs:
        heard.append(signs[owner]["lastSeen"])
    return max(datetime.fromisoformat(each) for each in heard)
