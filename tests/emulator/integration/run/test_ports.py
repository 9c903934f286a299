"""The ports of a platform: each is chosen by one process, they stay from start to start, and a taken one is refused."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from emulator.run.command_error import RunError
from emulator.run.state import PORTS, StateFolder
from tests.platform_server import free_port

FIRST_OF_CONNECTIONS = 32_768
# So many that two of them are the same if each process chooses for itself.
PROCESSES, FOLDERS = 3, 16
CHOOSE = f"""
import sys
from pathlib import Path
from emulator.run.state import StateFolder

for number in range({FOLDERS}):
    (folder := Path(sys.argv[1]) / str(number)).mkdir(parents=True)
    print(*StateFolder(folder).choose_ports({{}}).values())
"""


def test_no_port_is_chosen_twice_before_its_service_listens(tmp_path: Path) -> None:
    """Several local Azures start at once, and some of their services listen only minutes after the ports are chosen."""
    commands = [(sys.executable, "-c", CHOOSE, str(tmp_path / str(number))) for number in range(PROCESSES)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    chosen = [free_port() for _ in range(FOLDERS)]
    for process in processes:
        output, _ = process.communicate()
        chosen += [int(port) for port in output.split()]
    assert len(chosen) == (PROCESSES * len(PORTS) + 1) * FOLDERS
    assert len(set(chosen)) == len(chosen)


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
