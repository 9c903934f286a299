"""What the engine makes of an outcome: the row is over, or it is asked again later. Pure, no SDK, no clock.

`Tries` is what a row knows of itself between two calls. It is a dictionary because it is the input of `wait_row_v1`.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from orchestrators.plans.rows import REPEAT, TOO_SLOW

Outcome = dict[str, Any]
Tries = dict[str, Any]
Rows = dict[str, dict[str, Any]]

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


@dataclass
class Endings:
    """How the rows of a plan have ended so far, and what follows for the others.

    Attributes:
        done: rows that are done.
        failures: rows that failed, with their errors, in the order of time.
        told: those of them that are marked as failed; with the first one the operation is stopping.
        stopped: the row that found the operation stopping before any failed here.
        fenced: whether another attempt has taken over.
    """

    done: list[str]
    failures: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    stopped: str = ""
    fenced: bool = False

    def add(self, name: str, ending: Outcome) -> None:
        """Note how a row has ended."""
        match ending["outcome"]:
            case "done":
                self.done.append(name)
            case "fenced":
                self.fenced = True
            case "failed":
                self.failures[name] = ending["error"]
            case _ if not self.failures:
                self.stopped = self.stopped or name

    def ready(self, rows: Rows, running: list[str]) -> list[str]:
        """Return the rows that begin now: after a failure none, but for others that fail together with it."""
        if self.fenced or self.stopped or self.told or not self._all_together(rows):
            return []
        return [
            name
            for name, row in rows.items()
            if name not in self.done
            and name not in self.failures
            and name not in running
            and (row.get("together") or not self.failures)
            and all(need in self.done for need in row["needs"])
        ]

    def to_tell(self, rows: Rows, running: list[str]) -> list[str]:
        """Return the failures to act on now: at once, but for those that others which still run may join."""
        waits = self._all_together(rows) and any(rows[name].get("together") for name in running)
        return [] if waits and not self.told else [name for name in self.failures if name not in self.told]

    def error(self, start: dict[str, Any]) -> dict[str, Any] | None:
        """Return why the operation failed: the first error, with the others whole in its details; None if it did not."""
        if self.stopped:
            details = [{"code": "CorrelationId", "message": start["correlationId"]}]
            message = f"Step '{self.stopped}' was stopped before it ended."
            return {"code": "OperationCanceled", "message": message, "details": details}
        if not self.failures:
            return None
        first, *others = self.failures.values()
        if not others:
            return first
        said = "One more step" if len(others) == 1 else f"{len(others)} more steps"
        # A line for each: messages end with commands that people paste.
        message = "\n".join([first["message"], f"{said} failed, see details:", *(error["message"] for error in others)])
        return first | {"message": message, "details": [*first.get("details", []), *others]}

    def _all_together(self, rows: Rows) -> bool:
        return all(rows[name].get("together") for name in self.failures)


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
        "waits": 0 if row["kind"] == "action" else 1,
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
            REPEAT,
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
    last, owner = outcome.get("message") or tries["lastMessage"], row.get("owner", "platform")
    return _error(
        tries,
        f"Step '{row['name']}' did not end within {round(row['deadlineSeconds'])} seconds. It waited for {row['waitsFor']}."
        + (f" Last seen: {last}" if last else ""),
        # What a row of Azure's advises is against a refusal, and there was none.
        TOO_SLOW if owner == "azure" else row["message"],
        owner,
        outcome.get("details", []),
    )


def _error(
    tries: Tries, message: str, remedy: str, owner: str = "platform", found: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    row = tries["row"]
    details = [
        *(found or []),
        {"code": "Step", "message": row["name"], "target": row["phase"]},
        {"code": "Remedy", "message": remedy},
        {"code": "CorrelationId", "message": tries["call"]["correlationId"]},
        {"code": "Owner", "message": owner},
    ]
    return {"code": "DeploymentFailed", "message": message, "details": details}
