"""What goes wrong, as data: a scenario says which operation runs, what happens, when, how long, and how it ends.

This module has the types and the families; `families.py` makes the scenarios.
"""

from dataclasses import dataclass
from typing import Literal

# By the names of their plans. Those of a cluster that lives are actions on it.
Operation = Literal["create", "update", "delete", "stop", "start", "revoke_credentials", "renew"]
# `Explained`: the operation fails and says what is missing, or waits until it is there. `Canceled`: a DELETE wins.
Ending = Literal["Succeeded", "Explained", "Canceled"]


@dataclass(frozen=True)
class Family:
    """Scenarios of one kind.

    Args:
        name: name of the family.
        promise: what all its scenarios promise, for the report.
        refused: whether Azure or the customer refuses the work. Only such failures can be accepted.
    """

    name: str
    promise: str
    refused: bool = False


UNDISTURBED = Family("undisturbed", "Nothing goes wrong. The other runs are compared with these.")
OUTAGES = Family(
    "outages", "A service is away for ten minutes. The operation is late, but succeeds at its first attempt."
)
CALLS = Family("calls", "One call of one step fails. The operation still succeeds at its first attempt.")
KILLS = Family("kills", "Processes die. The operation continues and makes nothing twice.")
TWICE = Family("twice", "Calls are delivered twice at once. The operation continues, and all that it made is used.")
RACES = Family("races", "Requests compete. One wins, and the others leave nothing behind.")
STALE = Family(
    "stale reads",
    "Cosmos DB may answer each read with the past, as far as the level of the account allows. Nothing is different.",
)
RIGHTS = Family("rights", "A permission is missing. The error names it, or the operation waits for it.", refused=True)
OWN_PACE = Family(
    "own pace",
    "A service is away for a minute at Azure's own pace, with the SDKs' own pauses. The operation continues.",
)
ROWS = Family("rows", "A step cannot do its work. The error says what to do, and the next request continues.")
INTERFERENCE = Family("interference", "Somebody changes a resource that the cluster needs. The error names it.")
SECRETS = Family("secrets", "No secret is found outside the vault, in any encoding.")
DEPLOYMENTS = Family(
    "deployments",
    "A release with other steps is deployed in the middle of ten creates. Each ends well, or names the step that is "
    "gone, and the same request continues.",
)
STORIES = Family(
    "stories",
    "The long stories of `tests/product/integration`, such as resumed creates, two hosts and rotated credentials.",
)
FAMILIES = {
    each.name: each
    for each in (
        UNDISTURBED,
        OUTAGES,
        CALLS,
        KILLS,
        TWICE,
        RACES,
        STALE,
        RIGHTS,
        OWN_PACE,
        ROWS,
        INTERFERENCE,
        SECRETS,
        DEPLOYMENTS,
        STORIES,
    )
}


@dataclass(frozen=True)
class Scenario:
    """One run.

    Args:
        family: name of the family.
        operation: the operation that runs.
        what: what goes wrong: a service, processes, a right.
        way: in which way, if there are several.
        at: when it goes wrong: at a step, by its name, or so many of Azure's seconds after the request.
        seconds: how long it lasts, in Azure's seconds, but in real seconds if processes die, because a restart takes
            the same time at every time scale; 0 if it is over at once.
        call: which call of the step meets it, counted from 1; 0 for all of them.
        ending: how the operation ends.
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
        """Return the scenario's name, for its test and its line in the report."""
        moment = f"at {self.at}" if isinstance(self.at, str) else (f"after {self.at:.0f} s" if self.at else "")
        lasts = f"for {self.seconds:.0f} s" if self.seconds else ""
        call = f"call {self.call}" if self.call else ""
        return ", ".join(part for part in (self.operation, self.what, self.way, moment, lasts, call) if part)
