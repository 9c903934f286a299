"""A row that fails: what it may have begun in Azure is cancelled first, and its error. Pure: no SDK, no clock."""

from datetime import datetime, timedelta

from orchestrators.tries import Tries, limit_pause, patience_end, silence_of, time_of
from shared.arm.errors import CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error, step_detail
from shared.remedies import TOO_SLOW
from shared.steps import Crashed, Done, Ending, Failed, RowKind, Stopped, Verb, Wait


def fail(tries: Tries, error: CloudErrorBody, now: datetime) -> tuple[Ending | None, Tries]:
    """End a row that failed; first cancel what it may have begun in Azure, and wait until that has ended."""
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


def continue_cancel(
    tries: Tries, error: CloudErrorBody, outcome: Done | Wait | Failed | Stopped | Crashed, now: datetime
) -> tuple[Ending | None, Tries]:
    """Continue to cancel what a failed row has begun, until nothing runs any more or its time is over."""
    silence = silence_of(outcome)
    end = patience_end(tries, silence) if silence else time_of(tries["deadline"])
    asked = outcome.get("retryAfterSeconds") if outcome["outcome"] in ("wait", "failed") else None
    delay = limit_pause(asked or tries["row"]["pollSeconds"], end, now)
    if outcome["outcome"] in ("done", "stopped") or not delay:
        return {"outcome": "failed", "error": error}, tries
    return None, tries | {"delaySeconds": delay}


def deadline_error(tries: Tries, outcome: Wait) -> CloudErrorBody:
    """Return the error of a row whose deadline has passed, with what it waited for and what was seen last."""
    row = tries["row"]
    last, owner = outcome.get("message") or tries["lastMessage"], row.get("owner", Owner.PLATFORM)
    late = (
        f"Step '{row['name']}' did not end within {round(row['deadlineSeconds'])} seconds{_not_counted(tries)}. "
        f"It waited for {row['waitsFor']}." + (f" Last seen: {last}" if last else "")
    )
    if failure := tries.get("failure"):
        # Its cause, remedy and owner are what helps: the try that had no time left would most likely fail as it did.
        return failure | {"message": f"{late.rstrip('.')}. The try before had failed: {failure['message']}"}
    return step_error(
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


def step_error(
    tries: Tries, message: str, remedy: str, owner: Owner = Owner.PLATFORM, causes: list[CloudErrorBody] | None = None
) -> CloudErrorBody:
    """Return an error that names the row and the operation."""
    row = tries["row"]
    details = [*(causes or []), step_detail(row["name"], row["phase"])]
    correlation_id = tries["call"]["correlationId"]
    return operation_error(ErrorCode.DEPLOYMENT_FAILED, message, details, remedy, correlation_id, owner)
