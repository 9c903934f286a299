"""Free ports for services that must know their port before they listen on it."""

import contextlib
import errno
import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

# Below the ports that Linux and macOS give to outgoing connections. Such a connection may take a port of theirs between
# its choice and its use, and keep it for minutes. From 30,000 to 31,000, a Functions host takes one for its worker.
CHOSEN_FROM = range(20_000, 30_000)


def listen_on_free_port() -> socket.socket:
    """Return a listening socket on a free port of this machine's loopback address.

    All processes of a user take ports in turn, one after the other. A service may therefore listen on its port long
    after it was chosen, and again after a restart: its turn comes again only after all the others.

    Raises:
        OSError: all ports are taken.
    """
    path = Path(tempfile.gettempdir()) / f"local-azure-ports-{os.getuid()}"
    path.touch(mode=0o600)
    with path.open("r+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        last = int(file.read() or random.choice(CHOSEN_FROM))  # noqa: S311 - any will do
        for port in (*range(last + 1, CHOSEN_FROM.stop), *range(CHOSEN_FROM.start, last + 1)):
            with contextlib.suppress(OSError):
                listener = socket.create_server(("127.0.0.1", port))
                file.seek(0)
                file.write(str(port))
                return listener
    raise OSError(errno.EADDRINUSE, f"All ports from {CHOSEN_FROM.start} to {CHOSEN_FROM.stop - 1} are taken")
