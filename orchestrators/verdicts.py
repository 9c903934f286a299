"""The engine's decision about an outcome: the row ends, or it is called again later. Pure: no SDK, no clock."""

from datetime import datetime
from typing import assert_never

from orchestrators.row_endings import continue_cancel, fail
from orchestrators.row_waits import call_again, poll_again, try_again
from orchestrators.tries import Tries, record
from shared.steps import Ending, Heard


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
        return continue_cancel(tries, tries["error"], outcome, now)
    match outcome["outcome"]:
        case "done" | "stopped":
            return outcome, tries
        case "wait":
            error, tries = poll_again(tries, outcome, now)
        case "failed":
            error, tries = try_again(tries, outcome, now)
        case "crashed":
            error, tries = call_again(tries, outcome, now)
        case _:
            assert_never(outcome)
    return fail(tries, error, now) if error else (None, tries)
