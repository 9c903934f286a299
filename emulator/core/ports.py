"""Free ports for services that must know their port before they listen on it."""

import random
import socket

# Below the ports that Linux and macOS give to outgoing connections. Such a connection may take a port of theirs between
# its choice and its use, and keep it for minutes.
CHOSEN_FROM = range(20_000, 32_000)
TRIES = 100


def listen_on_free_port() -> socket.socket:
    """Return a listening socket on a random free port of this machine's loopback address.

    Raises:
        OSError: a hundred ports were taken.
    """
    *others, last = random.sample(CHOSEN_FROM, TRIES)
    for port in others:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            continue
    return socket.create_server(("127.0.0.1", last))
