"""Files that the installer's command writes: each complete or absent, and by one run at a time."""

import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from installer.command import command_files
from installer.command.command import FAILURE, INTERRUPTED, SUCCESS, main
from installer.command.command_inputs import Wrong

EXAMPLE = ("create", "install-config", "--example", "--dir")


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """This includes files that were already written when the disk was full; the error names the file without space."""
    (tmp_path / "a").write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
        with pytest.raises(OSError, match="large") as failed:
            command_files.write(tmp_path, {"a": "new", "b/c": "x" * (2 << 20)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert failed.value.filename == str(tmp_path / "b/c")
    assert [file.name for file in sorted(tmp_path.rglob("*"))] == ["a", "b"]
    assert (tmp_path / "a").read_text() == "old"


def test_an_interrupted_run_leaves_what_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends with the exit code that shells expect, and one line instead of a trace."""

    def interrupt(_file: Path, _text: str) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_files, "_part", interrupt)
    assert main([*EXAMPLE, str(tmp_path / "new")], {}) == INTERRUPTED
    assert capsys.readouterr().err.startswith("error: interrupted")
    assert not (tmp_path / "new").exists()


def test_what_a_killed_run_left_is_not_written_into(tmp_path: Path) -> None:
    """Anybody may be able to read it."""
    left = tmp_path / ".a.part"
    left.write_text("half")
    left.chmod(0o666)
    assert command_files.write(tmp_path, {"a": "whole"}) == [f"written: {tmp_path / 'a'}"]
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert not left.exists()


def test_a_second_run_in_a_folder_is_sent_away_while_the_first_is_at_work(tmp_path: Path) -> None:
    """Otherwise the keys of one run could be beside the manifests of the other."""
    with (
        command_files.alone(tmp_path),
        pytest.raises(Wrong, match="Another run is at work"),
        command_files.alone(tmp_path),
    ):
        pass
    with command_files.alone(tmp_path):
        pass


def test_a_folder_that_a_failing_run_made_goes_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If something else is at the folder's path, the error says so."""
    assert main(["create", "manifests", "--dir", str(tmp_path / "new")], {}) == FAILURE
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    assert main([*EXAMPLE, str(tmp_path / "file")], {}) == FAILURE
    assert f"{tmp_path / 'file'}: It is not a folder." in capsys.readouterr().err


def test_files_are_written_even_if_nobody_reads_what_is_told(tmp_path: Path) -> None:
    """The first line may go to a pipe that is closed."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "installer", *EXAMPLE, str(tmp_path)], stdout=writer, check=False, timeout=200
    )
    os.close(writer)
    assert done.returncode == FAILURE
    assert sorted(file.name for file in tmp_path.iterdir()) == ["install-config.yaml", "ssh-key", "ssh-key.pub"]


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its own name, not by that of a part."""
    (tmp_path / "install-config.yaml").mkdir()
    assert main([*EXAMPLE, str(tmp_path), "--overwrite"], {}) == FAILURE
    assert capsys.readouterr().err == f"error: {tmp_path / 'install-config.yaml'}: Is a directory\n"
    assert main([*EXAMPLE, str(tmp_path / "other")], {}) == SUCCESS
