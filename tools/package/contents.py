"""What of this repository is in the package. `.funcignore` excludes the rest, for other tools that publish it."""

import gzip
import subprocess
from collections.abc import Iterator
from pathlib import Path

from shared import portal_files
from shared.phase_documents.kustomize import BINARIES, IN_PACKAGE, INSTALLED, REPOSITORY

PRODUCT = (
    "activities",
    "function_app.py",
    "host.json",
    "http",
    "infra/subscription.json",
    "installer",
    "orchestrators",
    "requirements.txt",
    "shared",
    "timers",
)
# What development leaves in or adds to the product's folders.
LEFT_OUT = ("__pycache__", "ruff.toml")
# The commit, which `shared/settings.py` reads as the default of BUILD.
BUILD_FILE = "build.txt"


def product_files(repository: Path) -> dict[str, bytes]:
    """Return the product's files in the package: content by path."""
    return {path.relative_to(repository).as_posix(): path.read_bytes() for path in _paths(repository)} | _build(
        repository
    )


def kustomize(repository: Path) -> dict[str, bytes]:
    """Return kustomize for the function app, which renders phases with it; nothing where it is not installed."""
    package, _ = BINARIES["Linux", "x86_64"]
    path = repository / INSTALLED.relative_to(REPOSITORY) / package / package
    return {IN_PACKAGE: path.read_bytes()} if path.is_file() else {}


def portal(repository: Path) -> dict[str, bytes]:
    """Return what the page for people has in a package only: npm's files, if they are installed, and all compressed."""
    installed = repository / portal_files.INSTALLED.relative_to(portal_files.REPOSITORY)
    static = repository / portal_files.IN_PACKAGE
    of_npm = {name: installed / part for name, part in portal_files.OF_NPM.items()}
    parts = {name: path.read_bytes() for name, path in of_npm.items() if path.is_file()}
    files = {path.name: path.read_bytes() for path in static.glob("*.*")} | parts
    # No time and no name are in it, so that one commit always gives the same bytes.
    packed = {f"{name}{portal_files.COMPRESSED}": gzip.compress(content, 9, mtime=0) for name, content in files.items()}
    return {f"{portal_files.IN_PACKAGE}/{name}": content for name, content in (parts | packed).items()}


def _paths(repository: Path) -> Iterator[Path]:
    for name in PRODUCT:
        top = repository / name
        for path in [top] if top.is_file() else top.rglob("*"):
            inside = path.relative_to(repository).parts
            if path.is_file() and not any(part in LEFT_OUT or part.startswith(".") for part in inside):
                yield path


def _build(repository: Path) -> dict[str, bytes]:
    """Return the file with the commit, marked if the product differs from it; nothing outside a git repository."""
    commit = _git(repository, "rev-parse", "HEAD")
    if not commit:
        return {}
    dirty = "-dirty" if _git(repository, "status", "--porcelain", "--", *PRODUCT) else ""
    return {BUILD_FILE: f"{commit}{dirty}\n".encode()}


def _git(repository: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=repository, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
