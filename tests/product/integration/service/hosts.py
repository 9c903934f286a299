"""Another host beside a platform's own, and what a host has done."""

import contextlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.local_azure import LocalAzure

# The last log line of an activity, with the id of its operation.
DONE = re.compile(r"activity \w+ (?:run|status): done.*?\"operation_id\": \"([0-9a-f-]+)\"")


def served(log: Path, since: int = 0) -> set[str]:
    """Return the operations in which a host has completed a step.

    Args:
        log: the host's log.
        since: how many characters of the log do not count.
    """
    return set(DONE.findall(log.read_text(encoding="utf-8")[since:])) if log.exists() else set()


@contextlib.contextmanager
def second_host(azure: LocalAzure, log: Path, *options: str, **settings: str) -> Iterator[psutil.Popen]:
    """Run another host: with the same task hub, as when App Service scales out, or with different settings.

    Args:
        azure: the platform.
        log: the log of the other host.
        options: further options of its command line.
        settings: app settings in which it differs.
    """
    first = psutil.Process(azure.pid("functions"))
    arguments = first.cmdline()
    for option, value in (("--port", "0"), ("--log", str(log))):
        arguments[arguments.index(option) + 1] = value
    # It has no front end: all requests go to the first host.
    socket = arguments.index("--socket")
    del arguments[socket : socket + 2]
    with psutil.Popen(
        [*arguments, *options],
        env=first.environ() | settings,
        cwd=first.cwd(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as second:
        try:
            assert second.stdout.readline().startswith("ready ")
            yield second
        finally:
            kill_tree(second)


def kill_tree(process: psutil.Popen) -> None:
    """Kill a host with its worker."""
    if not process.is_running():
        return
    for each in (*process.children(recursive=True), process):
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    process.wait()
