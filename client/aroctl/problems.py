"""What goes wrong, as people and scripts see it: one exception, with its cause, its remedy and an exit code."""

from collections.abc import Sequence
from enum import IntEnum


class Exit(IntEnum):
    """The exit codes."""

    DONE = 0
    FAILED = 1
    WRONG = 2
    NOT_FOUND = 3
    REFUSED = 4
    SIGNED_OUT = 5
    AWAY = 6
    INTERRUPTED = 130


EXIT_CODES = (
    f"Exit codes: {Exit.DONE} done; {Exit.FAILED} the operation failed or was canceled; {Exit.WRONG} the command is "
    f"wrong; {Exit.NOT_FOUND} not found; {Exit.REFUSED} refused; {Exit.SIGNED_OUT} not signed in; {Exit.AWAY} the "
    f"service does not answer; {Exit.INTERRUPTED} Ctrl-C, and what had begun goes on."
)


class Problem(Exception):  # noqa: N818 - an interrupted wait is one, and no error
    """A reason to end.

    Args:
        exit_code: what the shell gets.
        cause: what is wrong, with the value.
        remedy: what to do, or "".
        details: more about the cause, a line each.
    """

    def __init__(self, exit_code: Exit, cause: str, remedy: str = "", details: Sequence[str] = ()) -> None:
        super().__init__(exit_code, cause, remedy, details)
        self.exit_code = exit_code
        self.cause = cause
        self.remedy = remedy
        self.details = tuple(details)

    def __str__(self) -> str:
        return self.cause


def wrong(cause: str, remedy: str = "") -> Problem:
    """Return the problem of a command that cannot be done as it was typed."""
    return Problem(Exit.WRONG, cause, remedy)
