"""The errors that a row tries again: a table of policies, each a table of error classes.

An activity reports the class of its error, which `shared/azure/azure_errors.py` decides; the row names a policy. The
figures here are unscaled. They are scaled when a plan is resolved, so a running install keeps its figures.
"""

from dataclasses import dataclass
from datetime import timedelta

from shared.settings import Pace
from shared.steps import Policy, RetryClass, RetryPolicy, RetryVerb

# How long a service may be away before a row gives up: ten minutes, and some time to notice.
OUTAGE = timedelta(minutes=15)
# The engine's first pause between two tries to write the end of an operation.
CONTROL_INTERVAL = timedelta(seconds=10)
# The least real time for all tries to write it.
SHORTEST_CONTROL = timedelta(minutes=1)
# Calls fail after time-outs that no time scale shortens, so several of them need real time.
_A_FEW_CALLS = timedelta(seconds=30)


@dataclass(frozen=True)
class Again:
    """How to try again after errors of one class.

    `verb` is what to call: `same` repeats the call that failed; `run` begins the work again, because the work that was
    begun has failed. Scaling never makes `within` shorter than `shortest`.
    """

    every: timedelta
    within: timedelta
    verb: RetryVerb = RetryVerb.SAME
    shortest: timedelta = timedelta()


# A 429 may carry a wait of its own; `every` applies only if it does not.
_THROTTLED = Again(timedelta(seconds=10), timedelta(minutes=30), shortest=_A_FEW_CALLS)
_TRANSIENT = Again(timedelta(seconds=10), OUTAGE, shortest=_A_FEW_CALLS)
# ARM caches role assignments for up to five minutes. ARO-RP waits ten in its authorization steps.
_AUTHORIZATION = Again(timedelta(seconds=10), timedelta(minutes=10), verb=RetryVerb.RUN)
# A conflict with another change of the same resource ends when that change does.
_BUSY = Again(timedelta(seconds=10), timedelta(minutes=10))
# If Azure accepted work and then gave it up for reasons of its own, the row begins it once more.
_GIVEN_UP = Again(timedelta(seconds=30), timedelta(minutes=10), verb=RetryVerb.RUN)
_AZURE = {
    RetryClass.THROTTLED: _THROTTLED,
    RetryClass.TRANSIENT: _TRANSIENT,
    RetryClass.AUTHORIZATION: _AUTHORIZATION,
    RetryClass.BUSY: _BUSY,
    RetryClass.GIVEN_UP: _GIVEN_UP,
}

# A new secret or application takes up to two minutes to reach every Entra ID replica.
_SPREADING = Again(timedelta(seconds=10), timedelta(minutes=2), verb=RetryVerb.RUN)

# Clients assign some twenty roles just before such a create, and Azure has taken up to an hour to let each part of it
# know.
_MANY_ROLES = Again(timedelta(seconds=30), timedelta(hours=1), verb=RetryVerb.RUN)

POLICIES: dict[RetryPolicy, dict[RetryClass, Again]] = {
    RetryPolicy.NONE: {},
    RetryPolicy.AZURE: _AZURE,
    RetryPolicy.SERVICE_PRINCIPAL: _AZURE | {RetryClass.PRINCIPAL: _SPREADING},
    # The same two minutes apply to roles that were assigned just before the PUT. After that, a missing role is a
    # failure.
    RetryPolicy.PERMISSIONS: _AZURE | {RetryClass.AUTHORIZATION: _SPREADING},
    RetryPolicy.IDENTITIES: _AZURE | {RetryClass.AUTHORIZATION: _MANY_ROLES},
}


def resolve(names: list[RetryPolicy], settings: Pace) -> dict[RetryPolicy, Policy]:
    """Return the named policies as data, scaled: `{policy: {class: {everySeconds, withinSeconds, verb}}}`."""
    return {
        name: {
            error_class: {
                "everySeconds": settings.poll_seconds(again.every),
                "withinSeconds": settings.deadline_seconds(again.within, again.shortest),
                "verb": again.verb,
            }
            for error_class, again in POLICIES[name].items()
        }
        for name in names
    }
