"""The report: a line for each figure, a column for each round."""

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from bench.chain import LONGEST, SHORTEST, Chain, Expected
from bench.creates import Round
from bench.history import Instance
from bench.quantities import Quantities

# Aim for the wall time of a create: this share of its longest chain of latencies, and this much for each row of it.
AIM_RATIO, AIM_SECONDS_PER_ROW = 1.10, 0.1
# Aim for the cost of a create in a round, compared with the smaller round before.
AIM_COST = 1.3
# Aims for the plan's own orchestration, in events and in KiB.
AIM_EVENTS, AIM_KIB = 300, 200
# Aim for the time that the product adds to that of ARM and the cluster, and the least part of it that is worth naming.
AIM_ADDED, LEAST_LATE = 0.005, 0.1
# Aim for the activities that a create runs at Azure's pace.
AIM_CALLS = 320
# Aim for our create in the model, against ARO-RP's order of steps in the same model.
AIM_ORIGINAL = 0.6

Figure = tuple[str, str, Callable[[Round], float]]
COSTS: tuple[Figure, ...] = (
    ("CPU seconds of a create", "{:.2f}", lambda each: sum(each.cpu.values()) / each.creates),
    ("Azure calls of a create", "{:.0f}", lambda each: each.calls.total() / each.creates),
    (
        "history of a create, KiB",
        "{:.0f}",
        lambda each: sum(found.size for found in each.instances) / 1024 / each.creates,
    ),
)


@dataclass(frozen=True)
class Computed:
    """What the rounds are compared with: figures that follow from the plan and the local Azure's latencies.

    Args:
        time_scale: how many times faster than Azure the rounds were.
        chain: the longest chain of latencies in a create, at Azure's pace.
        polled: the chain of a create that notices ends by polling, at the pace of the rounds.
        expected: what polling costs at Azure's pace.
        original: how long ARO-RP's order of steps takes in the same model, in seconds.
    """

    time_scale: float
    chain: Chain
    polled: Chain
    expected: Expected
    original: float


def lines(rounds: list[Round], computed: Computed, empty: float) -> Iterator[str]:
    """Yield the report.

    Args:
        rounds: the measured rounds. Clusters of earlier rounds stay up in later ones.
        computed: what they are compared with.
        empty: memory of all processes before the first create, in MiB.
    """
    latencies = computed.chain.seconds / computed.time_scale
    figures: tuple[Figure, ...] = (
        ("PUT against a no-op function", "{:.1f} x", lambda each: statistics.median(each.puts) / each.no_op),
        ("create against its latencies", "{:.2f} x", lambda each: statistics.median(each.walls) / latencies),
        ("slowest against its latencies", "{:.2f} x", lambda each: max(each.walls) / latencies),
        *COSTS,
        ("activities run by a create", "{:.0f}", lambda each: each.activities / each.creates),
        ("events in the plan's instance", "{:.0f}", lambda each: _largest(each, main=True).events),
        ("memory of all processes, MiB", "{:.0f}", lambda each: each.peak),
    )
    yield ""
    yield row("creates at once, all succeeded", [each.name for each in rounds])
    for name, form, figure in figures:
        yield row(name, [form.format(figure(each)) for each in rounds])
    yield ""
    yield from _costs(rounds)
    yield from _histories(rounds)
    yield ""
    yield from _polling(computed.expected)
    yield from _original(computed)
    alone = next((each for each in rounds if each.creates == 1), None)
    if alone is None:
        yield "Critical path: take a round of one create along; where many share the machine, they wait for each other."
    else:
        yield from _critical_path(alone, computed)
    clusters = sum(each.creates for each in rounds)
    yield ""
    yield f"Memory: {empty:.0f} MiB without a cluster, {(rounds[-1].peak - empty) / clusters:.0f} MiB more for each."


def quantities(rounds: list[Round], idle: Quantities) -> Iterator[str]:
    """Yield what a create uses of what Azure charges for, and what an hour uses in which nothing happens.

    Args:
        rounds: the measured rounds.
        idle: the quantities of such an hour.
    """
    used = [each.used.each(each.creates) for each in rounds]
    rows: tuple[tuple[str, str, Callable[[Quantities], float]], ...] = (
        ("functions, GiB-seconds", "{:.0f}", lambda each: each.gib_seconds),
        ("Cosmos DB, request units", "{:.0f}", lambda each: each.request_units),
        ("  if its level were Session", "{:.0f}", lambda each: each.session_units),
        ("Durable storage, transactions", "{:.0f}", lambda each: each.transactions),
        ("Key Vault, operations", "{:.0f}", lambda each: each.vault_operations),
    )
    yield row("used by a create, at once", [*(each.name for each in rounds), "idle hour"])
    for name, form, figure in rows:
        yield row(name, [form.format(figure(each)) for each in (*used, idle)])


def _costs(rounds: list[Round]) -> Iterator[str]:
    """Yield the cost of a create in each round, compared with the smaller one, and the parts of the last one's cost."""
    for before, after in pairwise(rounds):
        ratios = (f"{name.split(' of ')[0]} {figure(after) / figure(before):.2f} x" for name, _, figure in COSTS)
        yield (
            f"Cost of a create, {after.name} at once against {before.name}: {', '.join(ratios)} "
            f"(aim: at most {AIM_COST:.2f} x)."
        )
    for each in rounds:
        at_once = f"{each.name} at once"
        yield f"Azure calls of a create, {at_once}: {_shares(each.calls, each.creates, '{:.0f}')}."
        yield f"CPU seconds of a create, {at_once}: {_shares(each.cpu, each.creates, '{:.2f}')}."


def _shares(parts: dict[str, float] | dict[str, int], creates: int, form: str) -> str:
    shares = sorted(parts.items(), key=lambda part: -part[1])
    return ", ".join(f"{name} {form.format(share / creates)}" for name, share in shares)


def _histories(rounds: list[Round]) -> Iterator[str]:
    """Yield the largest plan and the largest wait of all rounds."""
    plan = max((_largest(each, main=True) for each in rounds), key=_size)
    wait = max((_largest(each, main=False) for each in rounds), key=_size)
    yield (
        f"Largest history of a plan: {plan.events} events, {plan.size / 1024:.0f} KiB "
        f"(aim: at most {AIM_EVENTS} and {AIM_KIB})."
    )
    yield f"Largest history of a wait: {wait.events} events, {wait.size / 1024:.0f} KiB; waits continue as new."


def _largest(each: Round, *, main: bool) -> Instance:
    return max((instance for instance in each.instances if instance.main == main), key=_size)


def _size(instance: Instance) -> tuple[int, int]:
    return instance.events, instance.size


def _polling(expected: Expected) -> Iterator[str]:
    """Yield what polling costs at Azure's pace: the rounds poll less, because a call takes as long at any pace."""
    yield (
        f"At Azure's pace, with latencies of {SHORTEST:.2f} to {LONGEST:.2f} of their figures, a create runs "
        f"{expected.calls:.0f} activities (aim: {AIM_CALLS}), {expected.polls:.0f} of them polls."
    )


def _original(computed: Computed) -> Iterator[str]:
    """Yield our create beside that of ARO-RP, both in the model, with their polls."""
    own = computed.chain.seconds + computed.expected.unnoticed
    yield (
        f"A create in the model: {own:.0f} s; ARO-RP's steps, one after the other: {computed.original:.0f} s; "
        f"{own / computed.original:.2f} x (aim: at most {AIM_ORIGINAL:.2f} x)."
    )


def _critical_path(alone: Round, computed: Computed) -> Iterator[str]:
    """Yield the duration of a create at Azure's pace, and where the time goes.

    The difference between the clock and the chain with its polls, at the pace of the rounds, is work: the product's
    own, and the local Azure's. It takes the same time at any pace.
    """
    chain, expected = computed.chain, computed.expected
    own = max(statistics.median(alone.walls) - computed.polled.seconds, 0)
    added = (expected.unnoticed + own) / chain.seconds
    late = ", ".join(
        f"{name} {seconds:.1f}"
        for name, seconds in sorted(expected.rows.items(), key=lambda row: -row[1])
        if seconds >= LEAST_LATE
    )
    yield f"Critical path of a create at Azure's pace: {chain.seconds + expected.unnoticed + own:.0f} s."
    yield f"  {chain.seconds - chain.in_cluster:6.1f} s  Azure Resource Manager"
    yield f"  {chain.in_cluster:6.1f} s  machines and cluster"
    yield f"  {expected.unnoticed:6.1f} s  until a poll finds that something is over{f' ({late})' if late else ''}"
    yield f"  {own:6.1f} s  work of the product between them, measured (the local Azure's with it)"
    yield f"  The product adds {100 * added:.2f} % (aim: less than {100 * AIM_ADDED:.1f} %)."
    for link in chain.links:
        if link.seconds:
            yield f"    {link.seconds:6.1f} s  {link.name}"
    latencies = chain.seconds / computed.time_scale
    aim = AIM_RATIO + AIM_SECONDS_PER_ROW * len(chain.rows) / latencies
    yield f"Aim for a create alone here: {aim:.2f} x its latencies, {latencies:.1f} s in {len(chain.rows)} rows."


def row(name: str, cells: list[str]) -> str:
    """Return a line of the report: a name, and its figures in columns."""
    return f"{name:34}" + "".join(f"{cell:>12}" for cell in cells)
