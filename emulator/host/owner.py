"""Who a lease belongs to, and how a host proves that an owner on the same machine is dead."""

import os
import socket

import psutil

_CLOCK_TOLERANCE_SECONDS = 5


def current_owner() -> str:
    """Name this host: machine, process id and the start of the process, so that a reused id is told apart."""
    process = psutil.Process(os.getpid())
    return f"{socket.gethostname()}/{process.pid}/{process.create_time():.2f}"


def is_known_dead(owner: str) -> bool:
    """Whether the owner ran on this machine and its process is gone; of other machines nothing is known."""
    machine, process_id, started = owner.rsplit("/", 2)
    if machine != socket.gethostname():
        return False
    try:
        # The start is derived from the boot time, which moves when the clock is set.
        return abs(psutil.Process(int(process_id)).create_time() - float(started)) > _CLOCK_TOLERANCE_SECONDS
    except psutil.NoSuchProcess:
        return True
