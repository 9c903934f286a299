"""`make emulator ONLY_IF_CHANGED=1`: skip the local Azure's own tests if they have passed for what it is now.

`make emulator` writes the digest of what it has tested into a file that is committed. The digest covers the local
Azure, its tests, and the packages that both are pinned to.
"""

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TESTED = REPOSITORY / "tests" / "emulator.sha256"
# Its tests use the product in one place: they order certificates with the service's own client.
COVERED = ("emulator", "tests/emulator", "shared/vault", "requirements-dev.txt", "tools/azurite/package-lock.json")


def digest(repository: Path) -> str:
    """Return the digest of every file that the tests cover, as it is on disk, by path."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *COVERED]
    names = subprocess.run(listed, cwd=repository, capture_output=True, text=True, check=True).stdout.split("\0")
    whole = hashlib.sha256()
    for path in (repository / name for name in sorted(filter(None, names))):
        if path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            whole.update(f"{content} {path.relative_to(repository).as_posix()}\n".encode())
    return whole.hexdigest()


def main(words: Sequence[str]) -> int:
    """Compare the digests, or write the new one after the tests have passed; return the exit code.

    Args:
        words: `check` exits with 0 if nothing has changed since the tests passed, else with 1. `write` notes that they
            have.
    """
    now = digest(REPOSITORY)
    if list(words) == ["write"]:
        TESTED.write_text(f"{now}\n", encoding="utf-8")
        return 0
    before = TESTED.read_text(encoding="utf-8").strip() if TESTED.is_file() else "nothing"
    print(f"The local Azure is  {now}\nits tests passed on {before}")  # noqa: T201 - the answer
    return int(now != before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
