"""The units of the bootstrap machine: as in the facts, complete, and accepted by systemd."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.product.unit.installer.bootstrap import bootstrap_machine
from tests.product.unit.installer.bootstrap.bootstrap_machine import IDS
from tests.product.unit.installer.facts import facts

ANALYZER = shutil.which("systemd-analyze")
_COMMAND = re.compile(r"^Exec\w+=[-@:+!]*(\S+)", re.MULTILINE)
# The units of the machine's image that ours name.
_IMAGE_TARGETS = (
    "basic.target",
    "getty.target",
    "multi-user.target",
    "network.target",
    "network-online.target",
    "shutdown.target",
    "sockets.target",
    "sysinit.target",
)
_IMAGE_UNITS = {
    "NetworkManager.service": "[Service]\nExecStart=/usr/sbin/NetworkManager\n",
    "crio.service": "[Service]\nExecStart=/usr/bin/crio\n",
    "rpc-statd.service": "[Service]\nExecStart=/usr/sbin/rpc.statd\n",
    "sshd.service": "[Service]\nExecStart=/usr/sbin/sshd\n",
    "systemd-journal-gatewayd.service": "[Service]\nExecStart=/usr/lib/systemd/systemd-journal-gatewayd\n",
    "systemd-user-sessions.service": "[Service]\nExecStart=/usr/lib/systemd/systemd-user-sessions start\n",
    "systemd-journal-gatewayd.socket": "[Socket]\nListenStream=19531\n[Install]\nWantedBy=sockets.target\n",
}


def sections(unit: dict[str, Any]) -> str:
    """Return all sections of a unit, additions included."""
    return str(unit.get("contents", "")) + "".join(one["contents"] for one in unit.get("dropins", []))


def lines(unit: dict[str, Any], name: str) -> set[str]:
    """Return the values of a setting, from all its lines."""
    return {word for found in re.findall(rf"^{name}=(.*)$", sections(unit), re.MULTILINE) for word in found.split()}


@facts.present
def test_the_units_are_those_of_the_facts() -> None:
    """Their names, whether they are enabled, their content and their additions."""
    wanted = {
        unit["name"]: (unit["enabled"], unit["has_contents"], [dropin["name"] for dropin in unit["dropins"]])
        for unit in facts.facts()["ignition"]["bootstrap.ign"]["units"]
    }
    found = {
        name: (unit.get("enabled"), "contents" in unit, [dropin["name"] for dropin in unit.get("dropins", [])])
        for name, unit in bootstrap_machine.units("A").items()
    }
    assert found == wanted


@pytest.mark.parametrize("flavour", IDS)
def test_what_a_unit_starts_is_on_the_machine_and_may_be_run(flavour: str) -> None:
    """That is, programs of ours; those of the image are not in the ignition."""
    modes = bootstrap_machine.modes(flavour)
    started = {
        command for unit in bootstrap_machine.units(flavour).values() for command in _COMMAND.findall(sections(unit))
    }
    ours = {command for command in started if command.startswith("/usr/local/")}
    assert len(ours) >= 5
    assert {command: f"{modes.get(command, 0):04o}" for command in ours} == dict.fromkeys(ours, "0555")


@pytest.mark.parametrize("flavour", IDS)
def test_a_unit_that_is_enabled_says_what_it_is_wanted_by(flavour: str) -> None:
    """Otherwise enabling it has no effect; units that others start need no such line."""
    for name, unit in bootstrap_machine.units(flavour).items():
        if "contents" in unit:
            assert bool(unit.get("enabled")) == ("WantedBy=" in unit["contents"]), name


@pytest.mark.parametrize("flavour", IDS)
def test_each_unit_waits_for_what_it_needs(flavour: str) -> None:
    """The network, the release image, the container runtime, the kubelet, bootkube, and then those beside it."""
    units = bootstrap_machine.units(flavour)
    chain = (
        ("release-image.service", "network-online.target"),
        ("crio-configure.service", "release-image.service"),
        ("kubelet.service", "crio.service"),
        ("bootkube.service", "crio-configure.service"),
        ("bootkube.service", "kubelet.service"),
        ("approve-csr.service", "bootkube.service"),
        ("progress.service", "bootkube.service"),
    )
    for name, needed in chain:
        assert needed in lines(units[name], "After"), name
        assert needed in lines(units[name], "Wants") | lines(units[name], "Requires"), name
    assert "crio.service" in lines(units["crio-configure.service"], "Before")
    assert "systemd-journal-gatewayd.service" in lines(units["chown-gatewayd-key.service"], "Before")


def test_the_release_s_own_system_comes_before_anything_that_needs_it() -> None:
    """From 4.19 on: pulled, laid over the boot image's, and then the usual target; older images have the programs."""
    units = bootstrap_machine.units("C")
    pull, overlay, finish = (f"node-image-{name}.service" for name in ("pull", "overlay", "finish"))
    assert {overlay, finish} <= lines(units["node-image-overlay.target"], "Requires")
    for name, needed in ((overlay, pull), (finish, overlay)):
        assert needed in lines(units[name], "After") & lines(units[name], "Requires")
    assert "isolate multi-user.target" in sections(units[finish])
    assert not [unit for flavour in "ATB" for unit in bootstrap_machine.units(flavour) if "node-image" in unit]


def test_the_kubelet_takes_the_pause_image_of_the_release_where_it_can() -> None:
    """From 4.5 on; then it waits until the release is there."""
    for flavour in IDS:
        kubelet, modes = bootstrap_machine.units(flavour)["kubelet.service"], bootstrap_machine.modes(flavour)
        with_image = "/usr/local/bin/kubelet-pause-image.sh" in modes
        assert with_image == (flavour != "A")
        assert with_image == ("/usr/local/bin/kubelet-pause-image.sh" in lines(kubelet, "ExecStartPre"))
        assert with_image == ("release-image.service" in lines(kubelet, "After"))
    assert "--pod-infra-container-image=${MACHINE_CONFIG_INFRA_IMAGE}" in sections(
        bootstrap_machine.units("B")["kubelet.service"]
    )


def test_certificates_without_alternative_names_are_borne_where_go_would_refuse_them() -> None:
    """From 4.6 to 4.9."""
    path = "/etc/systemd/system.conf.d/10-default-env-godebug.conf"
    assert [flavour for flavour in IDS if path in bootstrap_machine.modes(flavour)] == ["B"]
    assert "GODEBUG=x509ignoreCN=0" in bootstrap_machine.texts("B")[path]


def lay_down(flavour: str, root: Path) -> list[str]:
    """Write units and files below a folder, with what the image has; return the written units."""
    folder = root / "etc/systemd/system"
    folder.mkdir(parents=True)
    for path, mode in bootstrap_machine.modes(flavour).items():
        file = root / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(bootstrap_machine.texts(flavour)[path])
        file.chmod(mode)
    for name in _IMAGE_TARGETS:
        (folder / name).write_text("[Unit]\nDescription=Of the image\nDefaultDependencies=no\n")
    for name, said in _IMAGE_UNITS.items():
        (folder / name).write_text(said)
    for name, unit in bootstrap_machine.units(flavour).items():
        if "contents" in unit:
            (folder / name).write_text(unit["contents"])
        for dropin in unit.get("dropins", []):
            (folder / f"{name}.d").mkdir()
            (folder / f"{name}.d" / dropin["name"]).write_text(dropin["contents"])
    for command in {
        command for file in folder.rglob("*") if file.is_file() for command in _COMMAND.findall(file.read_text())
    }:
        program = root / command.removeprefix("/")
        if not command.startswith("/usr/local/"):
            program.parent.mkdir(parents=True, exist_ok=True)
            program.touch(mode=0o755)
    return [str(folder / name) for name in bootstrap_machine.units(flavour)]


def verify(root: Path, names: list[str]) -> str:
    """Return systemd's findings about units below a folder."""
    assert ANALYZER
    command = [ANALYZER, "verify", "--man=no", "--generators=no", f"--root={root}"]
    done = subprocess.run(
        [*command, *(Path(name).name for name in names)], capture_output=True, text=True, check=False, timeout=200
    )
    return done.stderr.strip() or (f"exit {done.returncode}" if done.returncode else "")


@pytest.mark.skipif(ANALYZER is None, reason="systemd-analyze is not on this machine")
@pytest.mark.parametrize("flavour", IDS)
def test_systemd_has_nothing_against_the_units(flavour: str, tmp_path: Path) -> None:
    """In a folder like the machine's: the ignition's files, and stubs for the image's."""
    assert verify(tmp_path, lay_down(flavour, tmp_path)) == ""


@pytest.mark.skipif(ANALYZER is None, reason="systemd-analyze is not on this machine")
def test_systemd_finds_a_unit_that_starts_what_is_not_there(tmp_path: Path) -> None:
    """This shows that the test above can fail."""
    names = lay_down("A", tmp_path)
    (tmp_path / "usr/local/bin/approve-csr.sh").unlink()
    unit = tmp_path / "etc/systemd/system/progress.service"
    unit.write_text(unit.read_text().replace("RestartSec=", "RestartAfter="))
    said = verify(tmp_path, names)
    assert "approve-csr.sh" in said
    assert "RestartAfter" in said
