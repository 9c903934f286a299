"""The list of processes, whatever happens to them in the meantime, and the limit on open files."""

import subprocess
import sys
from unittest import mock

import psutil

from emulator.run.processes import describe
from emulator.run.state import ProcessId, Running


def test_a_platform_may_hold_the_connections_of_many_clusters() -> None:
    """The platform raises the shell's limit on open files as far as the system allows."""
    program = (
        "import resource; from emulator.run.processes import allow_open_files; kind = resource.RLIMIT_NOFILE;"
        "resource.setrlimit(kind, (256, 4096)); allow_open_files(); print(resource.getrlimit(kind));"
        "allow_open_files(); print(resource.getrlimit(kind))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["(4096, 4096)"] * 2


def test_a_process_that_dies_while_it_is_described_does_not_break_the_list() -> None:
    """The dead process has an entry of what was known of it, and the other entries are complete."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        running = Running(ProcessId.of(psutil.Process().pid), 1, "", {"host": ProcessId.of(child.pid)})
        with mock.patch.object(psutil.Process, "children", side_effect=psutil.NoSuchProcess(child.pid)):
            entries = describe(running)
        child.kill()
    assert [entry["name"] for entry in entries] == ["azure", "host"]
