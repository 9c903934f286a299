"""The ports of a platform: they stay the same from start to start, and a taken one is refused."""

import socket
from pathlib import Path

import pytest

from emulator.run.errors import RunError
from emulator.run.state import PORTS, StateFolder

FIRST_OF_CONNECTIONS = 32_768


def test_ports_are_kept_from_one_up_to_the_next(tmp_path: Path) -> None:
    """URLs that people have copied elsewhere stay valid."""
    first = StateFolder(tmp_path).choose_ports({})
    assert set(first) == set(PORTS)
    assert len(set(first.values())) == len(PORTS)
    # Outgoing connections get ports from here on, of which one took Azurite's, and kept it for minutes.
    assert max(first.values()) < FIRST_OF_CONNECTIONS
    assert StateFolder(tmp_path).choose_ports({}) == first


def test_a_taken_port_names_the_option_that_chooses_another(tmp_path: Path) -> None:
    """The message names the port, its service and the option to use."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RunError, match=rf"Port {port} \(arm: .*--port arm=NUMBER"):
            StateFolder(tmp_path).choose_ports({"arm": port})
