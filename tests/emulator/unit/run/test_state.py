"""The state folder: who holds it, which leftovers are ended, and what may be removed."""

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import psutil
import pytest
from typer.testing import CliRunner

from emulator.run.command_error import RunError
from emulator.run.commands.cli import app
from emulator.run.state import ProcessId, Running, StateFolder, end_trees


def test_a_second_platform_is_told_where_the_first_one_runs(tmp_path: Path) -> None:
    """Two platforms on one folder would destroy each other's state."""
    first = StateFolder(tmp_path)
    first.acquire()
    first.write_running(Running(ProcessId.of(os.getpid()), 40, "2026-01-01T00:00:00+00:00"))
    with pytest.raises(RunError, match=rf"already runs on {tmp_path} as process {os.getpid()}, since 2026-01-01"):
        StateFolder(tmp_path).acquire()
    first.release()
    second = StateFolder(tmp_path)
    second.acquire()
    second.release()


def test_a_process_id_that_was_given_away_again_is_not_taken_for_ours() -> None:
    """Ending somebody else's process is worse than leaving one of ours."""
    own = ProcessId.of(os.getpid())
    assert own.process() is not None
    assert ProcessId(own.pid, own.created - 100).process() is None


def test_what_a_killed_platform_left_is_ended_and_nothing_else(tmp_path: Path) -> None:
    """The children of a killed platform are ended by the next command."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as left:
        folder = StateFolder(tmp_path)
        folder.write_running(Running(ProcessId(2**22 + 1, 0), 40, "", {"functions": ProcessId.of(left.pid)}))
        folder.write_endpoints({})
        folder.end_leftovers()
        assert left.wait(timeout=60) != 0
    # `up --detach` would take them for the new platform's, and return before it is ready.
    assert not folder.endpoints.exists()


def test_a_process_that_ends_by_itself_meanwhile_does_not_keep_the_others_alive() -> None:
    """On a busy machine one of a platform's processes ends between two looks at it, and `down` goes on."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as left:
        gone = mock.patch.object(psutil.Process, "children", side_effect=psutil.NoSuchProcess(left.pid))
        with gone:
            end_trees([ProcessId.of(left.pid)])
        assert left.wait(timeout=60) != 0


def test_status_tells_of_a_platform_that_died(tmp_path: Path) -> None:
    """Nothing restarts it, so the output says that it is gone, where to read why, and what to do."""
    folder = StateFolder(tmp_path)
    none = CliRunner().invoke(app, ["status", "--state", str(tmp_path)])
    assert (none.exit_code, "killed or crashed" in none.output) == (3, False)
    folder.write_running(Running(ProcessId(2**22 + 1, 0), 40, "2026-01-01T00:00:00+00:00"))
    dead = CliRunner().invoke(app, ["status", "--state", str(tmp_path)])
    assert dead.exit_code == 3
    assert "of 2026-01-01T00:00:00+00:00, was killed or crashed" in dead.output
    assert str(folder.logs / "azure.log") in dead.output
    assert f"up --state {tmp_path}" in dead.output


def test_the_folder_is_its_owners_whatever_the_umask(tmp_path: Path) -> None:
    """The folder holds keys, and somebody may have created it readable for everybody."""
    root = tmp_path / "state"
    root.mkdir(mode=0o755)
    folder = StateFolder(root)
    folder.acquire()
    folder.release()
    assert root.stat().st_mode & 0o777 == 0o700


def test_a_whole_tree_of_processes_ends(tmp_path: Path) -> None:
    """For example, a host's worker ends with the host."""
    code = "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as parent:
        assert parent.stdout is not None
        child = ProcessId.of(int(parent.stdout.readline()))
        end_trees([ProcessId.of(parent.pid)])
        assert child.process() is None


ORDERLY = """
import signal, subprocess, sys
child = subprocess.Popen(["sleep", "60"])
def stop(*_):
    try:
        child.wait(timeout=0.3)
        print("was ended by somebody else", flush=True)
    except subprocess.TimeoutExpired:
        print("lives", flush=True)
        child.kill()
    sys.exit()

signal.signal(signal.SIGTERM, stop)
print("ready", flush=True)
signal.pause()
"""


def test_a_process_ends_its_own_children_while_it_can() -> None:
    """If its worker ended first, a host would take that for a crash of the app."""
    with subprocess.Popen([sys.executable, "-c", ORDERLY], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        end_trees([ProcessId.of(parent.pid)])
        assert parent.stdout.read() == "lives\n"


def test_only_a_state_folder_may_be_removed(tmp_path: Path) -> None:
    """`reset --state ~` must not remove the home folder."""
    assert not StateFolder(tmp_path).is_ours()
    folder = StateFolder(tmp_path)
    folder.acquire()
    assert folder.is_ours()
    folder.release()


def test_secrets_are_written_for_their_owner_alone(tmp_path: Path) -> None:
    """`endpoints.json` holds client secrets."""
    folder = StateFolder(tmp_path)
    folder.write_endpoints({"client_secret": "x"})
    assert folder.endpoints.stat().st_mode & 0o777 == 0o600
