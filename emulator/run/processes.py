"""The processes of a running platform, with their memory and CPU time."""

import resource
from typing import Any

import psutil

from emulator.run.state import Running, descendants

# Fifty clusters need some 700 connections and listeners. macOS allows 256 by default, and at most this number.
OPEN_FILES = 10_240


def allow_open_files() -> None:
    """Raise the limit of open files for this process and its children, because many clusters need many connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def describe(running: Running, restarts: dict[str, int] | None = None) -> list[dict[str, Any]]:
    """Return an entry for each process: the platform's own, its children, and their descendants (the app's worker).

    Memory is the proportional set size if the system reports it (Linux), because those sizes can be added up; otherwise
    it is the resident set size.
    """
    entries = []
    for name, identity in (("azure", running.platform), *running.children.items()):
        process = identity.process()
        if process is None:
            entries.append({"name": name, "pid": None, "memoryMiB": 0.0, "restarts": (restarts or {}).get(name, 0)})
            continue
        entries.append(_entry(name, process) | {"restarts": (restarts or {}).get(name, 0)})
        if name != "azure":
            entries += [_entry(f"{name}: worker", child) for child in descendants(process)]
    return entries


def _entry(name: str, process: psutil.Process) -> dict[str, Any]:
    try:
        with process.oneshot():
            times = process.cpu_times()
            return {
                "name": name,
                "pid": process.pid,
                "memoryMiB": round(memory_bytes(process) / 2**20, 1),
                "cpuSeconds": round(times.user + times.system, 2),
            }
    except psutil.NoSuchProcess:
        return {"name": name, "pid": None, "memoryMiB": 0.0}


def memory_bytes(process: psutil.Process) -> int:
    """Return the memory of a process in bytes, with shared pages counted in proportion if the system reports that."""
    memory = process.memory_full_info()
    held: int = getattr(memory, "pss", 0) or memory.rss
    return held
