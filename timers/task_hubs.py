"""Task hubs that share one database, as in a blue-green deployment: which one drives an operation, and which are alive.

Only the hub that an operation names drives it, so that two watchdogs never compete. While any operation runs, each
watchdog writes its hub's sign of life now and then. Another hub takes over after it has listened for fifteen minutes
without hearing one. A hub counts as listening only while it can write its own sign. After an outage of the database all
hubs look silent, and this gives each of them time to write again.

While nothing runs there is nothing to take over, so nobody writes. When an operation begins, both hubs begin: the one
to be heard, the other to listen, and the operation's own beginning counts as a sign.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from shared import durations
from shared.documents import OperationDocument, TaskHubDocument
from shared.settings import Settings
from shared.steps import ProgressItem, last_progress

SILENCE = durations.HUB_SILENCE
# After a gap of this length between two of its own signs, a hub starts listening again.
GAP = SILENCE / 3


def is_recent(sign: TaskHubDocument, now: datetime, settings: Settings) -> bool:
    """Tell whether a hub's own sign need not be written again yet: at the next run it will still be without a gap."""
    return timedelta(0) <= now - datetime.fromisoformat(sign["lastSeen"]) < settings.look_back(GAP) / 2


def is_outdated(sign: TaskHubDocument, now: datetime, settings: Settings) -> bool:
    """Tell whether a hub's own sign is so old that it has not listened since."""
    return now - datetime.fromisoformat(sign["lastSeen"]) > settings.look_back(GAP)


def next_sign(last: TaskHubDocument | None, now: datetime, settings: Settings) -> TaskHubDocument:
    """Return the sign of life that a hub writes now.

    Args:
        last: the one that it wrote before, `{"id", "lastSeen", "listeningSince"}`; None before the first.
        now: the time of this run.
        settings: our settings, for the hub's name and the length of a gap.
    """
    since = now.isoformat() if last is None or is_outdated(last, now, settings) else last["listeningSince"]
    return {"id": settings.task_hub, "lastSeen": now.isoformat(), "listeningSince": since}


def last_heard(
    operation: OperationDocument,
    items: Iterable[ProgressItem],
    signs: Mapping[str, TaskHubDocument],
    settings: Settings,
) -> datetime | None:
    """Return when the other hub that drives an operation was last heard of, or None if we drive it.

    That is its last sign of life or the operation's last progress, but never before this hub began to listen.

    Args:
        operation: the async operation.
        items: its progress items.
        signs: the signs of life of all hubs by name, with our own of this run.
        settings: our settings, for the hub's name.
    """
    owner = operation["taskHub"]
    if owner == settings.task_hub:
        return None
    times = [operation["asyncOperation"]["startTime"], signs[settings.task_hub]["listeningSince"]]
    times += [last_progress(item) for item in items]
    if owner in signs:
        times.append(signs[owner]["lastSeen"])
    return max(datetime.fromisoformat(moment) for moment in times)
