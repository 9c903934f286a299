"""What the figures say: a line for each, a column for each round."""

import statistics
from collections.abc import Callable, Iterator

from bench.chain import Chain
from bench.creates import Round

# Aim for the wall time of a create: this much of its longest chain of latencies, and this much for each row of it.
AIM_RATIO, AIM_SECONDS_PER_ROW = 1.10, 0.1


def lines(rounds: list[Round], chain: Chain, empty: float) -> Iterator[str]:
    """Yield the report.

    Args:
        rounds: what was measured. Clusters of earlier rounds stay up in later ones.
        chain: the longest of a create, scaled.
        empty: memory of all processes before the first create, in MiB.
    """
    figures: tuple[tuple[str, str, Callable[[Round], float]], ...] = (
        ("PUT against a no-op function", "{:.1f} x", lambda each: statistics.median(each.puts) / each.no_op),
        ("create against its latencies", "{:.2f} x", lambda each: statistics.median(each.walls) / chain.seconds),
        ("slowest against its latencies", "{:.2f} x", lambda each: max(each.walls) / chain.seconds),
        ("history of a create, events", "{:.0f}", lambda each: each.events / each.creates),
        ("history of a create, KiB", "{:.0f}", lambda each: each.history_bytes / 1024 / each.creates),
        ("activities run by a create", "{:.0f}", lambda each: each.activities / each.creates),
        ("Azure calls of a create", "{:.0f}", lambda each: each.calls.total() / each.creates),
        ("CPU seconds of a create", "{:.2f}", lambda each: sum(each.cpu.values()) / each.creates),
        ("memory of all processes, MiB", "{:.0f}", lambda each: each.peak),
    )
    yield ""
    yield _row("creates at once", [str(each.creates) for each in rounds])
    for name, form, figure in figures:
        yield _row(name, [form.format(figure(each)) for each in rounds])
    aim = AIM_RATIO + AIM_SECONDS_PER_ROW * len(chain.rows) / chain.seconds
    clusters = sum(each.creates for each in rounds)
    yield ""
    yield f"Aim for a create alone: {aim:.2f} x its latencies, which are {chain.seconds:.1f} s in {len(chain.rows)} rows:"
    yield f"  {' > '.join(chain.steps)}"
    yield f"Memory: {empty:.0f} MiB without a cluster, {(rounds[-1].peak - empty) / clusters:.0f} MiB more for each."
    for what, form, parts in (("Azure calls", "{:.0f}", rounds[0].calls), ("CPU seconds", "{:.2f}", rounds[0].cpu)):
        shares = sorted(parts.items(), key=lambda part: -part[1])
        each_part = ", ".join(f"{name} {form.format(share / rounds[0].creates)}" for name, share in shares)
        yield f"{what} of a create: {each_part}."


def _row(name: str, cells: list[str]) -> str:
    return f"{name:34}" + "".join(f"{cell:>12}" for cell in cells)
