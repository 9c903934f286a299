"""What the engine makes of an outcome: the row is over, or it is asked again later. Pure, no SDK, no clock.

`Tries` is what a row knows of itself between two calls. It is a dictionary because it is the input of `wait_row_v1`.

A row's deadline counts only the time in which it gets answers. While a service is away, a worker dies, or nobody runs
the orchestration, the deadline moves along, so an outage delays a row and never uses up its time.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from orchestrators.plans.remedies import REPEAT, TOO_SLOW

Outcome = dict[str, Any]
Tries = dict[str, Any]
Rows = dict[str, dict[str, Any]]

# A row fails when its calls have died for this long without an answer. Real time, because no time scale makes a process
# start faster.
DEATHS_SECONDS = 300
POLL_SHARE = 0.2
_ENDINGS = ("done", "fenced", "stopped")
# Silence: outcomes that tell nothing of the work, by the name under which a row remembers since when.
_AWAY = ("transient", "throttled")
_DIED = "died"

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
        "weighedAt": now.isoformat(),
        "silent": False,
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
    tries = _count(tries, outcome, now)
    if outcome["outcome"] == "fenced":
        return outcome, tries
    if tries["error"]:
        return _cancelling(tries, outcome, now)
    if outcome["outcome"] in _ENDINGS:
        return outcome, tries
    weigh = {"wait": _wait, "failed": _failed, "crashed": _crashed}[outcome["outcome"]]
    error, tries = weigh(tries, outcome, now)
    return _fail(tries, error, now) if error else (None, tries)


def outlived(tries: Tries, now: datetime) -> Tries:
    """Forget earlier deaths of a wait that has now lived longer than it could have without an answer."""
    if now - _time(tries["weighedAt"]) <= timedelta(seconds=DEATHS_SECONDS):
        return tries
    return tries | {"since": {name: since for name, since in tries["since"].items() if name != _DIED}}


def _count(tries: Tries, outcome: Outcome, now: datetime) -> Tries:
    """Note an outcome, and give the row back the time in which nothing answered."""
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


def _silence(outcome: Outcome) -> str:
    """Return the name of the silence that an outcome is, or nothing when it answers."""
    match outcome:
        case {"outcome": "crashed"}:
            return _DIED
        case {"outcome": "failed", "retryClass": name} if name in _AWAY:
            return str(name)
        case {"outcome": "wait", "unanswered": True}:
            return "transient"
    return ""


def _lost(tries: Tries, silence: str, now: datetime) -> timedelta:
    """Return the time since the last outcome that does not count against the deadline.

    All of it during a silence, until that has lasted too long; else what an answer took beyond the longest pause.
    """
    weighed = _time(tries["weighedAt"])
    asked = weighed + timedelta(seconds=tries["delaySeconds"])
    if silence and _too_long(tries, silence, now):
        return timedelta()
    if silence or tries["silent"]:
        lost = now - (weighed if tries["silent"] else asked)
    else:
        lost = now - asked - timedelta(seconds=tries["row"]["pollSeconds"])
    # Hosts whose clocks differ take over from one another, and a wait may die before its pause is over.
    return max(timedelta(), lost)


def _too_long(tries: Tries, silence: str, now: datetime) -> bool:
    """Tell whether a silence has lasted longer than a row puts up with."""
    return silence in tries["since"] and now > _given_up(tries, silence)


def _given_up(tries: Tries, name: str) -> datetime:
    """Return when a row gives up a class of errors, or a silence, if it lasts until then."""
    return _time(tries["since"][name]) + timedelta(seconds=_patience(tries, name))


def _patience(tries: Tries, silence: str) -> float:
    seconds: float = DEATHS_SECONDS if silence == _DIED else tries["policy"].get(silence, {}).get("withinSeconds", 0)
    return seconds


def _later(time: str, by: timedelta) -> str:
    return (_time(time) + by).isoformat()


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _asked_in(seconds: float, end: datetime, now: datetime) -> float:
    """Return how long to wait so that there is one more try before the end, however late; 0 when that is over.

    Azure may ask for any pause, and for hours.
    """
    return max(0, min(seconds, (end - now).total_seconds()))


def _pause(tries: Tries, now: datetime) -> float:
    """Return how long to wait before asking again: a share of the time waited so far, within the row's bounds.

    What ends soon is noticed soon, what takes long is asked rarely, and neither is noticed late by more than a share.
    """
    row = tries["row"]
    waited = (now - _time(tries["startTime"])).total_seconds()
    pause: float = min(max(waited * POLL_SHARE, row["firstPollSeconds"]), row["pollSeconds"])
    return pause


def _wait(tries: Tries, outcome: Outcome, now: datetime) -> tuple[dict[str, Any] | None, Tries]:
    row, deadline = tries["row"], _time(tries["deadline"])
    if now >= deadline:
        return _deadline_error(tries, outcome), tries
    # What went wrong in asking is forgiven by an answer; what went wrong in the work itself is not.
    forgiven = [name for name, again in tries["policy"].items() if again["verb"] == "same" and name not in _AWAY]
    since = {name: time for name, time in tries["since"].items() if name not in forgiven}
    return None, tries | {
        "verb": "run" if row["kind"] == "action" else "status",
        "delaySeconds": _asked_in(outcome.get("retryAfterSeconds") or _pause(tries, now), deadline, now),
        "lastMessage": outcome.get("message") or tries["lastMessage"],
        "since": since,
    }


def _failed(tries: Tries, outcome: Outcome, now: datetime) -> tuple[dict[str, Any] | None, Tries]:
    name = outcome.get("retryClass") or "none"
    again = tries["policy"].get(name)
    if again is None:
        return outcome["error"], tries
    tries = tries | {"since": {name: now.isoformat()} | tries["since"]}
    end = _given_up(tries, name) if name in _AWAY else min(_given_up(tries, name), _time(tries["deadline"]))
    delay = _asked_in(outcome.get("retryAfterSeconds") or again["everySeconds"], end, now)
    if not delay:
        return outcome["error"], tries
    return None, tries | {
        "verb": "run" if again["verb"] == "run" and tries["row"]["kind"] != "condition" else tries["verb"],
        "delaySeconds": delay,
        "lastMessage": outcome["error"]["message"],
    }


def _crashed(tries: Tries, outcome: Outcome, now: datetime) -> tuple[dict[str, Any] | None, Tries]:
    if _too_long(tries, _DIED, now):
        return _error(
            tries,
            f"Step '{tries['row']['name']}' has not answered for {DEATHS_SECONDS // 60} minutes, because the process "
            f"that ran it died each time: {outcome['message']}.",
            REPEAT,
        ), tries
    return None, tries | {"delaySeconds": tries["row"]["pollSeconds"]}


def _fail(tries: Tries, error: dict[str, Any], now: datetime) -> tuple[Outcome | None, Tries]:
    """End the row; what it may have begun in Azure is cancelled first, and awaited."""
    row = tries["row"]
    if row["kind"] != "begin-and-poll":
        return {"outcome": "failed", "error": error}, tries
    until = now + timedelta(seconds=row["cancelSeconds"])
    begun = {"verb": "cancel", "error": error, "delaySeconds": 0, "deadline": until.isoformat(), "since": {}}
    return None, tries | begun


def _cancelling(tries: Tries, outcome: Outcome, now: datetime) -> tuple[Outcome | None, Tries]:
    """Go on cancelling until nothing runs any more, or for as long as cancelling may take."""
    silence = _silence(outcome)
    end = _given_up(tries, silence) if silence else _time(tries["deadline"])
    delay = _asked_in(outcome.get("retryAfterSeconds") or tries["row"]["pollSeconds"], end, now)
    if outcome["outcome"] in _ENDINGS or not delay:
        return {"outcome": "failed", "error": tries["error"]}, tries
    return None, tries | {"delaySeconds": delay}


def _deadline_error(tries: Tries, outcome: Outcome) -> dict[str, Any]:
    row = tries["row"]
    last, owner = outcome.get("message") or tries["lastMessage"], row.get("owner", "platform")
    return _error(
        tries,
        f"Step '{row['name']}' did not end within {round(row['deadlineSeconds'])} seconds{_not_counted(tries)}. "
        f"It waited for {row['waitsFor']}." + (f" Last seen: {last}" if last else ""),
        # What a row of Azure's advises is against a refusal, and there was none.
        TOO_SLOW if owner == "azure" else row["message"],
        owner,
        outcome.get("details", []),
    )


def _not_counted(tries: Tries) -> str:
    row = tries["row"]
    allowed = timedelta(seconds=row["deadlineSeconds"] + row["pollSeconds"])
    more = _time(tries["deadline"]) - _time(tries["startTime"]) - allowed
    return f", not counting {round(more.total_seconds())} in which nothing answered" if more > timedelta() else ""


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
