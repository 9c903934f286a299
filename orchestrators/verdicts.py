"""What the engine makes of an outcome: the row is over, or it is asked again later. Pure, no SDK, no clock.

`Tries` is what a row knows of itself between two calls. It is a dictionary because it is the input of `wait_row_v1`.
"""

from datetime import datetime, timedelta
from typing import Any

Outcome = dict[str, Any]
Tries = dict[str, Any]

# How often a row is called again after its process has died; what dies once more has itself to blame.
RERUNS_AFTER_CRASHES = 3
POLL_SHARE = 0.2
_ENDINGS = ("done", "fenced", "stopped")


_CALLER = (
    "operationId",
    "attempt",
    "clusterKey",
    "clusterDocumentId",
    "correlationId",
    "clientRequestId",
    "traceparent",
)


def caller(start: dict[str, Any]) -> dict[str, Any]:
    """Return what every activity is told of the operation that calls it: no document, no secret, no plan."""
    return {member: start[member] for member in _CALLER}


def begin(start: dict[str, Any], row: dict[str, Any], now: datetime) -> Tries:
    """Return the state of a row that is about to be called for the first time."""
    return {
        "call": caller(start),
        "row": row,
        "policy": start["plan"]["retryPolicies"][row["retry"]],
        "verb": "status" if row["kind"] == "condition" else "run",
        "startTime": now.isoformat(),
        "deadline": (now + timedelta(seconds=row["deadlineSeconds"])).isoformat(),
        "delaySeconds": 0,
        "polls": 0,
        "crashes": 0,
        "since": {},
        "lastMessage": "",
        "error": None,
    }


def decide(tries: Tries, outcome: Outcome, now: datetime) -> tuple[Outcome | None, Tries]:
    """Weigh one outcome.

    Returns:
        The row's ending and the state, or None and the state with which to call again after `delaySeconds`.
    """
    tries = tries | {"polls": tries["polls"] + 1}
    if outcome["outcome"] == "fenced":
        return outcome, tries
    if tries["error"]:
        return _cancelling(tries, outcome, now)
    if outcome["outcome"] in _ENDINGS:
        return outcome, tries
    weigh = {"wait": _wait, "failed": _failed, "crashed": _crashed}[outcome["outcome"]]
    error, tries = weigh(tries, outcome, now)
    return _fail(tries, error, now) if error else (None, tries)


def _late(tries: Tries, delay: float, now: datetime) -> bool:
    return now + timedelta(seconds=delay) > datetime.fromisoformat(tries["deadline"])


def _pause(tries: Tries, now: datetime) -> float:
    """Return how long to wait before asking again: a share of the time waited so far, within the row's bounds.

    What ends soon is noticed soon, what takes long is asked rarely, and neither is noticed late by more than a share.
    """
    row = tries["row"]
    waited = (now - datetime.fromisoformat(tries["startTime"])).total_seconds()
    pause: float = min(max(waited * POLL_SHARE, row["firstPollSeconds"]), row["pollSeconds"])
    return pause


def _wait(tries: Tries, outcome: Outcome, now: datetime) -> tuple[dict[str, Any] | None, Tries]:
    row = tries["row"]
    if now >= datetime.fromisoformat(tries["deadline"]):
        return _deadline_error(tries, outcome), tries
    # What went wrong in asking is forgiven by an answer; what went wrong in the work itself is not.
    since = {name: time for name, time in tries["since"].items() if tries["policy"][name]["verb"] != "same"}
    return None, tries | {
        "verb": "run" if row["kind"] == "action" else "status",
        "delaySeconds": outcome.get("retryAfterSeconds") or _pause(tries, now),
        "lastMessage": outcome.get("message") or tries["lastMessage"],
        "since": since,
    }


def _failed(tries: Tries, outcome: Outcome, now: datetime) -> tuple[dict[str, Any] | None, Tries]:
    name = outcome.get("retryClass") or "none"
    again = tries["policy"].get(name)
    if again is None:
        return outcome["error"], tries
    delay = outcome.get("retryAfterSeconds") or again["everySeconds"]
    since = tries["since"].get(name) or now.isoformat()
    over = now + timedelta(seconds=delay) > datetime.fromisoformat(since) + timedelta(seconds=again["withinSeconds"])
    if over or _late(tries, delay, now):
        return outcome["error"], tries
    return None, tries | {
        "verb": "run" if again["verb"] == "run" and tries["row"]["kind"] != "condition" else tries["verb"],
        "delaySeconds": delay,
        "lastMessage": outcome["error"]["message"],
        "since": tries["since"] | {name: since},
    }


def _crashed(tries: Tries, outcome: Outcome, now: datetime) -> tuple[dict[str, Any] | None, Tries]:
    crashes = tries["crashes"] + 1
    delay = tries["row"]["pollSeconds"]
    if crashes > RERUNS_AFTER_CRASHES or _late(tries, delay, now):
        return _error(
            tries,
            f"Step '{tries['row']['name']}' ended {crashes} times without an answer: {outcome['message']}.",
        ), tries
    return None, tries | {"crashes": crashes, "delaySeconds": delay}


def _fail(tries: Tries, error: dict[str, Any], now: datetime) -> tuple[Outcome | None, Tries]:
    """End the row; what it may have begun in Azure is cancelled first, and awaited."""
    row = tries["row"]
    if row["kind"] != "begin-and-poll":
        return {"outcome": "failed", "error": error}, tries
    until = now + timedelta(seconds=row["cancelSeconds"])
    return None, tries | {"verb": "cancel", "error": error, "delaySeconds": 0, "deadline": until.isoformat()}


def _cancelling(tries: Tries, outcome: Outcome, now: datetime) -> tuple[Outcome | None, Tries]:
    """Go on cancelling until nothing runs any more, or for as long as cancelling may take."""
    delay = outcome.get("retryAfterSeconds") or tries["row"]["pollSeconds"]
    if outcome["outcome"] in _ENDINGS or _late(tries, delay, now):
        return {"outcome": "failed", "error": tries["error"]}, tries
    return None, tries | {"delaySeconds": delay}


def _deadline_error(tries: Tries, outcome: Outcome) -> dict[str, Any]:
    row = tries["row"]
    last = outcome.get("message") or tries["lastMessage"]
    return _error(
        tries,
        f"Step '{row['name']}' did not end within {round(row['deadlineSeconds'])} seconds. It waited for {row['waitsFor']}."
        + (f" Last seen: {last}" if last else ""),
        outcome.get("details", []),
    )


def _error(tries: Tries, message: str, found: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    row = tries["row"]
    details = [
        *(found or []),
        {"code": "Step", "message": row["name"], "target": row["phase"]},
        {"code": "Remedy", "message": row["message"]},
        {"code": "CorrelationId", "message": tries["call"]["correlationId"]},
        {"code": "Owner", "message": "platform"},
    ]
    return {"code": "DeploymentFailed", "message": message, "details": details}
