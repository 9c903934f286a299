"""The progress item of a running step: what people, the demo, the timeline and the watchdog read."""

from datetime import UTC, datetime, timedelta

from activities.executor import Outcome
from activities.step import Call
from shared.store import get_store

# A failure that may be tried again leaves the step running; the engine marks it failed when it gives up.
_STATUS = {"done": "Succeeded", "stopped": "Canceled", "wait": "Running", "failed": "Running"}


def begin(call: Call) -> None:
    """Record that a step has begun, in its first call only: later calls record what they found."""
    if call["polls"] == 0:
        _write(call, "Running", "", None)


def record(call: Call, outcome: Outcome) -> None:
    """Record what a call found; for a superseded attempt see `leave`."""
    if outcome["outcome"] in _STATUS:
        error = outcome.get("error")
        message = outcome.get("message") or (error or {}).get("message", "")
        _write(call, _STATUS[outcome["outcome"]], message, error)


def leave(call: Call) -> None:
    """Mark the step of a superseded attempt as left: whoever took over waits until nothing of it is in flight."""
    store = get_store()
    item = store.progress.get(call["operationId"], call["step"], call["attempt"]) if call["step"] else None
    if item is not None and item["status"] == "Running":
        store.progress.upsert(item | canceled("The operation was superseded."))


def canceled(message: str) -> dict[str, str]:
    """Return what changes on an item whose step will not go on."""
    now = datetime.now(UTC).isoformat()
    return {"status": "Canceled", "message": message, "endTime": now, "lastProgressTime": now}


def fail(call: Call, step: str, error: dict[str, object]) -> None:
    """Mark a step failed that the engine has given up."""
    progress = get_store().progress
    item = progress.get(call["operationId"], step, call["attempt"])
    if item is not None and item["status"] != "Failed":
        now = datetime.now(UTC).isoformat()
        ended = {"status": "Failed", "endTime": now, "lastProgressTime": now}
        progress.upsert(item | ended | {"message": error["message"], "error": error})


def _write(call: Call, status: str, message: str, error: dict[str, object] | None) -> None:
    if not call["step"]:
        return
    row, now = call["row"], datetime.now(UTC).isoformat()
    cancelled = call.get("error")
    item = {
        "id": f"{call['step']}-{call['attempt']}",
        "operationId": call["operationId"],
        "step": call["step"],
        "attempt": call["attempt"],
        "phase": row["phase"],
        "kind": row["kind"],
        "status": "Running" if cancelled else status,
        "startTime": call["startTime"],
        "polls": call["polls"],
        "deadline": (datetime.fromisoformat(call["startTime"]) + timedelta(seconds=row["deadlineSeconds"])).isoformat(),
        "waitsFor": row["waitsFor"],
        "message": message,
        "error": cancelled or error,
        "lastProgressTime": now,
    }
    ended = {"endTime": now} if item["status"] != "Running" else {}
    get_store().progress.upsert(item | ended)
