"""`make bench`: measure the cost of a create, alone and with others at once, and the product's share of its time."""

import argparse
import sys
import time
from pathlib import Path

from bench import aro_rp_steps, chain, graph, page, report
from bench.creates import CreateFailedError, Round, Wanted, measure
from bench.memory import Watch
from bench.quantities import Meter, Quantities, idle_hour
from demo import platform

TIME_SCALE = 30
# The watchdog runs every five seconds there, and every minute at Azure's own pace.
IDLE_RUNS, IDLE_LIMIT_SECONDS = 4, 600
ROUNDS = (1, 10, 50)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, nargs="+", default=ROUNDS, metavar="CREATES", help="how many at once, round by round"
    )
    parser.add_argument(
        "--identities",
        type=int,
        nargs="+",
        default=(),
        metavar="CREATES",
        help="how many at once with workload identity, round by round, after the others",
    )
    parser.add_argument("--time-scale", type=float, default=TIME_SCALE, help="how many times faster than Azure")
    parser.add_argument("--state", type=Path, default=Path(".local/bench"), help="folder of this local Azure's state")
    options = parser.parse_args()
    _say("Making install graphs ...")
    graphs = graph.measure()
    _say("Opening the page for people ...")
    pages = page.measure()
    _say(f"Starting the local Azure, {options.time_scale:g} times faster than Azure ...")
    rounds: list[Round] = []
    pause = chain.propagation(options.time_scale)
    try:
        endpoints = platform.start(options.state, options.time_scale)
        platform.lead_there(endpoints)
        empty = platform.memory(endpoints)
        _say("Watching it do nothing ...")
        idle = idle_hour(_idle(options.state))
        wanted = [*((each, "") for each in options.rounds), *((each, "identities") for each in options.identities)]
        for number, (creates, kind) in enumerate(wanted):
            _say(f"Creating {creates} at once ...")
            with Watch(endpoints) as memory:
                rounds.append(measure(endpoints, options.state, Wanted(f"r{number}", creates, kind), pause))
            rounds[-1].peak = memory.peak
    except CreateFailedError as failure:
        sys.exit(f"error: {failure}\nMore: python -m emulator explain OPERATION --state {options.state}")
    finally:
        platform.stop(options.state)
    computed = report.Computed(
        options.time_scale,
        chain.longest(),
        chain.with_polls(options.time_scale),
        chain.expected(),
        aro_rp_steps.seconds(),
    )
    for line in report.lines(rounds, computed, empty):
        print(line)
    print()
    for line in report.quantities(rounds, idle):
        print(line)
    print()
    for line in graph.graph_lines(graphs):
        print(line)
    print()
    for line in page.lines(pages, report.row):
        print(line)


def _idle(state: Path) -> Quantities:
    """Return the quantities of the time that the watchdog takes to run a few times while nothing else happens."""
    meter, until = Meter(state), time.monotonic() + IDLE_LIMIT_SECONDS
    while (measured := meter.read([], 0)).watchdog_runs < IDLE_RUNS:
        if time.monotonic() > until:
            raise TimeoutError(f"The watchdog ran {measured.watchdog_runs:.0f} times in {IDLE_LIMIT_SECONDS} s.")
        time.sleep(1)
    return measured


def _say(text: str) -> None:
    """Report progress to the waiting person; standard output has only the figures."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
