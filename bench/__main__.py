"""`make bench`: what a create costs, alone and with others at once, and how much of its time is ours."""

import argparse
from pathlib import Path

from bench import chain, report
from bench.creates import Round, measure
from bench.memory import Watch
from demo import platform

TIME_SCALE = 20
ROUNDS = (1, 10)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, nargs="+", default=ROUNDS, metavar="CREATES", help="how many at once, round by round"
    )
    parser.add_argument("--time-scale", type=float, default=TIME_SCALE, help="how many times faster than Azure")
    parser.add_argument("--state", type=Path, default=Path(".local/bench"), help="folder of this local Azure's state")
    options = parser.parse_args()
    print(f"Starting the local Azure, {options.time_scale:g} times faster than Azure ...", flush=True)
    rounds: list[Round] = []
    try:
        endpoints = platform.start(options.state, options.time_scale)
        platform.lead_there(endpoints)
        empty = platform.memory(endpoints)
        for number, creates in enumerate(options.rounds):
            print(f"Creating {creates} at once ...", flush=True)
            with Watch(endpoints) as memory:
                rounds.append(measure(endpoints, f"r{number}", creates, chain.propagation(options.time_scale)))
            rounds[-1].peak = memory.peak
    finally:
        platform.stop(options.state)
    for line in report.lines(rounds, chain.longest(options.time_scale), empty):
        print(line)


if __name__ == "__main__":
    main()
