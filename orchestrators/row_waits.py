"""A row that has not ended: when it is called again, and with which verb. Pure: no SDK, no clock.

Each function returns None and the state with which to call again, or the error with which the row fails.
"""

from datetime import datetime

from orchestrators.row_endings import deadline_error, step_error
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
    time_of,
)
from shared.arm.errors import CloudErrorBody
from shared.remedies import REPEAT
from shared.steps import Crashed, Failed, RetryClass, RetryVerb, RowKind, Verb, Wait


def poll_again(tries: Tries, outcome: Wait, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    """Decide when a row that still waits is polled again; it fails if its deadline has passed."""
    row, deadline = tries["row"], time_of(tries["deadline"])
    if now >= deadline:
        return deadline_error(tries, outcome), tries
    # An answer ends the errors of single calls (`same`), but not those of the work itself (`run`).
    forgiven = [name for name, again in tries["policy"].items() if again["verb"] == RetryVerb.SAME and name not in AWAY]
    since = {name: time for name, time in tries["since"].items() if name not in forgiven}
    return None, tries | {
        "verb": Verb.RUN if row["kind"] == RowKind.ACTION else Verb.STATUS,
        "delaySeconds": limit_pause(outcome.get("retryAfterSeconds") or next_pause(tries, now), deadline, now),
        "lastMessage": outcome.get("message") or tries["lastMessage"],
        "since": since,
    }


def try_again(tries: Tries, outcome: Failed, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    """Decide when a failed call is tried again, if its class of errors has a policy that still allows it."""
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


def call_again(tries: Tries, outcome: Crashed, now: datetime) -> tuple[CloudErrorBody | None, Tries]:
    """Call a row again after the process that ran the call has died, until that has lasted too long."""
    if lasts_too_long(tries, DIED, now):
        return step_error(
            tries,
            f"Step '{tries['row']['name']}' has not answered for {DEATHS_SECONDS // 60} minutes, because the process "
            f"that ran it died each time: {outcome['message']}.",
            REPEAT,
        ), tries
    return None, tries | {"delaySeconds": tries["row"]["pollSeconds"]}
