"""The progress item of a running step, which people, the demo, the timeline and the watchdog read.

Most polls find the same as the poll before, so three in four writes would record nothing new. So a poll that only asked
leaves the item unchanged, for as long as readers need no sign of life.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import assert_never

from activities.runtime.step import Call
from shared.arm.errors import CloudErrorBody
from shared.clusters import endings
from shared.steps import Outcome, ProgressItem, StepStatus, Verb
from shared.store import Store, get_store

# After this time an item is written even if nothing has changed, because people see how long ago a step was checked.
# Together with the longest pause between polls it stays below the time after which `superseded` considers a step dead.
SIGN_OF_LIFE = timedelta(seconds=30)
# Members that change in each poll but mean nothing by themselves.
_COUNTING = ("polls", "lastProgressTime")


@dataclass
class _Written:
    """The stored state of an item, as far as this process knows: the item as it wrote it, and the poll that did."""

    item: ProgressItem
    polls: int


# More than the number of concurrent steps; a forgotten step only costs one extra write.
@lru_cache(maxsize=4096)
def _written(store: Store, operation_id: str, item_id: str) -> list[_Written]:  # noqa: ARG001 - the cache's key
    """Return the entry for the last write of an item; it is empty before the first."""
    return []


def begin(call: Call) -> None:
    """Record that a step has begun, on its first call only. Later calls record what they found."""
    if call["polls"] == 0:
        _write(call, StepStatus.RUNNING, "", None)


def record(call: Call, outcome: Outcome) -> None:
    """Record what a call found; for a superseded attempt see `leave`."""
    match outcome["outcome"]:
        case "failed":
            # It may be tried again, so the step runs on; the engine marks it failed when it gives up.
            error = outcome["error"]
            _write(call, StepStatus.RUNNING, error.get("message", ""), error)
        case "wait":
            _write(call, StepStatus.RUNNING, outcome["message"], None)
        case "done":
            _write(call, StepStatus.SUCCEEDED, outcome.get("message", ""), None)
        case "stopped":
            _write(call, StepStatus.CANCELED, "", None)
        case "fenced":
            pass
        case _:
            assert_never(outcome)


def leave(call: Call) -> None:
    """Mark the step of a superseded attempt as left: its successor waits until nothing of it is in flight."""
    store = get_store()
    item = store.progress.get(call["operationId"], call["step"], call["attempt"]) if call["step"] else None
    if item is not None and item["status"] == StepStatus.RUNNING:
        store.progress.upsert(endings.canceled(item, "The operation was superseded."))


def fail(call: Call, step: str, error: CloudErrorBody) -> None:
    """Mark a step that the engine has given up as failed.

    Args:
        call: the call of the engine's activity.
        step: name of the step.
        error: why it failed.
    """
    progress = get_store().progress
    item = progress.get(call["operationId"], step, call["attempt"])
    if item is not None and item["status"] != StepStatus.FAILED:
        now = datetime.now(UTC).isoformat()
        progress.upsert(
            item
            | {
                "status": StepStatus.FAILED,
                "endTime": now,
                "lastProgressTime": now,
                "message": error["message"],
                "error": error,
            }
        )


def _write(call: Call, status: StepStatus, message: str, error: CloudErrorBody | None) -> None:
    if not call["step"]:
        return
    row, now = call["row"], datetime.now(UTC).isoformat()
    cancelled = call.get("error")
    item: ProgressItem = {
        "id": f"{call['step']}-{call['attempt']}",
        "operationId": call["operationId"],
        "step": call["step"],
        "attempt": call["attempt"],
        "phase": row["phase"],
        "kind": row["kind"],
        "status": StepStatus.RUNNING if cancelled else status,
        "startTime": call["startTime"],
        "polls": call["polls"],
        "deadline": call["deadline"],
        "waitsFor": row["waitsFor"],
        "message": message,
        "error": cancelled or error,
        "lastProgressTime": now,
    }
    store = get_store()
    known = _written(store, call["operationId"], item["id"])
    if known and _says_nothing_new(call, item, known[0]):
        known[0].polls = call["polls"]
        return
    store.progress.upsert(item if item["status"] == StepStatus.RUNNING else item | {"endTime": now})
    known[:] = [_Written(item, call["polls"])]


def _says_nothing_new(call: Call, item: ProgressItem, written: _Written) -> bool:
    """Tell whether a poll may leave the item unchanged.

    Only if this process also made the poll before, because another process may have written something else. And only if
    the call polls: a repeated run does work, and its successor wants to know when.
    """
    now, then = (datetime.fromisoformat(each["lastProgressTime"]) for each in (item, written.item))
    return (
        call["verb"] == Verb.STATUS
        and call["polls"] == written.polls + 1
        and _found(item) == _found(written.item)
        and now - then < SIGN_OF_LIFE
    )


def _found(item: ProgressItem) -> dict[str, object]:
    return {name: value for name, value in item.items() if name not in _COUNTING}
