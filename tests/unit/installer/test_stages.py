"""The stages as a table: whole, and the same as the emulated machine's."""

import json
import re
import shutil
import subprocess

import pytest

from emulator.openshift import timeline
from shared.installer import stages
from shared.installer.stage import BEFORE, FLAVOURS, ROOT, Stage
from tests.unit.installer import example
from tests.unit.installer.machine import known, script

MARKED = re.compile(r"touch (\S+\.done)")


def boot_files(flavour: str) -> set[str]:
    """Return the paths in the bootstrap ignition below /opt/openshift, and their folders as `folder/*`."""
    ignition = json.loads(example.remade(known(flavour)).file("bootstrap.ign"))
    files = {file["path"].removeprefix(f"{ROOT}/") for file in ignition["storage"]["files"]}
    return files | {f"{path.partition('/')[0]}/*" for path in files}


def named(stage: Stage, flavour: str) -> set[str]:
    """Return the files of the ignition that a stage says it reads."""
    flags = stages.of_release(stage.flags, known(flavour)["release-image"])
    given = [flag.value for flag in flags if not flag.where]
    found = {
        match for value in given for match in re.findall(r"(?:/assets|\$\{PWD\})/((?:tls|manifests|auth)/.+)", value)
    }
    return found | set(stage.needs)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_file_that_a_stage_needs_is_in_the_ignition(flavour: str) -> None:
    wanted = {name for stage in stages.stages(flavour) for name in named(stage, flavour)}
    assert wanted - boot_files(flavour) == set()


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_image_that_a_stage_runs_is_looked_up_before(flavour: str) -> None:
    release = known(flavour)["release-image"]
    looked_up = {image.variable for image in stages.of_release(stages.IMAGES, release)} | {stages.RELEASE}
    assert {stage.image for stage in stages.stages(flavour) if stage.image} <= looked_up


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_script_marks_each_stage_in_the_order_of_the_table(flavour: str) -> None:
    assert MARKED.findall(script("bootkube.sh", flavour)) == [
        stage.marker for stage in stages.stages(flavour) if stage.marker
    ]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_emulated_machine_shows_what_the_stages_do(flavour: str) -> None:
    """Each is written for itself, so that both would have to be wrong in the same way."""
    ours = [*BEFORE, *(shown for stage in stages.stages(flavour) for shown in stage.shows)]
    assert [row.name for row in timeline.BOOTSTRAP if flavour in row.flavours] == ours


@pytest.mark.parametrize("name", ["bootkube.sh", "release-image-download.sh", "release-image.sh", "report-progress.sh"])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_bash_can_read_every_script(flavour: str, name: str) -> None:
    bash = shutil.which("bash") or "bash"
    done = subprocess.run([bash, "-n"], input=script(name, flavour), text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_release_has_the_arguments_of_its_version() -> None:
    """Not of its flavour alone: a program ends at an argument that it does not know."""
    assert "--etcd-discovery-domain=" in script("bootkube.sh", "B", "4.6.1")
    assert "--etcd-discovery-domain=" not in script("bootkube.sh", "B", "4.7.4")
    assert "--cluster-auth-file=" not in script("bootkube.sh", "B", "4.6.1")
    assert "--manifests-dir=" not in script("bootkube.sh", "T", "4.4.33")
    assert "--manifests-dir=" in script("bootkube.sh", "T", "4.5.41")
