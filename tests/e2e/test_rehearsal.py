"""`make rehearse` with an installer and programs of our own: a create, its stages, a look inside, and a delete."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import openshift_install
from tests.product.unit.rehearsal.release import accepting

REPOSITORY = Path(__file__).resolve().parents[2]
SECONDS = 600


@pytest.mark.slow(90)
@pytest.mark.timeout(SECONDS + 30)
def test_a_release_whose_programs_accept_is_created_rehearsed_and_deleted(tmp_path: Path) -> None:
    installer = tmp_path / "installer" / "openshift-install"
    openshift_install.install(installer, "4.19.25")
    words = ("--installer", installer, "--programs", accepting(tmp_path / "programs"), "--state", tmp_path / "state")
    done = subprocess.run(
        [sys.executable, "-m", "tools.rehearse", "--time-scale", "100", *map(str, words)],
        cwd=REPOSITORY,
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
