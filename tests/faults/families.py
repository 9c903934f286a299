"""Makes the scenarios of each family from the tables; the seed decides what is drawn."""

import random
from collections.abc import Iterator

from tests.faults.rights import RIGHTS as MISSING
from tests.faults.scenarios import (
    CALLS,
    KILLS,
    OUTAGES,
    RACES,
    RIGHTS,
    STALE,
    TWICE,
    UNDISTURBED,
    Operation,
    Scenario,
)
from tests.faults.services import (
    AZURITE,
    CUT_WAYS,
    HUB,
    IDENTITY,
    LIVING,
    OPERATIONS,
    SERVICES,
    SIGN_IN,
    TEN_MINUTES,
    WAYS,
    steps_of,
)
from tests.faults.troubles import AT_EACH_STEP, CANCEL, PROCESSES, SAME

# How many seconds an operation takes in Azure, without its end; moments are drawn from this range.
SECONDS_IN_AZURE: dict[Operation, int] = {"create": 2100, "delete": 240}
DRAWN_CALLS = 80
DRAWN_KILLS = 3
# How many runs of an operation meet calls that are delivered twice, and how many rows of each: 100 together.
DRAWN_TWICE: dict[Operation, tuple[int, int]] = {"create": (3, 25), "update": (2, 6), "delete": (1, 13)}
# The ways in which a call fails. With lost answers the work is done; for a call that only reads, that equals a reset.
CALL_WAYS = ("503", "429 without Retry-After", "reset", "lost answers", "silence", *CUT_WAYS)
KILLED_FOR_SECONDS = 120.0


def every(seed: object) -> list[Scenario]:
    """Return every scenario of a seed, shuffled so that creates and deletes mix."""
    rng = random.Random(f"{seed}/scenarios")  # noqa: S311 - for repeatable tests
    families = (_outages, _calls, _kills, _twice, _races, _stale)
    drawn = list(dict.fromkeys([*(scenario for family in families for scenario in family(rng)), *_rights()]))
    rng.shuffle(drawn)
    return [*_undisturbed(), *drawn]


def is_lonely(scenario: Scenario) -> bool:
    """Tell whether the scenario's trouble affects every cluster of a platform."""
    if scenario.family == RIGHTS.name:
        return not MISSING[scenario.what, scenario.way].of_one_cluster
    return scenario.family == KILLS.name or (scenario.family == OUTAGES.name and scenario.what not in SERVICES)


def _undisturbed() -> Iterator[Scenario]:
    for operation in (*OPERATIONS, *LIVING):
        yield Scenario(UNDISTURBED.name, operation, "nothing")


def _outages(rng: random.Random) -> Iterator[Scenario]:
    """Yield an outage of each service in each way: at a step that needs it, and for creates also at a random moment.

    Of the ways in which an answer is cut, each operation of a service gets one.
    """
    whole = [way for way in WAYS if way not in CUT_WAYS]
    for what, service in SERVICES.items():
        for operation, steps in service.steps.items():
            for way in (*whole, rng.choice(CUT_WAYS)):
                yield Scenario(OUTAGES.name, operation, what, way, rng.choice(steps), TEN_MINUTES)
                if operation == "create":
                    moment = float(rng.randrange(SECONDS_IN_AZURE[operation]))
                    yield Scenario(OUTAGES.name, operation, what, way, moment, TEN_MINUTES)
    for what, ways in (
        (AZURITE, ("silence",)),
        (HUB, ("silence",)),
        (IDENTITY, ("503", "reset", *CUT_WAYS[:2])),
        (SIGN_IN, ("refused",)),
    ):
        for way in ways:
            for operation, longest in SECONDS_IN_AZURE.items():
                yield Scenario(OUTAGES.name, operation, what, way, float(rng.randrange(longest)), TEN_MINUTES)


def _calls(rng: random.Random) -> Iterator[Scenario]:
    """Yield random calls, each with one way in which it fails."""
    for _ in range(DRAWN_CALLS):
        what = rng.choice(list(SERVICES))
        operation = rng.choice(list(SERVICES[what].steps))
        step = rng.choice(SERVICES[what].steps[operation])
        yield Scenario(CALLS.name, operation, what, rng.choice(CALL_WAYS), step, call=rng.randrange(1, 5))
    # A version of a secret whose id nobody gets.
    for call in (1, 2):
        yield Scenario(CALLS.name, "revoke_credentials", "Key Vault", "lost answers", "prepare_revocation", call=call)


def _kills(rng: random.Random) -> Iterator[Scenario]:
    """Yield kills of each process at random steps and moments, and repeated kills."""
    for what in PROCESSES:
        for operation, longest in SECONDS_IN_AZURE.items():
            for _ in range(DRAWN_KILLS):
                yield Scenario(KILLS.name, operation, what, "once", rng.choice(steps_of(operation)))
            yield Scenario(KILLS.name, operation, what, "once", float(rng.randrange(longest)))
    for what in ("the host", "the worker"):
        for operation in (*SECONDS_IN_AZURE, *LIVING):
            yield Scenario(KILLS.name, operation, what, AT_EACH_STEP)
    for what, seconds in (
        ("the worker", KILLED_FOR_SECONDS),
        ("the host", 30.0),
        ("Azurite", 30.0),
        ("everything", 30.0),
    ):
        yield Scenario(KILLS.name, "create", what, "every three seconds", 0.0, seconds)
    yield Scenario(KILLS.name, "delete", "the worker", "every three seconds", 0.0, 30.0)


def _twice(rng: random.Random) -> Iterator[Scenario]:
    """Yield runs in which every call of some random rows is delivered twice."""
    for operation, (runs, rows) in DRAWN_TWICE.items():
        for _ in range(runs):
            yield Scenario(TWICE.name, operation, f"{rows} rows", f"draw {rng.randrange(10**6)}")


def _races(rng: random.Random) -> Iterator[Scenario]:
    """Yield further requests at random steps."""
    steps = steps_of("create")[:-1]
    for step in rng.sample(steps, 8):
        yield Scenario(RACES.name, "create", "DELETE", at=step, ending="Canceled")
    for what in ("another PUT", "a PATCH"):
        yield Scenario(RACES.name, "create", what, at=rng.choice(steps))
    for what in ("another PUT", "a PATCH", "another DELETE"):
        yield Scenario(RACES.name, "delete", what, at=rng.choice(steps_of("delete")[:-1]))
    for operation in LIVING:
        yield Scenario(RACES.name, operation, SAME)
        yield Scenario(RACES.name, operation, CANCEL, AT_EACH_STEP)


def _stale(rng: random.Random) -> Iterator[Scenario]:
    """Yield operations whose reads may be stale, and a DELETE, which supersedes the attempts of a create."""
    for operation in (*OPERATIONS, *LIVING):
        yield Scenario(STALE.name, operation, "nothing")
    yield Scenario(STALE.name, "create", "DELETE", at=rng.choice(steps_of("create")[:-1]), ending="Canceled")


def _rights() -> Iterator[Scenario]:
    for what, way in MISSING:
        yield Scenario(RIGHTS.name, "create", what, way, ending="Explained")
