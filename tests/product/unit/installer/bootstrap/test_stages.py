"""The stages as a table: complete, and matching the emulated machine."""

import json
import re
import shutil
import subprocess

import pytest

from emulator.openshift.boot import timeline
from installer.bootstrap import stages
from installer.bootstrap.stage import ROOT, Stage
from tests.product.unit.installer import example
from tests.product.unit.installer.bootstrap.machine import VERSIONS, known, script

# What can be seen from outside before the first stage.
BEFORE_THE_STAGES = ("release-image", "image-names")
MARKED = re.compile(r"touch (\S+\.done)")
# Flavour and version: one of each flavour, and those between which a table changes.
RELEASES = [*VERSIONS.items(), ("T", "4.4.33"), ("B", "4.6.1"), *(("C", f"4.{minor}.1") for minor in range(8, 20))]
# The emulated machine knows only flavours. What only some releases of a flavour have, it does not show for the others.
NEWEST = [*((flavour, VERSIONS[flavour]) for flavour in "ATB"), RELEASES[-1]]
every_release = pytest.mark.parametrize(("flavour", "version"), RELEASES)


def having(flavour: str, version: str) -> tuple[Stage, ...]:
    """Return the stages of a release."""
    return stages.parts_of_release(stages.STAGES, known(flavour, version)["release-image"])


def boot_files(flavour: str, version: str) -> set[str]:
    """Return the paths in the bootstrap ignition below /opt/openshift, and their folders as `folder/*`."""
    ignition = json.loads(example.remade(known(flavour, version)).file("bootstrap.ign"))
    files = {file["path"].removeprefix(f"{ROOT}/") for file in ignition["storage"]["files"]}
    return files | {f"{path.partition('/')[0]}/*" for path in files}


def named(stage: Stage, flavour: str, version: str) -> set[str]:
    """Return the files of the ignition that a stage declares to read."""
    flags = stages.parts_of_release(stage.flags, known(flavour, version)["release-image"])
    given = [flag.value for flag in flags if not flag.where]
    found = {
        match for value in given for match in re.findall(r"(?:/assets|\$\{PWD\})/((?:tls|manifests|auth)/.+)", value)
    }
    return found | set(stage.needs)


@every_release
def test_every_file_that_a_stage_needs_is_in_the_ignition(flavour: str, version: str) -> None:
    wanted = {name for stage in having(flavour, version) for name in named(stage, flavour, version)}
    assert wanted - boot_files(flavour, version) == set()


@every_release
def test_every_image_that_a_stage_runs_is_looked_up_before(flavour: str, version: str) -> None:
    """No other image is looked up, because one that a release no longer has would end the script."""
    release = known(flavour, version)["release-image"]
    looked_up = {image.variable for image in stages.parts_of_release(stages.IMAGES, release)} | {stages.RELEASE}
    run = {stage.image for stage in having(flavour, version) if stage.image}
    told = set(re.findall(r"\$\{(\w+)\}", " ".join(
        flag.value for stage in having(flavour, version) for flag in stages.parts_of_release(stage.flags, release)
    )))  # fmt: skip
    assert run <= looked_up
    assert looked_up <= run | told


@every_release
def test_the_script_marks_each_stage_in_the_order_of_the_table(flavour: str, version: str) -> None:
    assert MARKED.findall(script("bootkube.sh", flavour, version)) == [
        stage.marker for stage in having(flavour, version) if stage.marker
    ]


@every_release
def test_the_emulated_machine_shows_what_the_stages_do(flavour: str, version: str) -> None:
    """Both are written independently, so both would have to be wrong in the same way."""
    ours = [*BEFORE_THE_STAGES, *(shown for stage in having(flavour, version) for shown in stage.shows)]
    rows = [row.name for row in timeline.BOOTSTRAP if flavour in row.flavours]
    assert [name for name in rows if name in ours or (flavour, version) in NEWEST] == ours


@every_release
def test_bash_can_read_the_script(flavour: str, version: str) -> None:
    bash, text = shutil.which("bash") or "bash", script("bootkube.sh", flavour, version)
    done = subprocess.run([bash, "-n"], input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_release_has_the_arguments_of_its_version() -> None:
    """Not only of its flavour: a program fails at an argument that it does not know."""
    assert "--etcd-discovery-domain=" in script("bootkube.sh", "B", "4.6.1")
    assert "--etcd-discovery-domain=" not in script("bootkube.sh", "B", "4.7.4")
    assert "--cluster-auth-file=" not in script("bootkube.sh", "B", "4.6.1")
    assert "--manifests-dir=" not in script("bootkube.sh", "T", "4.4.33")
    assert "--manifests-dir=" in script("bootkube.sh", "T", "4.5.41")


def test_etcds_operator_is_told_by_the_flavour_what_it_works_with() -> None:
    """From 4.8 on it makes the certificates itself, and knows none of the arguments for ours."""
    for flavour in "TB":
        assert "--etcd-ca=" in script("bootkube.sh", flavour)
        assert "--cluster-configmap-file=" not in script("bootkube.sh", flavour)
    text = script("bootkube.sh", "C", "4.8.1")
    assert "--cluster-configmap-file=/assets/manifests/cluster-config.yaml" in text
    for argument in ("--etcd-ca", "--manifest-etcd-image", "--manifest-cluster-etcd-operator-image"):
        assert f'"{argument}=' not in text


@pytest.mark.parametrize(
    ("since", "argument"),
    [
        (12, "--image-references=/assets/image-references"),
        (14, "--payload-version=${PAYLOAD_VERSION}"),
        (14, "--rendered-manifest-files=/assets/manifests"),
        (15, "/usr/bin/render"),
        (18, "--feature-gate-manifest-path=/assets/manifests/99_feature-gate.yaml"),
        (18, "--operand-kubernetes-version=${KUBERNETES_VERSION}"),
    ],
)
def test_newer_programs_are_told_what_they_ask_for(since: int, argument: str) -> None:
    """From the first release that knows the argument."""
    having_it = [minor for minor in range(8, 20) if argument in script("bootkube.sh", "C", f"4.{minor}.1")]
    assert having_it == list(range(since, 20))


def test_a_release_without_machine_os_content_is_not_asked_for_it() -> None:
    """Its system is `rhel-coreos`, which the machine config operator finds in the list of the release's images."""
    for minor in range(8, 20):
        text = script("bootkube.sh", "C", f"4.{minor}.1")
        assert ("machine-os-content" in text) == (minor < 13)
        assert ("/release-manifests/image-references" in text) == (minor >= 12)
