"""The last package: what it was made from, so that the same one is not made twice.

Whoever publishes twice from one commit, or runs the commands of both pages of deployment, waits once.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path


def digest(files: Mapping[str, bytes], *choices: str) -> str:
    """Return the digest of all that decides what is in a package.

    Args:
        files: what is packaged besides the dependencies, whose lock file is among it: content by path.
        choices: what else decides: the Python of the app, and the one that compiles.
    """
    own = {path.name: path.read_bytes() for path in Path(__file__).parent.glob("*.py")}
    whole = hashlib.sha256(json.dumps(choices).encode())
    for name, content in (*sorted(files.items()), *sorted(own.items())):
        whole.update(f"\n{hashlib.sha256(content).hexdigest()} {name}".encode())
    return whole.hexdigest()


def description(package: Path, made_from: str) -> str | None:
    """Return what was said of a package, or None if there is none that was made from the same.

    Args:
        package: the zip.
        made_from: digest of what it would be made from now.
    """
    try:
        known = json.loads(_note_of(package).read_text(encoding="utf-8"))
        unchanged = known["from"] == made_from and known["sha256"] == _sha256(package)
    except (FileNotFoundError, ValueError):
        return None
    return str(known["description"]) if unchanged else None


def note(package: Path, made_from: str, text: str) -> None:
    """Note what a package was made from, and what is said of it."""
    known = {"from": made_from, "sha256": _sha256(package), "description": text}
    _note_of(package).write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")


def _note_of(package: Path) -> Path:
    return package.with_suffix(".made.json")


def _sha256(package: Path) -> str:
    return hashlib.sha256(package.read_bytes()).hexdigest()
