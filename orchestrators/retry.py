"""Which errors a row tries again: a table of policies, each a table of error classes.

An activity names the class of its error (`shared/azure/errors.py` decides it); the row names a policy. The figures
are unscaled here and scaled when a plan is resolved, so a running install keeps the figures it began with.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from shared.settings import Settings

# How long a service may be away before a row gives up: ten minutes, and room for noticing.
OUTAGE = timedelta(minutes=15)


@dataclass(frozen=True)
class Again:
    """How errors of one class are tried again.

    `verb` is what to call then: `same` asks again what failed, `run` begins the work anew, because what had been
    begun has ended badly.
    """

    every: timedelta
    within: timedelta
    verb: str = "same"


# A 429 carries its own wait, and `every` counts only when it does not.
_THROTTLED = Again(timedelta(seconds=30), timedelta(minutes=30))
_TRANSIENT = Again(timedelta(seconds=10), timedelta(minutes=5))
# ARM caches role assignments for up to five minutes; ARO-RP waits ten in its authorization steps.
_AUTHORIZATION = Again(timedelta(seconds=10), timedelta(minutes=10), verb="run")
# A conflict with somebody else's change of the same resource ends with that change.
_BUSY = Again(timedelta(seconds=10), timedelta(minutes=10))
# Work that Azure took on and gave up for reasons of its own is begun once more.
_GIVEN_UP = Again(timedelta(seconds=30), timedelta(minutes=10), verb="run")
_AZURE = {
    "throttled": _THROTTLED,
    "transient": _TRANSIENT,
    "authorization": _AUTHORIZATION,
    "busy": _BUSY,
    "given-up": _GIVEN_UP,
}

POLICIES: dict[str, dict[str, Again]] = {
    "none": {},
    "azure": _AZURE,
    # A new secret or a new application takes up to two minutes to reach every Entra ID replica.
    "service-principal": _AZURE | {"principal": Again(timedelta(seconds=10), timedelta(minutes=2), verb="run")},
    # The same two minutes for roles that somebody assigned just before the PUT; a missing role is a clear failure.
    "permissions": _AZURE | {"authorization": Again(timedelta(seconds=10), timedelta(minutes=2), verb="run")},
}


def resolve(names: list[str], settings: Settings) -> dict[str, Any]:
    """Return the named policies as data, scaled: `{policy: {class: {everySeconds, withinSeconds, verb}}}`."""
    return {
        name: {
            error_class: {
                "everySeconds": settings.poll_seconds(again.every),
                "withinSeconds": settings.deadline_seconds(again.within),
                "verb": again.verb,
            }
            for error_class, again in POLICIES[name].items()
        }
        for name in names
    }
