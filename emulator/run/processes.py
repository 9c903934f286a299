"""The processes of a running platform and what they cost."""

import resource
from typing import Any

import psutil

from emulator.run.state import Running

# Fifty clusters are some 700 connections and listeners; macOS gives a process 256 unless it asks, and no more than this.
OPEN_FILES = 10_240


def allow_open_files() -> None:
    """Let this process, and those that it starts, hold as many connections as many clusters need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def describe(running: Running, restarts: dict[str, int] | None = None) -> list[dict[str, Any]]:
    """Return one entry for each process: the platform's own, its children, and theirs (the app's worker).

    Memory is the proportional set size where the system tells it (Linux), since that can be added up; elsewhere the
    resident set size.
    """
    entries = []
    for name, identity in (("azure", running.platform), *running.children.items()):
        process = identity.process()
        if process is None:
            entries.append({"name": name, "pid": None, "memoryMiB": 0.0, "restarts": (restarts or {}).get(name, 0)})
            continue
        entries.append(_entry(name, process) | {"restarts": (restarts or {}).get(name, 0)})
        if name != "azure":
            entries += [_entry(f"{name}: worker", child) for child in _descendants(process)]
    return entries


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    """Return the processes below one; none when it has ended since it was found."""
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


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
    """Return what a process holds in memory, shared pages counted in proportion where the system can tell."""
    memory = process.memory_full_info()
    held: int = getattr(memory, "pss", 0) or memory.rss
    return held
