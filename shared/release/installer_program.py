"""Where the program `openshift-install` of a release lies on this machine, and whether the machine has room for it.

The installer fetches it there. Readiness asks before the first create whether it will fit.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shared.release import release_rules

# Measured with a program of the size of those of 2026: docs/figures.md. The archive is never kept beside it.
DISK_BYTES = 1100 << 20
# The program itself takes a tenth of it. The function app and other creates need the rest.
MEMORY_BYTES = 1536 << 20


def digest(release: Mapping[str, Any]) -> str:
    """Return the digest by which the program is fetched; "" if there is none.

    Args:
        release: `pullspec`, and `installerDigest` if the entry has one.
    """
    return release.get("installerDigest") or release_rules.pinned_digest(release["pullspec"])


def path(template: str, release: Mapping[str, Any]) -> Path:
    """Return the path of a version's program, whether or not it exists yet.

    Args:
        template: the setting `OPENSHIFT_INSTALL`.
        release: as for `digest`, and `version`.
    """
    plain = digest(release).removeprefix("sha256:")
    return Path(tempfile.gettempdir()) / template.replace("{version}", release["version"]).replace("{digest}", plain)


def lack_of_room(program: Path) -> str:
    """Return what this machine has too little of for a program that has yet to be fetched; "" if it has enough."""
    if program.exists():
        return ""
    folder = next(parent for parent in program.parents if parent.exists())
    free = shutil.disk_usage(folder).free
    if free < DISK_BYTES:
        return f"{free >> 20} MiB of disk are free, and it takes {DISK_BYTES >> 20}"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if memory < MEMORY_BYTES:
        return f"an instance has {memory >> 20} MiB of memory, and it takes {MEMORY_BYTES >> 20}"
    return ""
