"""`PYTHONPATH=http python -m tools.calls product=DIR demo=DIR stories=DIR phases=DIR`: write the page of all calls.

A folder is a state folder, or has state folders at any depth. A name may be given several times.
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from emulator.arm.models import ArmModel
from emulator.core.journal import Entry
from emulator.core.world import World
from emulator.run.azure import NO_WAITING, make_platform
from emulator.run.provider.registration import MANIFEST, read_manifest, registration
from emulator.run.seed import seed
from emulator.run.state import PORTS
from tools.calls.clients import RUNS, Clients
from tools.calls.page import page, usage
from tools.calls.services import Served

PAGE = Path(__file__).resolve().parents[2] / "docs" / "emulated-calls.md"
JOURNAL = "journal.jsonl"


def main(arguments: Sequence[str]) -> int:
    """Write the page; return the exit code."""
    runs = [(name, Path(folder)) for name, _, folder in (argument.partition("=") for argument in arguments)]
    if {name for name, _ in runs} != set(RUNS):
        sys.stderr.write(f"usage: python -m tools.calls {' '.join(f'{name}=DIR' for name in RUNS)}\n")
        return 2
    for name, folder in runs:
        if not list(folder.rglob(JOURNAL)):
            sys.stderr.write(f"{name}={folder}: there is no {JOURNAL}\n")
            return 1
    with TemporaryDirectory() as state:
        served, clients = asyncio.run(tables(Path(state)))
    used, unknown = usage(served, clients, ((name, entry) for name, folder in runs for entry in _entries(folder)))
    for line in unknown:
        sys.stdout.write(f"in no table: {line}\n")
    PAGE.write_text(page(served.calls, used), encoding="utf-8")
    sys.stdout.write(f"written: {PAGE}\n")
    return 0


async def tables(folder: Path) -> tuple[Served, Clients]:
    """Return the calls that a local Azure answers, and its clients.

    Args:
        folder: an empty folder for the local Azure's state.
    """
    ports, world = dict.fromkeys(PORTS, 1), World()
    platform = make_platform(folder, ports, time_scale=NO_WAITING, world=world)
    try:
        seed(platform)
        # Its types are served without its application's rights, which are not asked here.
        platform.model(ArmModel).registration.put(registration("unused", read_manifest(MANIFEST)))
        return Served(platform), Clients(platform)
    finally:
        await platform.stop()


def _entries(folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.rglob(JOURNAL)):
        with path.open(encoding="utf-8") as journal:
            yield from (Entry(**json.loads(line)) for line in journal)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
