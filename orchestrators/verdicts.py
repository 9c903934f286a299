"""The engine's decision about an outcome: the row ends, or it is called again later. Pure: no SDK, no clock.

`Tries` is the state of a row between two calls. It is a dictionary, because it is the input of `wait_row_v1`.

A row's deadline counts only time with answers. While a service is away, a worker is dead, or no host runs the
orchestration, the deadline moves along. An outage therefore delays a row but never uses up its time.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, TypedDict, assert_never

from shared.arm.errors import CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error, step_detail
from shared.remedies import REPEAT, TOO_SLOW
from shared.steps import (
    Caller,
    Crashed,
    Done,
    Ending,
    Failed,
    Heard,
    Policy,
    ResolvedRow,
    RetryClass,
    RetryVerb,
    RowKind,
    StartInput,
    Stopped,
    Verb,
    Wait,
    pause,
)

Rows = dict[str, ResolvedRow]
# Why a row is tried again: a class of errors, or the death of the process that ran its call.
Cause = RetryClass | Literal["died"]

# A row fails if its calls have died for this long without an answer. Real time, because no time scale makes a process
# start faster.
DEATHS_SECONDS = 300
# Silences: outcomes that reveal nothing about the work. `Tries.since` has them under these names.
_AWAY = (RetryClass.TRANSIENT, RetryClass.THROTTLED)
_DIED: Literal["died"] = "died"


class Tries(TypedDict):
    """The state of a row between two calls.

    Attributes:
        call: the members of the operation that every activity gets.
        row: the resolved row.
        policy: its retry policy.
        verb: what the next call has to do.
        startTime: when the row began.
        deadline: when the row fails, or, while it is being cancelled, when the cancelling ends.
        delaySeconds: the pause before the next call.
        polls: how many outcomes have been weighed.
        weighedAt: when the last outcome was weighed.
        silent: whether that outcome was a silence.
        waits: how many `wait_row_v1` the row has had, with the current one; 0 while an action makes its first call.
        since: for each cause of another try, when it began.
        lastMessage: what was observed last.
        error: why the row fails, while it is being cancelled; otherwise None.
    """

    call: Caller
    row: ResolvedRow
    policy: Policy
    verb: Verb
    startTime: str
    deadline: str
    delaySeconds: float
    polls: int
    weighedAt: str
    silent: bool
    waits: int
    since: dict[Cause, str]
    lastMessage: str
    error: CloudErrorBody | None


def caller(start: StartInput) -> Caller:
    """Return the members of the operation that every activity gets: no document, no secret, no plan."""
    return {
        "operationId": start["operationId"],
        "attempt": start["attempt"],
        "clusterKey": start["clusterKey"],
        "clusterDocumentId": start["clusterDocumentId"],
        "correlationId": start["correlationId"],
        "clientRequestId": start["clientRequestId"],
        "traceparent": start["traceparent"],
    }


@dataclass
class Endings:
    """How the rows of a plan have ended so far, and what that means for the others.

    Attributes:
        done: rows that are done.
        failures: rows that failed, with their errors, in chronological order.
        told: the failed rows that were passed to `stop_operation`. With the first one the operation begins to stop.
        stopped: the row that found the operation stopping before any row failed here.
        fenced: whether another attempt has taken over.
    """

    done: list[str]
    failures: dict[str, CloudErrorBody] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    stopped: str = ""
    fenced: bool = False

    def add(self, name: str, ending: Ending) -> None:
        """Record how a row has ended."""
        match ending["outcome"]:
            case "done":
                self.done.append(name)
            case "fenced":
                self.fenced = True
            case "failed":
                self.failures[name] = ending["error"]
            case "stopped":
                if not self.failures:
                    self.stopped = self.stopped or name
            case _:
                assert_never(ending)

    def ready(self, rows: Rows, running: list[str]) -> list[str]:
        """Return the rows that can begin now: after failed checks only further checks, after other failures none.

        They are in the plan's order. The sets serve only look-ups, because their own order differs between replays.
        """
        if self.fenced or self.stopped or self.told or not self._all_together(rows):
            return []
        done = set(self.done)
        begun = done.union(self.failures, running)
        return [
            name
            for name, row in rows.items()
            if name not in begun and (row.get("together") or not self.failures) and done.issuperset(row["needs"])
        ]

    def to_tell(self, rows: Rows, running: list[str]) -> list[str]:
        """Return the failed rows to act on now: if only checks have failed, none before all checks have ended."""
        waits = self._all_together(rows) and any(rows[name].get("together") for name in running)
        return [] if waits and not self.told else [name for name in self.failures if name not in self.told]

    def error(self, start: StartInput) -> CloudErrorBody | None:
        """Return why the operation failed: the first error, with all others in its details. None if it did not fail.

        Checks come first, in the order of the plan: which of them has ended first changes from run to run. The host
        compares neither the input of an activity nor a result with a recorded history, and the activity that gets this
        follows the end that is stored already, so an instance that began with another order replays.
        """
        if self.stopped:
            # `finish_operation` adds what a person needs: what this returns is in the recorded histories.
            details: list[CloudErrorBody] = [{"code": "CorrelationId", "message": start["correlationId"]}]
            message = f"Step '{self.stopped}' was stopped before it ended."
            return {"code": ErrorCode.CANCELED, "message": message, "details": details}
        if not self.failures:
            return None
        order = [row["name"] for row in start["plan"]["rows"] if row.get("together")]
        names = sorted(self.failures, key=lambda name: order.index(name) if name in order else len(order))
        first, *others = (self.failures[name] for name in names)
        if not others:
            return first
        said = "One more step" if len(others) == 1 else f"{len(others)} more steps"
        # Each message has its own line, because messages may end with commands that people paste.
        message = "\n".join([first["message"], f"{said} failed, see details:", *(error["message"] for error in others)])
        return first | {"message": message, "details": [*first.get("details", []), *others]}

    def _all_together(self, rows: Rows) -> bool:
        return all(rows[name].get("together") for name in self.failures)


def begin(start: StartInput, row: ResolvedRow, now: datetime) -> Tries:
    """Return the state of a row that is about to be called for the first time.

    Args:
        start: the orchestration's input.
        row: the row.
        now: the orchestration's time.
    """
    return {
        "call": caller(start),
        "row": row,
        "policy": start["plan"]["retryPolicies"][row["retry"]],
        "verb": Verb.STATUS if row["kind"] == RowKind.CONDITION else Verb.RUN,
        "startTime": now.isoformat(),
        "deadline": (now + timedelta(seconds=row["deadlineSeconds"])).isoformat(),
        "delaySeconds": 0,
        "polls": 0,
        "weighedAt": now.isoformat(),
        "silent": False,
        "waits": 0 if row["kind"] == RowKind.ACTION else 1,
        "since": {},
        "lastMessage": "",
        "error": None,
    }


def decide(tries: Tries, outcome: Heard, now: datetime) -> tuple[Ending | None, Tries]:
    """Decide what follows from one outcome.

    Args:
        tries: the state of the row.
        outcome: the outcome of its last call.
        now: the orchestration's time.

    Returns:
        The row's ending and the state, or None and the state with which to call again after `delaySeconds`.
    """
    tries = _count(tries, outcome, now)
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


def outlived(tries: Tries, now: datetime) -> Tries:
    """Forget earlier deaths if the wait that died now lived longer than `DEATHS_SECONDS`: it must have had answers."""
    if now - _time(tries["weighedAt"]) <= timedelta(seconds=DEATHS_SECONDS):
        return tries
    return tries | {"since": {name: since for name, since in tries["since"].items() if name != _DIED}}


def _count(tries: Tries, outcome: Heard, now: datetime) -> Tries:
    """Record an outcome, and extend the row's deadline by the time without answers."""
    silence = _silence(outcome)
    lost = _lost(tries, silence, now)
    since = {name: time if name in (*_AWAY, _DIED) else _later(time, lost) for name, time in tries["since"].items()}
    if silence != _DIED:
        since.pop(_DIED, None)
    if not silence:
        since = {name: time for name, time in since.items() if name not in _AWAY}
    else:
        since.setdefault(silence, now.isoformat())
    return tries | {
        "polls": tries["polls"] + 1,
        "weighedAt": now.isoformat(),
        "silent": bool(silence),
        "deadline": _later(tries["deadline"], lost),
        "since": since,
    }


def _silence(outcome: Heard) -> Cause | None:
    """Return the name of the silence that an outcome is, or None if it is an answer."""
    match outcome["outcome"]:
        case "crashed":
            return _DIED
        case "failed":
            name = outcome.get("retryClass")
            return name if name in _AWAY else None
        case "wait":
            return RetryClass.TRANSIENT if outcome.get("unanswered") else None
    return None


def _lost(tries: Tries, silence: Cause | None, now: datetime) -> timedelta:
    """Return the time since the last outcome that does not count against the deadline.

    No time counts from the first call without an answer to the next answer, until the silence has lasted too long.
    Between two answers, only the time that the second one took beyond the row's longest pause does not count.
    """
    weighed = _time(tries["weighedAt"])
    asked = weighed + timedelta(seconds=tries["delaySeconds"])
    if silence and _too_long(tries, silence, now):
        return timedelta()
    if silence or tries["silent"]:
        lost = now - (weighed if tries["silent"] else asked)
    else:
        lost = now - asked - timedelta(seconds=tries["row"]["pollSeconds"])
    # It is negative if a host whose clock is behind takes over, or if a wait dies before its pause is over.
    return max(timedelta(), lost)


def _too_long(tries: Tries, silence: Cause, now: datetime) -> bool:
    """Tell whether a silence has lasted longer than the row tolerates."""
    return silence in tries["since"] and now > _given_up(tries, silence)


def _given_up(tries: Tries, name: Cause) -> datetime:
    """Return the time at which a row gives up on a class of errors, or on a silence, that lasts until then."""
    return _time(tries["since"][name]) + timedelta(seconds=_patience(tries, name))


def _patience(tries: Tries, cause: Cause) -> float:
    if cause == _DIED:
        return DEATHS_SECONDS
    again = tries["policy"].get(cause)
    return again["withinSeconds"] if again else 0


def _later(time: str, by: timedelta) -> str:
    return (_time(time) + by).isoformat()


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _asked_in(seconds: float, end: datetime, now: datetime) -> float:
    """Return the pause that was asked for, shortened so that one more try begins by the end; 0 if the end has passed.

    Azure may ask for any pause, even for hours.
    """
    return max(0, min(seconds, (end - now).total_seconds()))


def _pause(tries: Tries, now: datetime) -> float:
    return pause(tries["row"], (now - _time(tries["startTime"])).total_seconds())


def _wait(tries: Tries, outcome: Wait, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    row, deadline = tries["row"], _time(tries["deadline"])
    if now >= deadline:
        return _deadline_error(tries, outcome), tries
    # An answer ends the errors of single calls (`same`), but not those of the work itself (`run`).
    forgiven = [
        name for name, again in tries["policy"].items() if again["verb"] == RetryVerb.SAME and name not in _AWAY
    ]
    since = {name: time for name, time in tries["since"].items() if name not in forgiven}
    return None, tries | {
        "verb": Verb.RUN if row["kind"] == RowKind.ACTION else Verb.STATUS,
        "delaySeconds": _asked_in(outcome.get("retryAfterSeconds") or _pause(tries, now), deadline, now),
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
    end = _given_up(tries, name) if name in _AWAY else min(_given_up(tries, name), _time(tries["deadline"]))
    delay = _asked_in(outcome.get("retryAfterSeconds") or again["everySeconds"], end, now)
    if not delay:
        return outcome["error"], tries
    return None, tries | {
        "verb": Verb.RUN
        if again["verb"] == RetryVerb.RUN and tries["row"]["kind"] != RowKind.CONDITION
        else tries["verb"],
        "delaySeconds": delay,
        "lastMessage": outcome["error"]["message"],
    }


def _crashed(tries: Tries, outcome: Crashed, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    if _too_long(tries, _DIED, now):
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
    silence = _silence(outcome)
    end = _given_up(tries, silence) if silence else _time(tries["deadline"])
    asked = outcome.get("retryAfterSeconds") if outcome["outcome"] in ("wait", "failed") else None
    delay = _asked_in(asked or tries["row"]["pollSeconds"], end, now)
    if outcome["outcome"] in ("done", "stopped") or not delay:
        return {"outcome": "failed", "error": error}, tries
    return None, tries | {"delaySeconds": delay}


def _deadline_error(tries: Tries, outcome: Wait) -> CloudErrorBody:
    row = tries["row"]
    last, owner = outcome.get("message") or tries["lastMessage"], row.get("owner", Owner.PLATFORM)
    return _error(
        tries,
        f"Step '{row['name']}' did not end within {round(row['deadlineSeconds'])} seconds{_not_counted(tries)}. "
        f"It waited for {row['waitsFor']}." + (f" Last seen: {last}" if last else ""),
        # If a row waits for Azure, its advice is for refusals, and Azure has refused nothing.
        TOO_SLOW if owner == Owner.AZURE else row["message"],
        owner,
        outcome.get("details", []),
    )


def _not_counted(tries: Tries) -> str:
    row = tries["row"]
    allowed = timedelta(seconds=row["deadlineSeconds"] + row["pollSeconds"])
    more = _time(tries["deadline"]) - _time(tries["startTime"]) - allowed
    return f", not counting {round(more.total_seconds())} seconds without an answer" if more > timedelta() else ""


def _error(
    tries: Tries, message: str, remedy: str, owner: Owner = Owner.PLATFORM, found: list[CloudErrorBody] | None = None
) -> CloudErrorBody:
    row = tries["row"]
    details = [*(found or []), step_detail(row["name"], row["phase"])]
    correlation_id = tries["call"]["correlationId"]
    return operation_error(ErrorCode.DEPLOYMENT_FAILED, message, details, remedy, correlation_id, owner)
