"""Lets a cluster live for months: `python -m tests.years --days 790`."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.years import faked_time, months


def main() -> int:
    """Run the months in a faked time.

    Returns:
        The exit code.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.years", description="Let a cluster live for months.")
    parser.add_argument("--days", type=int, default=790, help="how long it lives; 790 days are 26 months")
    # The shortest time in which the service renews something is the last month of a managed domain's certificate.
    # Each look finds it within that, and notices what had ended before it was renewed.
    parser.add_argument("--step", type=int, default=28, help="how many days each step of the time has")
    parser.add_argument("--time-scale", default="40", help="how many times faster than Azure the rest is")
    parser.add_argument("--folder", type=Path, help="where the state is kept; a temporary folder that is removed")
    parser.add_argument("--callers", default="arm", choices=("arm", "entra"), help="the deployment of the service")
    parser.add_argument("--finished", type=Path, help="state folder of a local Azure with a finished cluster, to copy")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        run = months.Run(options.folder, options.callers, options.finished, float(options.time_scale))
        months.live(run, options.days, options.step)
        return 0
    if reason := faked_time.why_not():
        sys.stderr.write(f"{reason}\n")
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        words = ["-m", "tests.years", "--inside", "--folder", str(folder), "--time-scale", options.time_scale]
        words += ["--days", str(options.days), "--step", str(options.step), "--callers", options.callers]
        words += ["--finished", str(options.finished)] if options.finished else []
        return faked_time.FakedTime(folder).start(words)


if __name__ == "__main__":
    sys.exit(main())
