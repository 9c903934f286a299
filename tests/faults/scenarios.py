"""What goes wrong, as data: a scenario says what is under way, what happens to it, when, for how long, and how it ends.

The tables are here, and the types of their rows. Who makes scenarios of them is in `families.py`.
"""

from dataclasses import dataclass
from typing import Any, Literal

Json = dict[str, Any]
Operation = Literal["create", "update", "delete"]
# `Explained`: the operation fails and says what is missing, or waits until it is there. `Canceled`: a DELETE wins.
Ending = Literal["Succeeded", "Explained", "Canceled"]


@dataclass(frozen=True)
class Family:
    """Scenarios of one kind.

    Args:
        name: of the family.
        promise: what all of them promise, for the report.
        refused: whether Azure or the customer refuses the work. Only such a failure can ever be accepted.
    """

    name: str
    promise: str
    refused: bool = False


UNDISTURBED = Family("undisturbed", "Nothing goes wrong: what the others are compared with.")
OUTAGES = Family(
    "outages", "A service is away for ten minutes: the operation is late, and succeeds at its first attempt."
)
CALLS = Family("calls", "One call of one step goes wrong: nobody notices.")
KILLS = Family("kills", "Processes die: the operation goes on, and makes nothing twice.")
RACES = Family("races", "Requests meet: one wins, and the others leave nothing.")
RIGHTS = Family("rights", "A right is missing: the error names it, or the operation waits for it.", refused=True)
OWN_PACE = Family("own pace", "At Azure's own pace, with the SDKs' own pauses: a minute's outage passes.")
ROWS = Family("rows", "A step that cannot work says what to do; the next request goes on.")
INTERFERENCE = Family("interference", "Somebody changes what the cluster stands on: the error says what.")
SECRETS = Family("secrets", "No secret is outside the vault, in any encoding.")
STORIES = Family(
    "stories", "The long stories of `tests/product/integration`: resumed creates, two hosts, machines, credentials."
)
FAMILIES = {
    each.name: each
    for each in (
        UNDISTURBED,
        OUTAGES,
        CALLS,
        KILLS,
        RACES,
        RIGHTS,
        OWN_PACE,
        ROWS,
        INTERFERENCE,
        SECRETS,
        STORIES,
    )
}


@dataclass(frozen=True)
class Scenario:
    """One run.

    Args:
        family: by its name.
        operation: what is under way.
        what: goes wrong: a service, processes, a right.
        way: how, where there are several.
        at: when: a step, by its name, or a moment: seconds of Azure's after the request.
        seconds: for which it lasts: of Azure's, but of this machine's where processes die, because a restart takes the
            same at every time scale; 0 for what is over at once.
        call: which call of the step meets it, counted from 1; 0 for all of them.
        ending: of the operation.
    """

    family: str
    operation: Operation
    what: str
    way: str = ""
    at: str | float = 0.0
    seconds: float = 0.0
    call: int = 0
    ending: Ending = "Succeeded"

    def __str__(self) -> str:
        """The name of the scenario: of its test, and of its line in the report."""
        moment = f"at {self.at}" if isinstance(self.at, str) else (f"after {self.at:.0f} s" if self.at else "")
        lasts = f"for {self.seconds:.0f} s" if self.seconds else ""
        call = f"call {self.call}" if self.call else ""
        return ", ".join(part for part in (self.operation, self.what, self.way, moment, lasts, call) if part)
