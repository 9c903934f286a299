"""Runs or lists the scenarios: `python -m tests.faults --seed N --only PATTERN --report docs/reliability.md`."""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

from tests.conftest import SEED
from tests.faults.families import every

HERE = Path(__file__).parent
STORIES = HERE.parent / "product" / "integration"


def main() -> int:
    """Run or list the scenarios of a seed.

    Returns:
        The exit code: 0, or pytest's.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Run everything that can go wrong.")
    parser.add_argument("--seed", default=str(random.randrange(1_000_000)), help="draws what is drawn")  # noqa: S311 - for repeatable runs
    parser.add_argument("--only", default="", help="as pytest's -k: parts of names, with and, or, not")
    parser.add_argument("--report", type=Path, help="the page to write")
    parser.add_argument("--workers", default="4", help="how many groups of scenarios run at once")
    parser.add_argument("--list", action="store_true", help="print the scenarios instead of running them")
    options = parser.parse_args()
    if options.list:
        sys.stdout.write(f"seed {options.seed}\n")
        for scenario in every(options.seed):
            sys.stdout.write(f"{scenario.family:12} {scenario}\n")
        return 0
    os.environ[SEED] = options.seed
    sys.stdout.write(f"seed {options.seed} (repeat with --seed {options.seed})\n")
    words = [str(HERE), str(STORIES), "-v", "-p", "tests.faults.plugin", "-n", options.workers, "--dist", "loadgroup"]
    words += ["-k", options.only] if options.only else []
    words += ["--report", str(options.report)] if options.report else []
    return subprocess.call([sys.executable, "-m", "pytest", *words])


if __name__ == "__main__":
    sys.exit(main())
