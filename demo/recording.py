"""`make recording`: run the demonstration, and put its output into docs/recording.md and its picture beside that page.

The page shows what a reader will see when running the demo: the whole output, without the path of this checkout.
"""

import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "recording.md"
# Where the demonstration saves the picture of its create, and the copy that the README shows.
DRAWN, PICTURE = REPOSITORY / ".local" / "create.svg", REPOSITORY / "docs" / "create.svg"
MARK = "recording"


def main() -> int:
    """Record; return the exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "demo", *sys.argv[1:]], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        return done.returncode
    PAGE.write_text(with_recording(PAGE.read_text(encoding="utf-8"), done.stdout), encoding="utf-8")
    shutil.copyfile(DRAWN, PICTURE)
    return 0


def with_recording(page: str, printed: str) -> str:
    """Return a page with its recording replaced.

    Raises:
        ValueError: if the page has no place for it.
    """
    told = "\n".join(line.rstrip() for line in printed.replace(f"{REPOSITORY}/", "").strip().splitlines())
    return replaced(page, MARK, f"$ make demo\n{told}")


def replaced(page: str, mark: str, told: str) -> str:
    """Return a page with what is between two marks replaced.

    Raises:
        ValueError: if the page does not have them.
    """
    begin, end = marks(mark)
    before, found, rest = page.partition(begin)
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise ValueError(f"the page has no lines {begin} and {end}")
    return f"{before}{begin}\n```\n{told}\n```\n{end}{after}"


def marks(mark: str) -> tuple[str, str]:
    """Return the lines around a recording."""
    return f"<!-- {mark}: begin, written by `make recording` -->", f"<!-- {mark}: end -->"


def recorded(page: str, mark: str = MARK) -> str:
    """Return the recording of a page, or ""."""
    begin, end = marks(mark)
    return page.partition(begin)[2].partition(end)[0].strip()


if __name__ == "__main__":
    sys.exit(main())
