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
BEGIN, END = "<!-- recording: begin, written by `make recording` -->", "<!-- recording: end -->"


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
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    told = "\n".join(line.rstrip() for line in printed.replace(f"{REPOSITORY}/", "").strip().splitlines())
    return f"{before}{BEGIN}\n```\n$ make demo\n{told}\n```\n{END}{after}"


def recorded(page: str) -> str:
    """Return the recording of a page, or ""."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


if __name__ == "__main__":
    sys.exit(main())
