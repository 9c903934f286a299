"""shellcheck on all shell scripts of the graph."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.product.unit.installer.bootstrap import bootstrap_machine
from tests.product.unit.installer.bootstrap.bootstrap_machine import IDS
from tests.product.unit.installer.bootstrap.machine import script

# It is installed with the packages of the tests, beside their interpreter.
SHELLCHECK = shutil.which("shellcheck", path=str(Path(sys.executable).parent)) or shutil.which("shellcheck")
needs_shellcheck = pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed: see requirements-dev.in")


def check(folder: Path, scripts: dict[str, str]) -> str:
    """Return shellcheck's findings about scripts."""
    assert SHELLCHECK
    for path, text in scripts.items():
        (folder / Path(path).name).write_text(text)
    files = sorted(str(folder / Path(path).name) for path in scripts)
    command = [SHELLCHECK, "--format=gcc", "--external-sources", f"--source-path={folder}", *files]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=200).stdout


@needs_shellcheck
@pytest.mark.parametrize("flavour", IDS)
def test_shellcheck_has_nothing_against_any_script(flavour: str, tmp_path: Path) -> None:
    """Each script as the machine gets it, with the cluster's values."""
    scripts = bootstrap_machine.scripts(flavour)
    assert {"/usr/local/bin/approve-csr.sh", "/usr/local/bin/installer-gather.sh"} <= scripts.keys()
    assert check(tmp_path, scripts) == ""


@needs_shellcheck
def test_shellcheck_has_nothing_against_the_stages_of_any_release(tmp_path: Path) -> None:
    """The script is generated for each release, and none of its variables is unused."""
    releases = [("T", "4.4.33"), ("B", "4.6.1"), *(("C", f"4.{minor}.1") for minor in range(8, 20))]
    scripts = {f"/{version}.sh": script("bootkube.sh", flavour, version) for flavour, version in releases}
    assert check(tmp_path, scripts) == ""


@needs_shellcheck
def test_shellcheck_finds_what_is_wrong(tmp_path: Path) -> None:
    """So the test above can fail."""
    assert "SC2086" in check(tmp_path, {"/a.sh": "#!/bin/bash\nrm $1\n"})


@pytest.mark.parametrize("flavour", IDS)
def test_no_value_is_left_out_of_a_script(flavour: str) -> None:
    """And each begins by naming its shell, and has it stop at a variable that is not set."""
    for path, text in bootstrap_machine.scripts(flavour).items():
        assert not [word for word in text.split() if word.startswith("@") and word.endswith("@")], path
        assert text.startswith("#!/usr/bin/env bash\n"), path
