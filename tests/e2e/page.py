"""Runs the commands of a page: each fenced `sh` block, once, in the page's order, in one bash.

What a block sets (variables, functions, the folder) the next one has. Output samples are indented, or fenced as `text`.
Any other fence is refused, so that no command on a page can be left out.
"""

import contextlib
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

COMMANDS, SAMPLE = "sh", "text"
FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,}) *(?P<language>[^`]*)")
HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<title>.*?)[ #]*")
# Markdown takes a line that is indented further for text, not for a fence.
DEEPEST_FENCE = 3
TIMEOUT_SECONDS = 900.0
# A command that fails ends the shell; the trap leaves the exit code and the line behind.
PREAMBLE = 'set -Eeuo pipefail\ntrap \'printf "%s %s\\n" $? $LINENO >>"$PAGE_FAILURE"\' ERR\n'


class PageError(AssertionError):
    """A page whose commands fail, or that the harness cannot run as a reader would."""


@dataclass(frozen=True)
class Block:
    """A fenced block of commands.

    Args:
        headings: titles of the sections around it, outermost first.
        line: number of its first line on the page.
        text: its commands.
    """

    headings: tuple[str, ...]
    line: int
    text: str


@dataclass(frozen=True)
class Done:
    """A block that ran, how long it took, and all that it printed."""

    block: Block
    seconds: float
    output: str


def read(page: Path) -> list[Block]:
    """Return the blocks of commands on a page.

    Raises:
        PageError: a fence is neither commands nor a sample, or does not end.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks: list[Block] = []
    titles: dict[int, str] = {}
    number = 0
    while number < len(lines):
        heading, fence = HEADING.fullmatch(lines[number]), FENCE.fullmatch(lines[number])
        number += 1
        if heading:
            level = len(heading["level"])
            titles = {above: title for above, title in titles.items() if above < level} | {level: heading["title"]}
        if fence is None:
            continue
        end = _end(page, lines, number, fence)
        if fence["language"].strip() == COMMANDS:
            text = "\n".join(line.removeprefix(fence["indent"]) for line in lines[number:end])
            blocks.append(Block(tuple(titles.values()), number + 1, text))
        number = end + 1
    return blocks


def _end(page: Path, lines: list[str], start: int, fence: re.Match[str]) -> int:
    """Return the index of the line that ends a fence, whose contents begin at `start`."""
    where, language = f"{page.name}, line {start}", fence["language"].strip()
    if len(fence["indent"]) > DEEPEST_FENCE:
        raise PageError(f"{where}: the fence is indented by more than {DEEPEST_FENCE} spaces, so it would not run.")
    if language not in (COMMANDS, SAMPLE):
        raise PageError(
            f"{where}: a fence holds commands ({COMMANDS}) or a sample ({SAMPLE}), but this one says {language!r}."
        )
    for index in range(start, len(lines)):
        closing = lines[index].strip()
        if closing.startswith(fence["marks"]) and not closing.strip(fence["marks"][0]):
            return index
    raise PageError(f"{where}: the fence does not end.")


class Page:
    """A page whose blocks run section by section, so that a test can look at things between them.

    At the end of its `with` statement every block must have run.

    Args:
        page: the page, in Markdown.
        environment: the whole environment of the shell.
        folder: the folder in which the first block begins.
        timeout_seconds: how long one block may take.
    """

    def __init__(
        self, page: Path, environment: Mapping[str, str], folder: Path, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        self._page = page
        self._waiting = read(page)
        self._timeout_seconds = timeout_seconds
        self._scratch = tempfile.TemporaryDirectory()
        self._failure = Path(self._scratch.name) / "failure"
        self._marks, theirs = os.pipe()
        self._theirs = theirs
        self._shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-s"],
            cwd=folder,
            env={**environment, "PAGE_FAILURE": str(self._failure)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs,),
            text=True,
            # The end of the page ends everything that its blocks have started.
            start_new_session=True,
        )
        os.close(theirs)
        self._send(PREAMBLE)

    def __enter__(self) -> Self:
        """Return the page."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the shell and what it has started; check that every block has run, unless something failed before."""
        self.close()
        if kind is None and self._waiting:
            lines = ", ".join(str(block.line) for block in self._waiting)
            raise PageError(f"{self._page.name}: these blocks were not run, by their first lines: {lines}.")

    def close(self) -> None:
        """End the shell and what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()
        if self._shell.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._shell.stdin.close()
        os.close(self._marks)
        self._scratch.cleanup()

    def run(self, heading: str) -> list[Done]:
        """Run the blocks of a section and of the sections in it.

        Args:
            heading: title of the section.

        Raises:
            PageError: a block fails or takes too long; the section has no blocks that are next on the page.
        """
        section = [block for block in self._waiting if heading in block.headings]
        if not section or section != self._waiting[: len(section)]:
            following = " > ".join(self._waiting[0].headings) if self._waiting else "none"
            raise PageError(f"{self._page.name}: the next blocks are not those of {heading!r}, but of: {following}.")
        return [self._run(block) for block in section]

    def run_rest(self) -> list[Done]:
        """Run all blocks that have not run yet.

        Raises:
            PageError: a block fails or takes too long.
        """
        return [self._run(block) for block in list(self._waiting)]

    def _run(self, block: Block) -> Done:
        self._waiting.remove(block)
        script, printed = Path(self._scratch.name) / "block.sh", Path(self._scratch.name) / f"{block.line}.txt"
        script.write_text(f"{block.text}\n", encoding="utf-8")
        begun = time.monotonic()
        # The block must not hold the pipe, else what it leaves running would look like the shell.
        self._send(f'{{ source "{script}"; }} >"{printed}" 2>&1 </dev/null {self._theirs}>&-\necho >&{self._theirs}\n')
        ready, _, _ = select.select([self._marks], [], [], self._timeout_seconds)
        ended = os.read(self._marks, 1) == b"\n" if ready else None
        seconds = time.monotonic() - begun
        output = printed.read_text(encoding="utf-8", errors="replace") if printed.exists() else ""
        if ended:
            return Done(block, seconds, output)
        raise PageError(self._told(block, seconds, output, late=ended is None))

    def _told(self, block: Block, seconds: float, output: str, *, late: bool) -> str:
        """Return what is wrong with a block that did not end well."""
        line, why = block.line, f"did not end within {seconds:.0f} s"
        if not late:
            # The command itself fails first, then whatever called it.
            first = self._failure.read_text(encoding="utf-8").split() if self._failure.exists() else []
            line += int(first[1]) - 1 if first else 0
            why = f"failed with exit code {self._shell.wait()} after {seconds:.1f} s"
        return f"{self._page.name}, line {line}: the block {why}.\n\n{block.text}\n\nIt printed:\n{output}"

    def _send(self, text: str) -> None:
        if self._shell.stdin is None:
            raise PageError("the shell has no input")
        try:
            self._shell.stdin.write(text)
            self._shell.stdin.flush()
        except BrokenPipeError:
            raise PageError(f"{self._page.name}: the shell has ended, so no further block can run.") from None
