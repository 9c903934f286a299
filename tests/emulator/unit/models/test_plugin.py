"""A run of tests in which the local Azure answered what Azure would not fails, although each test passed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.models.samples import FOLDER

ROOT = Path(__file__).parents[4]
LINE: dict[str, Any] = {
    "service": "arm",
    "operation": "GET Microsoft.Network/publicIPAddresses",
    "method": "GET",
    "path": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/publicIPAddresses/a?api-version=2024-05-01",
    "status": 200,
    "step": "",
    "caller": "",
    "correlation_id": "correlation",
    "fault": "",
    "request": None,
    "reply": {"name": "a", "properties": {"publicIPAllocationMethod": "Static"}},
}


def _run(folder: Path, line: dict[str, Any], *options: str) -> tuple[int, str]:
    """Run one passing test, which writes a line as a platform does; return the exit code and what was printed."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "line.json").write_text(json.dumps(line))
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.models.plugin"]\n')
    (folder / "test_one.py").write_text(
        "import os, pathlib\n"
        "def test_one():\n"
        "    line = pathlib.Path(__file__).with_name('line.json').read_text()\n"
        f"    (pathlib.Path(os.environ['{FOLDER}']) / 'one.jsonl').write_text(line + '\\n')\n"
    )
    kept = {name: value for name, value in os.environ.items() if name not in {FOLDER, "PYTEST_XDIST_WORKER"}}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder), *options]
    # Most of a start is the loading of plugins that this run does not need.
    environment = kept | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("-p", "xdist.plugin", "-n", "1")], ids=["one process", "workers"])
def test_a_wrong_answer_fails_a_run_whose_tests_passed(options: tuple[str, ...], tmp_path: Path) -> None:
    """The exit code says so, and the last lines say what was sent and what the model has."""
    wrong = LINE | {"reply": {"name": "a", "properties": {"publicIPAllocationMethod": "Sometimes"}}}
    code, printed = _run(tmp_path, wrong, *options)
    assert "1 passed" in printed
    assert code == 1
    assert (
        "arm: GET Microsoft.Network/publicIPAddresses: $.properties.publicIPAllocationMethod: other value: "
        "sent 'Sometimes'; PublicIPAddressPropertiesFormat of azure.mgmt.network has IPAllocationMethod: Static, Dynamic"
    ) in printed


def test_a_right_answer_does_not(tmp_path: Path) -> None:
    """The last lines say how much was validated."""
    code, printed = _run(tmp_path, LINE)
    assert (code, "1 kinds of exchanges, 0 violations" in printed) == (0, True)
