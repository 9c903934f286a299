"""The interface of the engines that run functions inside the worker process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

# Takes the fields and the body of a `result` frame.
Answer = Callable[[dict[str, Any], bytes], None]


@dataclass(frozen=True)
class Invocation:
    """The call that wrote a log record, as the record names it."""

    id: str
    function: str
    instance: str | None

    @classmethod
    def of(cls, header: dict[str, Any]) -> "Invocation":
        """Read an `invoke` frame's header."""
        return cls(header["id"], header["function"], header.get("instance"))


class Engine(Protocol):
    """Loads one function app and runs its functions."""

    async def load(self, app_directory: Path) -> list[dict[str, Any]]:
        """Import the app and return the name and bindings of each function."""

    def dispatch(self, header: dict[str, Any], body: bytes, answer: Answer) -> None:
        """Begin one invocation; called by the thread that reads the channel."""

    def current(self) -> Invocation | None:
        """Return the invocation that the calling code belongs to."""
