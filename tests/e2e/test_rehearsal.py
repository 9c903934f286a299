"""`make rehearse` with an installer and programs of our own: a create, its stages, a look inside, and a delete."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.product.unit.rehearsal.release import RELEASE, accepting
from tools.openshift_install import archive

REPOSITORY = Path(__file__).resolve().parents[2]
VERSION = "4.19.25"
SECONDS = 600


def _installer(folder: Path) -> Path:
    """Write the stand-in for a released program, packed: the service lets it read no file of this checkout."""
    folder.mkdir()
    file = folder / archive.PROGRAM
    file.write_bytes(archive.program(archive.modules(), VERSION))
    file.chmod(0o755)
    return file


@pytest.mark.slow(90)
@pytest.mark.timeout(SECONDS + 30)
def test_a_release_whose_programs_accept_is_created_rehearsed_and_deleted(tmp_path: Path) -> None:
    installer = _installer(tmp_path / "installer")
    words = ("--installer", installer, "--programs", accepting(tmp_path / "programs"), "--state", tmp_path / "state")
    done = subprocess.run(
        [sys.executable, "-m", "tools.rehearse", "--time-scale", "100", *map(str, words)],
        cwd=REPOSITORY,
        # The stand-in is of whatever release this names.
        env=os.environ | {"OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE": RELEASE},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    told = done.stdout
    assert done.returncode == 0, told + done.stderr
    order = (
        "The create succeeded.",
        "accepted  openshift-manifests",
        "accepted  cco-bootstrap",
        "Its nodes",
        "Deleting",
    )
    places = [told.index(each) for each in order]
    assert places == sorted(places)
    assert "failed " not in told
    assert "left out" not in told
    assert told.count(" Ready ") == 6
