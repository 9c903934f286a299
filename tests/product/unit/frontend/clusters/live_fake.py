"""Live clusters in place of the network: each read is answered from a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.openshift.client import NotDone, Unreachable
from shared.openshift.reads import Ask


@dataclass
class LiveFake:
    """What every cluster answers.

    Attributes:
        objects: kind to an object or a list of objects, or the reason why there is none; other kinds are away.
        asked: the reads so far.
        seconds: how long each request wanted to wait.
    """

    objects: dict[str, Any] = field(default_factory=dict)
    asked: list[Ask] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def read_all(self, asks: Sequence[Ask], seconds: float) -> list[Any]:
        """Answer like `shared.openshift.reads.read_all`."""
        self.asked += asks
        self.seconds.append(seconds)
        return [self._found(ask) for ask in asks]

    def _found(self, ask: Ask) -> Any:
        found = self.objects.get(ask.what.kind, Unreachable("the API server refuses the connection"))
        return found if isinstance(found, NotDone) else ask.pick(found)
