"""The time that all processes of a run see: libfaketime, a file with the offset, and a library of our own for waits.

Debian's libfaketime does not know `sem_clockwait`, with which Python waits for locks since glibc has it. `waits.c` adds
it, because a wait with a time-out would otherwise last as long as the offset.
"""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
_SOURCE = Path(__file__).with_name("waits.c")


@dataclass(frozen=True)
class FakedTime:
    """The time of a run, which is the true one until it is moved.

    Args:
        folder: where the offset and the library are.
    """

    folder: Path

    @property
    def _offset(self) -> Path:
        return self.folder / "offset"

    def start(self, arguments: list[str]) -> int:
        """Run a Python program in this time; return its exit code."""
        self.folder.mkdir(parents=True, exist_ok=True)
        library = self.folder / "waits.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl", "-lpthread"], check=True)
        self._write(timedelta())
        preloaded = {"LD_PRELOAD": f"{library}:{LIBRARIES[0]}", "FAKETIME_TIMESTAMP_FILE": str(self._offset)}
        fixed = {"FAKETIME_NO_CACHE": "1", "FAKETIME_DISABLE_SHM": "1"}
        return subprocess.call([sys.executable, *arguments], env=os.environ | preloaded | fixed)

    def move(self, by: timedelta) -> None:
        """Move the time forward for all processes at once."""
        self._write(self.passed + by)
        # The programs look at their clocks when something wakes them.
        time.sleep(SETTLE_SECONDS)

    @property
    def passed(self) -> timedelta:
        """How far the time has been moved."""
        return timedelta(seconds=int(self._offset.read_text(encoding="utf-8")))

    def _write(self, offset: timedelta) -> None:
        before = self._offset.with_suffix(".new")
        before.write_text(f"+{int(offset.total_seconds())}", encoding="utf-8")
        before.replace(self._offset)


SETTLE_SECONDS = 3


def why_not() -> str:
    """Return why this machine cannot fake the time, "" if it can."""
    if not LIBRARIES:
        return "libfaketime is not installed: apt-get install faketime"
    return "" if shutil.which("cc") else "there is no C compiler: apt-get install gcc"
