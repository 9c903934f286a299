"""The tries of a row: the state between two calls, and how long a row waits. Pure: no SDK, no clock.

`Tries` is a dictionary, because it is the input of `wait_row_v1`.

A row's deadline counts only time with answers. While a service is away, a worker is dead, or no host runs the
orchestration, the deadline moves along. An outage therefore delays a row but never uses up its time.
"""

from datetime import datetime, timedelta
from typing import Literal, NotRequired, TypedDict

from shared.arm.errors import CloudErrorBody
from shared.steps import Caller, Heard, Policy, ResolvedRow, RetryClass, RowKind, StartInput, Verb, caller, pause

# Why a row is tried again: a class of errors, or the death of the process that ran its call.
Cause = RetryClass | Literal["died"]

# A row fails if its calls have died for this long without an answer. Real time, because no time scale makes a process
# start faster.
DEATHS_SECONDS = 300
# Silences: outcomes that reveal nothing about the work. `Tries.since` has them under these names.
AWAY = (RetryClass.TRANSIENT, RetryClass.THROTTLED)
DIED: Literal["died"] = "died"


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
        failure: why the work itself failed last, if it has begun again since.
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
    failure: NotRequired[CloudErrorBody]


def begin_tries(start: StartInput, row: ResolvedRow, now: datetime) -> Tries:
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


def forget_deaths(tries: Tries, now: datetime) -> Tries:
    """Forget earlier deaths if the wait that died now lived longer than `DEATHS_SECONDS`: it must have had answers."""
    if now - time_of(tries["weighedAt"]) <= timedelta(seconds=DEATHS_SECONDS):
        return tries
    return tries | {"since": {name: since for name, since in tries["since"].items() if name != DIED}}


def record(tries: Tries, outcome: Heard, now: datetime) -> Tries:
    """Record an outcome in the tries of a row, and extend its deadline by the time without answers."""
    silence = silence_of(outcome)
    lost = _lost(tries, silence, now)
    since = {name: time if name in (*AWAY, DIED) else _later(time, lost) for name, time in tries["since"].items()}
    if silence != DIED:
        since.pop(DIED, None)
    if not silence:
        since = {name: time for name, time in since.items() if name not in AWAY}
    else:
        since.setdefault(silence, now.isoformat())
    return tries | {
        "polls": tries["polls"] + 1,
        "weighedAt": now.isoformat(),
        "silent": bool(silence),
        "deadline": _later(tries["deadline"], lost),
        "since": since,
    }


def silence_of(outcome: Heard) -> Cause | None:
    """Return the name of the silence that an outcome is, or None if it is an answer."""
    match outcome["outcome"]:
        case "crashed":
            return DIED
        case "failed":
            name = outcome.get("retryClass")
            return name if name in AWAY else None
        case "wait":
            return RetryClass.TRANSIENT if outcome.get("unanswered") else None
    return None


def _lost(tries: Tries, silence: Cause | None, now: datetime) -> timedelta:
    """Return the time since the last outcome that does not count against the deadline.

    No time counts from the first call without an answer to the next answer, until the silence has lasted too long.
    Between two answers, only the time that the second one took beyond the row's longest pause does not count.
    """
    weighed = time_of(tries["weighedAt"])
    asked = weighed + timedelta(seconds=tries["delaySeconds"])
    if silence and lasts_too_long(tries, silence, now):
        return timedelta()
    if silence or tries["silent"]:
        lost = now - (weighed if tries["silent"] else asked)
    else:
        lost = now - asked - timedelta(seconds=tries["row"]["pollSeconds"])
    # It is negative if a host whose clock is behind takes over, or if a wait dies before its pause is over.
    return max(timedelta(), lost)


def lasts_too_long(tries: Tries, silence: Cause, now: datetime) -> bool:
    """Tell whether a silence has lasted longer than the row tolerates."""
    return silence in tries["since"] and now > patience_end(tries, silence)


def patience_end(tries: Tries, name: Cause) -> datetime:
    """Return the time at which a row gives up on a class of errors, or on a silence, that lasts until then."""
    return time_of(tries["since"][name]) + timedelta(seconds=_patience(tries, name))


def _patience(tries: Tries, cause: Cause) -> float:
    if cause == DIED:
        return DEATHS_SECONDS
    again = tries["policy"].get(cause)
    return again["withinSeconds"] if again else 0


def _later(time: str, by: timedelta) -> str:
    return (time_of(time) + by).isoformat()


def time_of(text: str) -> datetime:
    """Return a time in the state of a row."""
    return datetime.fromisoformat(text)


def limit_pause(seconds: float, end: datetime, now: datetime) -> float:
    """Return the pause that was asked for, shortened so that one more try begins by the end; 0 if the end has passed.

    Azure may ask for any pause, even for hours.
    """
    return max(0, min(seconds, (end - now).total_seconds()))


def next_pause(tries: Tries, now: datetime) -> float:
    """Return the seconds until a row is polled again, if nobody asks for another pause."""
    return pause(tries["row"], (now - time_of(tries["startTime"])).total_seconds())
