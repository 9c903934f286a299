"""Owners of leases: the name of this host, and the proof that an owner on the same machine is dead."""

import os
import socket

import psutil

_CLOCK_TOLERANCE_SECONDS = 5


def current_owner() -> str:
    """Return this host's name: machine, process id, and the start of the process, which tells reused ids apart."""
    process = psutil.Process(os.getpid())
    return f"{socket.gethostname()}/{process.pid}/{process.create_time():.2f}"


def is_known_dead(owner: str) -> bool:
    """Tell whether the owner ran on this machine and its process is gone; False for owners on other machines."""
    machine, process_id, started = owner.rsplit("/", 2)
    if machine != socket.gethostname():
        return False
    try:
        # The start is derived from the boot time, which changes when the clock is set.
        return abs(psutil.Process(int(process_id)).create_time() - float(started)) > _CLOCK_TOLERANCE_SECONDS
    except psutil.NoSuchProcess:
        return True
