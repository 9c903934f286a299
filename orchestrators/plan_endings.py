"""How the rows of a plan have ended, which rows can begin, and why an operation failed. Pure: no SDK, no clock."""

from dataclasses import dataclass, field
from typing import assert_never

from shared.arm.errors import CloudErrorBody, ErrorCode
from shared.steps import Ending, ResolvedRow, StartInput

Rows = dict[str, ResolvedRow]


@dataclass
class Endings:
    """How the rows of a plan have ended so far, and what that means for the others.

    Attributes:
        done: rows that are done.
        failures: rows that failed, with their errors, in chronological order.
        reports: the failed rows that were passed to `stop_operation`. With the first one the operation begins to stop.
        stopped: the row that found the operation stopping before any row failed here.
        fenced: whether another attempt has taken over.
    """

    done: list[str]
    failures: dict[str, CloudErrorBody] = field(default_factory=dict)
    reports: list[str] = field(default_factory=list)
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
        if self.fenced or self.stopped or self.reports or not self._all_together(rows):
            return []
        done = set(self.done)
        begun = done.union(self.failures, running)
        return [
            name
            for name, row in rows.items()
            if name not in begun and (row.get("together") or not self.failures) and done.issuperset(row["needs"])
        ]

    def due_reports(self, rows: Rows, running: list[str]) -> list[str]:
        """Return the failed rows to act on now: if only checks have failed, none before all checks have ended."""
        waits = self._all_together(rows) and any(rows[name].get("together") for name in running)
        return [] if waits and not self.reports else [name for name in self.failures if name not in self.reports]

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
        count = "One more step" if len(others) == 1 else f"{len(others)} more steps"
        # Each message has its own line, because messages may end with commands that people paste.
        message = "\n".join(
            [first["message"], f"{count} failed, see details:", *(error["message"] for error in others)]
        )
        return first | {"message": message, "details": [*first.get("details", []), *others]}

    def _all_together(self, rows: Rows) -> bool:
        return all(rows[name].get("together") for name in self.failures)
