"""The progress item of a running step, which people, the demo, the timeline and the watchdog read.

Most calls do not write it. A step writes `changing` just before its first change in Azure or in the cluster, and
removes it when the call ends, because a delete waits for such calls; a step that only reads writes its item once, at
the end. A poll that found the same as the poll before leaves the item unchanged, but for no longer than `SIGN_OF_LIFE`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import assert_never

from activities.runtime.call import Call
from shared import durations
from shared.arm.errors import CloudErrorBody
from shared.clusters import endings
from shared.steps import Outcome, ProgressItem, ResolvedRow, StepStatus
from shared.store import Store, get_store

# After this time an item is written even if nothing has changed, because people see how long ago a step was checked.
# With the longest pause between polls it stays far below the time after which another task hub takes over.
SIGN_OF_LIFE = durations.SIGN_OF_LIFE
# Members that change in each poll but mean nothing by themselves.
_COUNTING = ("polls", "lastProgressTime")


@dataclass
class _Written:
    """The stored state of an item, as far as this process knows: the item, and the last call that confirmed it."""

    item: ProgressItem
    call: Call


# More than the number of concurrent steps; a forgotten step only costs one extra write.
@lru_cache(maxsize=4096)
def _written(store: Store, operation_id: str, item_id: str) -> list[_Written]:  # noqa: ARG001 - the cache's key
    """Return the entry for the last write of an item; it is empty before the first."""
    return []


@lru_cache(maxsize=4096)
def _done(store: Store, operation_id: str, item_id: str) -> list[ProgressItem]:  # noqa: ARG001 - the cache's key
    """Return the item of a step that a call of this process has done; nothing before that."""
    return []


def begin(call: Call) -> None:
    """Record that the step is about to change something: once in each call, and again if the call takes long."""
    known = _known(call)
    # The engine's own calls have no step.
    if not call["step"]:
        return
    if known and known[0].call is call and not _is_old(known[0]):
        return
    message, error = (known[0].item["message"], known[0].item["error"]) if known else ("", None)
    _store(call, _item(call, StepStatus.RUNNING, message, error) | {"changing": True})


def may_keep_item(call: Call) -> bool:
    """Tell whether a poll that finds nothing new leaves the step's progress item as it is.

    It may if this process also made the poll before; another process may have written something else.
    """
    known = _known(call)
    return bool(known) and call["polls"] == known[0].call["polls"] + 1 and not _is_old(known[0])


def record(call: Call, outcome: Outcome, check_fence: Callable[[], object]) -> None:
    """Record what a call found. A superseded attempt records nothing here; see `leave`.

    Args:
        call: the call.
        outcome: what it found.
        check_fence: runs before the item is written, and raises if the fence has moved.
    """
    match outcome["outcome"]:
        case "failed":
            # The call may be tried again, so the step is still running. If the engine gives up, `fail` marks the step.
            error = outcome["error"]
            item = _item(call, StepStatus.RUNNING, error.get("message", ""), error)
        case "wait":
            item = _item(call, StepStatus.RUNNING, outcome["message"], None)
        case "done":
            item = _item(call, StepStatus.SUCCEEDED, outcome.get("message", ""), None)
        case "stopped":
            item = _item(call, StepStatus.CANCELED, "", None)
        case "fenced":
            return
        case _:
            assert_never(outcome)
    if call["step"]:
        _write(call, item, check_fence)


def leave(call: Call) -> None:
    """Mark the step of a superseded attempt as left: its successor waits until nothing of it is in flight."""
    store = get_store()
    item = store.progress.get(call["operationId"], call["step"], call["attempt"]) if call["step"] else None
    if item is not None and item["status"] == StepStatus.RUNNING:
        store.progress.upsert(endings.canceled(item, "The operation was superseded."))


def fail(call: Call, step: str, error: CloudErrorBody) -> None:
    """Mark a step as failed once the engine has given up on it, even if every call died before it wrote an item.

    Args:
        call: the engine's call.
        step: the name of the step.
        error: why it failed.
    """
    progress = get_store().progress
    item = progress.get(call["operationId"], step, call["attempt"]) or _unseen(call, step)
    if item is not None and item["status"] != StepStatus.FAILED:
        now = datetime.now(UTC).isoformat()
        failed = item | {
            "status": StepStatus.FAILED,
            "endTime": now,
            "lastProgressTime": now,
            "message": error["message"],
            "error": error,
        }
        failed.pop("changing", None)
        progress.upsert(failed)


def _unseen(call: Call, step: str) -> ProgressItem | None:
    """Build the item of a step that has none from the operation's plan; return None if the plan has no such row."""
    operations = get_store().operations
    operation = operations.read(call["operationId"])
    plan = operations.with_plan(operation).get("plan") if operation else None
    rows: list[ResolvedRow] = plan["rows"] if plan else []
    for row in rows:
        if row["name"] == step:
            return _item({**call, "step": step, "row": row}, StepStatus.RUNNING, "", None)
    return None


def _write(call: Call, item: ProgressItem, check_fence: Callable[[], object]) -> None:
    done, known = _done(get_store(), call["operationId"], _item_id(call)), _known(call)
    is_second_delivery = bool(done) and item["status"] == StepStatus.RUNNING
    # A call that changes something has written `changing`, and a delete waits until that is gone.
    if not is_second_delivery and may_keep_item(call) and _found(item) == _found(known[0].item):
        known[0].call = call
        return
    check_fence()
    # After a second delivery nobody polls again.
    _store(call, done[0] if is_second_delivery else item)


def _item(call: Call, status: StepStatus, message: str, error: CloudErrorBody | None) -> ProgressItem:
    row, cancelled = call["row"], call.get("error")
    return {
        "id": _item_id(call),
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
        "lastProgressTime": datetime.now(UTC).isoformat(),
    }


def _store(call: Call, item: ProgressItem) -> None:
    ended = item["status"] != StepStatus.RUNNING
    get_store().progress.upsert(item | {"endTime": item["lastProgressTime"]} if ended else item)
    _known(call)[:] = [_Written(item, call)]
    if item["status"] == StepStatus.SUCCEEDED:
        _done(get_store(), call["operationId"], _item_id(call))[:] = [item]


def _known(call: Call) -> list[_Written]:
    return _written(get_store(), call["operationId"], _item_id(call))


def _item_id(call: Call) -> str:
    return f"{call['step']}-{call['attempt']}"


def _is_old(written: _Written) -> bool:
    return datetime.now(UTC) - datetime.fromisoformat(written.item["lastProgressTime"]) >= SIGN_OF_LIFE


def _found(item: ProgressItem) -> dict[str, object]:
    return {name: value for name, value in item.items() if name not in _COUNTING}
