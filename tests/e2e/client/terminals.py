"""Where people type: a terminal of 80 columns, and a pipe."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
COMMAND = REPOSITORY / ".venv-client" / "bin" / "aroctl"
COLUMNS, LINES = 80, 50
SECONDS = 900
# What moves the cursor, colours, or is not a character.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Person:
    """Somebody with aroctl, who has signed in.

    Args:
        environment: the whole environment of their terminals.
        home: their home folder.
    """

    environment: Mapping[str, str]
    home: Path

    def pipe(self, *words: str) -> Done:
        """Run a command whose output goes into a pipe, with nobody to ask."""
        done = subprocess.run(
            [COMMAND, *words],
            env=self.environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def terminal(self, *words: str) -> "Terminal":
        """Begin a command in a terminal."""
        return Terminal([str(COMMAND), *words], self)


class Terminal:
    """A command in a terminal of 80 columns.

    Args:
        words: the command.
        person: who has typed it.
    """

    def __init__(self, words: list[str], person: Person) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            words,
            env={**person.environment, "TERM": "xterm-256color"},
            cwd=person.home,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = b""
        self._reads = threading.Thread(target=self._read, daemon=True)
        self._reads.start()

    def wait_for(self, pattern: str) -> None:
        """Wait until the terminal has shown something.

        Raises:
            AssertionError: the command ends without it.
        """
        until = time.monotonic() + SECONDS
        while not re.search(pattern, self.shown):
            assert self._reads.is_alive() and time.monotonic() < until, self.shown  # noqa: PT018 - one condition
            time.sleep(0.1)

    def type(self, text: str) -> None:
        """Type something."""
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Wait for the end of the command; return its exit code."""
        code = self._process.wait(SECONDS)
        self._reads.join(SECONDS)
        os.close(self._ours)
        return code

    @property
    def shown(self) -> str:
        """All that the terminal has shown, one frame after the other, without colours."""
        return _CONTROL.sub("", self.written).replace("\r\n", "\n")

    @property
    def written(self) -> str:
        """All that was written to the terminal."""
        return self._seen.decode(errors="replace")

    @property
    def widest(self) -> int:
        """The longest line that it has shown."""
        return max(map(len, re.split(r"[\r\n]+", self.shown)))

    def _read(self) -> None:
        # Linux ends a terminal whose program has ended with an error.
        while True:
            try:
                read = os.read(self._ours, 65536)
            except OSError:
                return
            if not read:
                return
            self._seen += read
