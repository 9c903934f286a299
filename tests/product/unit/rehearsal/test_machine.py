"""The rehearsal of the bootstrap machine: what it says about each stage, and what programs see and cannot reach."""

import json
from pathlib import Path

import pytest

from installer.bootstrap import bootkube
from tests.product.unit.installer.bootstrap.machine import known
from tests.product.unit.rehearsal.release import BEGINNING, RELEASE, VERSION, ignition, programs
from tools.rehearse import machine
from tools.rehearse.machine import Machine, MachineError, Stage

IMAGES = ("cluster-config-operator", "cluster-etcd-operator")
STAGES = ("config-bootstrap", "etcd-bootstrap", "mco-bootstrap")
# A stage that the release image's own program makes.
VERSIONS = """\
if [ ! -f cvo-bootstrap.done ]
then
    begin_stage cvo-bootstrap
    render "${RELEASE_IMAGE_DIGEST}" render --output-dir=/assets/cvo-bootstrap
    touch cvo-bootstrap.done
    end_stage
fi
"""


@pytest.fixture(autouse=True)
def _able() -> None:
    """Skip where no machine can be rehearsed: on macOS, for example."""
    try:
        machine.check()
    except MachineError as error:
        pytest.skip(str(error))


def _rehearsed(tmp_path: Path, others: dict[str, str | None] | None = None, **options: str) -> list[Stage]:
    # People's folders have blanks in their names.
    folder = programs(tmp_path / "the programs", others)
    return list(Machine(tmp_path / "the machine", [ignition(**options)], folder).rehearse())


def _accepted(*names: str) -> list[Stage]:
    return [Stage(name, "accepted") for name in names]


def _refusing(said: str) -> str:
    return f"#!/bin/bash\necho '{said}' >&2\nexit 1\n"


def test_every_stage_whose_program_accepts_is_accepted(tmp_path: Path) -> None:
    """The script runs as it is, up to where it waits for etcd, and its stages find what earlier ones made."""
    assert _rehearsed(tmp_path) == _accepted(*STAGES)
    assert (tmp_path / "the machine/opt/openshift/manifests/made.yaml").read_text(encoding="utf-8") == "kind: Made\n"


def test_a_program_that_refuses_is_quoted_and_the_next_stages_run(tmp_path: Path) -> None:
    said = "missing operand kubernetes version: --operand-kubernetes-version"
    found = _rehearsed(tmp_path, {"cluster-etcd-operator": _refusing(said)})
    assert found == [*_accepted(STAGES[0]), Stage(STAGES[1], "failed", said), *_accepted(STAGES[2])]


def test_a_program_that_breaks_is_quoted_with_the_reason_and_not_its_stack(tmp_path: Path) -> None:
    said = "panic: Object 'Kind' is missing in 'null'"
    breaking = f'#!/bin/bash\necho "{said}\n\ngoroutine 1 [running]:\nmain.main()\n\tmain.go:15 +0x6f" >&2\nexit 2\n'
    found = _rehearsed(tmp_path, {"cluster-etcd-operator": breaking})
    assert found[1] == Stage(STAGES[1], "failed", said)


def test_a_command_of_the_script_that_fails_after_its_program_is_quoted(tmp_path: Path) -> None:
    """The program accepts and makes nothing, so there is nothing to copy."""
    found = _rehearsed(tmp_path, {"cluster-config-operator": "#!/bin/bash\nmkdir /assets/config-bootstrap\n"})
    assert found[0].verdict == "failed"
    assert found[0].reason.endswith("cannot stat 'config-bootstrap/*': No such file or directory")
    assert found[1:] == _accepted(*STAGES[1:])


def test_a_stage_whose_program_is_not_given_is_left_out(tmp_path: Path) -> None:
    found = _rehearsed(tmp_path, {"cluster-config-operator": None})
    reason = "the program of image 'cluster-config-operator' is not given"
    assert found == [Stage(STAGES[0], "left out", reason), *_accepted(*STAGES[1:])]


def test_warnings_of_a_program_that_accepts_are_told(tmp_path: Path) -> None:
    warning = "W1126 08:00:00.000000 render.go:1] no address is in the machine network"
    found = _rehearsed(
        tmp_path, {"cluster-etcd-operator": f"#!/bin/bash\necho '{warning}' >&2\necho 'I1126 fine' >&2\n"}
    )
    assert found[1] == Stage(STAGES[1], "accepted", said=(warning,))


def test_a_program_has_an_address_in_the_machine_network_and_no_way_out(tmp_path: Path) -> None:
    looking = (
        "#!/bin/bash\nip -brief address >/assets/addresses\n"
        "(echo >/dev/tcp/192.0.2.1/443) 2>/assets/refused && exit 1\n"
        "touch /usr/bin/left-by-a-rehearsal 2>/dev/null && exit 1\nexit 0\n"
    )
    found = _rehearsed(tmp_path, {"cluster-etcd-operator": looking}, network="10.7.0.0/24")
    assert found[1] == Stage(STAGES[1], "accepted")
    home = tmp_path / "the machine/opt/openshift"
    assert "10.7.0.10/24" in (home / "addresses").read_text(encoding="utf-8")
    assert "Network is unreachable" in (home / "refused").read_text(encoding="utf-8")


def test_a_script_that_ends_before_its_first_stage_says_why(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"ended outside of its stages: .*nothing-of-this-name"):
        _rehearsed(tmp_path, beginning="set -e\n. /usr/local/bin/nothing-of-this-name.sh\n")


def test_a_script_that_says_nothing_ends_with_its_code(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="ended outside of its stages: code 7, without a word"):
        _rehearsed(tmp_path, beginning="exit 7\n")


def test_the_machines_controller_runs_as_its_static_pod_says(tmp_path: Path) -> None:
    """It reads the templates of its image; without them it refuses."""
    made = Machine(tmp_path / "machine", [ignition()], programs(tmp_path / "programs"))
    list(made.rehearse())
    assert list(made.run_static_pods()) == _accepted("machine-config-controller")
    (tmp_path / "programs/machine-config-controller.files/etc/mcc/templates/pool").unlink()
    found = list(made.run_static_pods())
    assert [stage.verdict for stage in found] == ["failed"]
    assert "/etc/mcc/templates/pool" in found[0].reason


def test_a_program_reads_the_files_of_its_own_image_alone(tmp_path: Path) -> None:
    """Images have files at the same paths."""
    folder = programs(tmp_path / "programs", dict.fromkeys(IMAGES, "#!/bin/bash\nls /usr/share/bootkube >&2\nexit 1\n"))
    for image in IMAGES:
        (folder / f"{image}.files/usr/share/bootkube").mkdir(parents=True)
        (folder / f"{image}.files/usr/share/bootkube" / f"of-{image}").touch()
    found = list(Machine(tmp_path / "machine", [ignition()], folder).rehearse())
    assert [stage.reason for stage in found[:2]] == [f"of-{image}" for image in IMAGES]


@pytest.mark.parametrize("of_release", [[], ["policy.yaml"]], ids=["without the release's", "with the release's"])
def test_the_version_operator_reads_what_the_release_image_has(tmp_path: Path, of_release: list[str]) -> None:
    """Two folders of its own, and the release's manifests. If these are not given, their folder is empty."""
    listing = "#!/bin/bash\nfor place in /manifests /bootstrap /release-manifests; do ls $place; done >/assets/found\n"
    folder = programs(tmp_path / "programs", {"cluster-version-operator": listing})
    own = [folder / "cluster-version-operator.files" / name for name in ("manifests", "bootstrap")]
    for place in own:
        place.mkdir(parents=True)
        (place / f"{place.name}.yaml").touch()
    for name in of_release:
        (folder / "release-manifests").mkdir()
        (folder / "release-manifests" / name).touch()
    found = list(Machine(tmp_path / "machine", [ignition(BEGINNING + VERSIONS)], folder).rehearse())
    assert found[0] == Stage("cvo-bootstrap", "accepted")
    listed = (tmp_path / "machine/opt/openshift/found").read_text(encoding="utf-8").split()
    assert listed == ["manifests.yaml", "bootstrap.yaml", *of_release]


def test_the_releases_own_list_of_images_counts(tmp_path: Path) -> None:
    """An image that the release lacks ends the script, as it does on a real machine."""
    folder = programs(tmp_path / "programs")
    (folder / "release-manifests").mkdir()
    tags = [{"name": "cluster-config-operator", "from": {"kind": "DockerImage", "name": "quay.io/x@sha256:1"}}]
    text = json.dumps({"kind": "ImageStream", "spec": {"tags": tags}})
    (folder / "release-manifests/image-references").write_text(text, encoding="utf-8")
    with pytest.raises(MachineError, match="no image tag 'cluster-etcd-operator' exists in the release image"):
        list(Machine(tmp_path / "machine", [ignition()], folder).rehearse())


def test_an_ignition_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="the ignition cannot be read: config is not valid JSON"):
        Machine(tmp_path / "machine", ["{"], tmp_path)


def test_the_stages_of_our_own_script_are_known() -> None:
    """Their names and markers are read from the script."""
    given = known("C", VERSION)
    text = bootkube.text(given["install-config"], given["release-image"] | {"pullspec": RELEASE})
    assert machine.stages(text)["api-bootstrap"] == "api-bootstrap.done"
    assert list(machine.stages(text))[-2:] == ["cluster-bootstrap", "cvo-overrides"]
