"""`make lock`: pin all packages again, and say which major versions have changed.

One file serves every Python that the service may run on, so a release that needs a newer Python would split it without
a word. Each of those Pythons is therefore resolved by itself as well.
"""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
UV = REPOSITORY / ".venv" / "bin" / "uv"
PINS = [
    "requirements",
    "requirements-dev",
    "tools/node/requirements",
    "tools/az/requirements",
    "tools/client/requirements",
    *(str(path.with_suffix("").relative_to(REPOSITORY)) for path in sorted(REPOSITORY.glob("tools/*/*/*.in"))),
]
# What a file pins besides its `.in` file.
MORE = {"tools/client/requirements": ["client/pyproject.toml"]}
OLDEST_PYTHON = "3.11"
# Those of Azure Functions that the service must be able to run on, now or next.
PYTHONS = (OLDEST_PYTHON, "3.13", "3.14")
PINNED = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\d+)", re.MULTILINE)


def majors(pins: str) -> dict[str, tuple[int, ...]]:
    """Return the major versions of each package in a file of pins; several if they depend on the Python."""
    packages: dict[str, set[int]] = {}
    for name, major in PINNED.findall(pins):
        packages.setdefault(name, set()).add(int(major))
    return {name: tuple(sorted(versions)) for name, versions in packages.items()}


def changes(before: Mapping[str, tuple[int, ...]], after: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Return a line for each package whose major versions differ; new and removed packages are not named."""
    return [
        f"{name}: {_words(before[name])} -> {_words(after[name])}"
        for name in sorted(before.keys() & after.keys())
        if before[name] != after[name]
    ]


def _words(versions: tuple[int, ...]) -> str:
    return " and ".join(map(str, versions))


def _compile(name: str, *options: str) -> None:
    words = [str(UV), "pip", "compile", "--upgrade", "--quiet", "--no-header", "--no-emit-find-links"]
    subprocess.run([*words, *options, f"{name}.in", *MORE.get(name, [])], cwd=REPOSITORY, check=True)


def main() -> int:
    """Pin every file, then resolve what the service needs for each Python; return the exit code."""
    for name in PINS:
        pins = REPOSITORY / f"{name}.txt"
        before = majors(pins.read_text(encoding="utf-8"))
        _compile(name, "--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes", "-o", f"{name}.txt")
        after = majors(pins.read_text(encoding="utf-8"))
        for line in changes(before, after):
            print(f"{name}.txt: {line}")  # noqa: T201 - the answer
    for version in PYTHONS:
        _compile("requirements", "--python-version", version, "-o", "/dev/null")
        print(f"requirements.in resolves for Python {version}")  # noqa: T201 - the answer
    return 0


if __name__ == "__main__":
    sys.exit(main())
