"""What was run on this machine: one process at a time runs a plan, and a run whose process is gone says so."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phases.command import app
from phases.local.operations import Operation, Operations
from shared.bundles.problems import BundleError
from shared.steps import StepStatus

HOLDS = """
import pathlib, sys
from phases.local.operations import Operations
with Operations(pathlib.Path(sys.argv[1])).alone("team/first"):
    print("held", flush=True)
    sys.stdin.read()
"""


def begin(folder: Path) -> Operation:
    """Record that a run of the plan has begun."""
    return Operations(folder).begin({"name": "team/first", "rows": [], "done": []}, "digest")  # type: ignore[typeddict-item]  # only what is read here


def test_a_run_is_interrupted_once_its_process_has_been_killed(tmp_path: Path) -> None:
    """As long as the process lives, nobody else runs the plan; another plan is not in its way."""
    operation, operations = begin(tmp_path), Operations(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert not operations.interrupted(operation)
        with (
            pytest.raises(BundleError, match="Another process runs the plan 'team/first'"),
            operations.alone("team/first"),
        ):
            pass
        with operations.alone("team/second"):
            pass
        process.kill()
    assert operations.interrupted(operation)
    with operations.alone("team/first"):
        pass


def test_a_run_that_has_ended_is_not_interrupted(tmp_path: Path) -> None:
    """Whether or not a process holds the plan."""
    operation = begin(tmp_path)
    operation.end(StepStatus.FAILED, {"code": "Failed", "message": "It failed."})
    assert not Operations(tmp_path).interrupted(operation)


def test_a_program_is_told_how_a_run_ended(tmp_path: Path) -> None:
    """With the error as the service would give it."""
    operation = begin(tmp_path)
    operation.end(StepStatus.FAILED, {"code": "Failed", "message": "It failed."})
    words = ["plan", "status", "first", "--namespace", "team", "--state", str(tmp_path), "-o", "json"]
    told = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).output)
    assert told == {
        "plan": "team/first",
        "status": "Failed",
        "startTime": operation.document["startTime"],
        "endTime": operation.document["endTime"],
        "error": {"code": "Failed", "message": "It failed."},
        "phases": [],
    }
