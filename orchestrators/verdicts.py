"""The engine's decision about an outcome: the row ends, or it is called again later. Pure: no SDK, no clock."""

from datetime import datetime, timedelta
from typing import assert_never

from orchestrators.tries import (
    AWAY,
    DEATHS_SECONDS,
    DIED,
    Cause,
    Tries,
    lasts_too_long,
    limit_pause,
    next_pause,
    patience_end,
    record,
    silence_of,
    time_of,
)
from shared.arm.errors import CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error, step_detail
from shared.remedies import REPEAT, TOO_SLOW
from shared.steps import Crashed, Done, Ending, Failed, Heard, RetryClass, RetryVerb, RowKind, Stopped, Verb, Wait


def decide(tries: Tries, outcome: Heard, now: datetime) -> tuple[Ending | None, Tries]:
    """Decide what follows from one outcome.

    Args:
        tries: the state of the row.
        outcome: the outcome of its last call.
        now: the orchestration's time.

    Returns:
        The row's ending and the state, or None and the state with which to call again after `delaySeconds`.
    """
    tries = record(tries, outcome, now)
    if outcome["outcome"] == "fenced":
        return outcome, tries
    if tries["error"]:
        return _cancelling(tries, tries["error"], outcome, now)
    match outcome["outcome"]:
        case "done" | "stopped":
            return outcome, tries
        case "wait":
            error, tries = _wait(tries, outcome, now)
        case "failed":
            error, tries = _failed(tries, outcome, now)
        case "crashed":
            error, tries = _crashed(tries, outcome, now)
        case _:
            assert_never(outcome)
    return _fail(tries, error, now) if error else (None, tries)


def _wait(tries: Tries, outcome: Wait, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    row, deadline = tries["row"], time_of(tries["deadline"])
    if now >= deadline:
        return _deadline_error(tries, outcome), tries
    # An answer ends the errors of single calls (`same`), but not those of the work itself (`run`).
    forgiven = [name for name, again in tries["policy"].items() if again["verb"] == RetryVerb.SAME and name not in AWAY]
    since = {name: time for name, time in tries["since"].items() if name not in forgiven}
    return None, tries | {
        "verb": Verb.RUN if row["kind"] == RowKind.ACTION else Verb.STATUS,
        "delaySeconds": limit_pause(outcome.get("retryAfterSeconds") or next_pause(tries, now), deadline, now),
        "lastMessage": outcome.get("message") or tries["lastMessage"],
        "since": since,
    }


def _failed(tries: Tries, outcome: Failed, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    name = outcome.get("retryClass") or RetryClass.NONE
    again = tries["policy"].get(name)
    if again is None:
        return outcome["error"], tries
    since: dict[Cause, str] = {name: now.isoformat(), **tries["since"]}
    tries = tries | {"since": since}
    end = patience_end(tries, name) if name in AWAY else min(patience_end(tries, name), time_of(tries["deadline"]))
    delay = limit_pause(outcome.get("retryAfterSeconds") or again["everySeconds"], end, now)
    if not delay:
        return outcome["error"], tries
    begins_again = again["verb"] == RetryVerb.RUN and tries["row"]["kind"] != RowKind.CONDITION
    if begins_again:
        tries |= {"failure": outcome["error"]}
    return None, tries | {
        "verb": Verb.RUN if begins_again else tries["verb"],
        "delaySeconds": delay,
        "lastMessage": outcome["error"]["message"],
    }


def _crashed(tries: Tries, outcome: Crashed, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    if lasts_too_long(tries, DIED, now):
        return _error(
            tries,
            f"Step '{tries['row']['name']}' has not answered for {DEATHS_SECONDS // 60} minutes, because the process "
            f"that ran it died each time: {outcome['message']}.",
            REPEAT,
        ), tries
    return None, tries | {"delaySeconds": tries["row"]["pollSeconds"]}


def _fail(tries: Tries, error: CloudErrorBody, now: datetime) -> tuple[Ending | None, Tries]:
    """End the row; first cancel what it may have begun in Azure, and wait until that has ended."""
    row = tries["row"]
    if row["kind"] != RowKind.BEGIN_AND_POLL:
        return {"outcome": "failed", "error": error}, tries
    until = now + timedelta(seconds=row["cancelSeconds"])
    return None, tries | {
        "verb": Verb.CANCEL,
        "error": error,
        "delaySeconds": 0,
        "deadline": until.isoformat(),
        "since": {},
    }


def _cancelling(
    tries: Tries, error: CloudErrorBody, outcome: Done | Wait | Failed | Stopped | Crashed, now: datetime
) -> tuple[Ending | None, Tries]:
    """Continue to cancel until nothing runs any more, or the time for cancelling is over."""
    silence = silence_of(outcome)
    end = patience_end(tries, silence) if silence else time_of(tries["deadline"])
    asked = outcome.get("retryAfterSeconds") if outcome["outcome"] in ("wait", "failed") else None
    delay = limit_pause(asked or tries["row"]["pollSeconds"], end, now)
    if outcome["outcome"] in ("done", "stopped") or not delay:
        return {"outcome": "failed", "error": error}, tries
    return None, tries | {"delaySeconds": delay}


def _deadline_error(tries: Tries, outcome: Wait) -> CloudErrorBody:
    row = tries["row"]
    last, owner = outcome.get("message") or tries["lastMessage"], row.get("owner", Owner.PLATFORM)
    late = (
        f"Step '{row['name']}' did not end within {round(row['deadlineSeconds'])} seconds{_not_counted(tries)}. "
        f"It waited for {row['waitsFor']}." + (f" Last seen: {last}" if last else "")
    )
    if failure := tries.get("failure"):
        # Its cause, remedy and owner are what helps: the try that had no time left would most likely fail as it did.
        return failure | {"message": f"{late.rstrip('.')}. The try before had failed: {failure['message']}"}
    return _error(
        tries,
        late,
        # If a row waits for Azure, its advice is for refusals, and Azure has refused nothing.
        TOO_SLOW if owner == Owner.AZURE else row["message"],
        owner,
        outcome.get("details", []),
    )


def _not_counted(tries: Tries) -> str:
    row = tries["row"]
    allowed = timedelta(seconds=row["deadlineSeconds"] + row["pollSeconds"])
    more = time_of(tries["deadline"]) - time_of(tries["startTime"]) - allowed
    return f", not counting {round(more.total_seconds())} seconds without an answer" if more > timedelta() else ""


def _error(
    tries: Tries, message: str, remedy: str, owner: Owner = Owner.PLATFORM, causes: list[CloudErrorBody] | None = None
) -> CloudErrorBody:
    row = tries["row"]
    details = [*(causes or []), step_detail(row["name"], row["phase"])]
    correlation_id = tries["call"]["correlationId"]
    return operation_error(ErrorCode.DEPLOYMENT_FAILED, message, details, remedy, correlation_id, owner)
