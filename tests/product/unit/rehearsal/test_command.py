"""`python -m tools.rehearse`: what it asks for, and what it takes for an installer."""

import sys
from pathlib import Path

import pytest

from demo import openshift_install
from demo.openshift_install import InstallerError
from tests.product.unit.rehearsal.release import RELEASE, VERSION, ignition, programs
from tools.rehearse import __main__ as command
from tools.rehearse import machine
from tools.rehearse.machine import MachineError
from tools.rehearse.programs import PROGRAMS


def _run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["rehearse", *map(str, words)])
    return command.main()


def _installer(folder: Path, *lines: str) -> Path:
    file = folder / "openshift-install"
    file.write_text("#!/bin/sh\ncat <<EOF\n" + "\n".join(lines) + "\nEOF\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_without_an_installer_it_says_so_and_exits_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        _run(monkeypatch)
    assert ended.value.code == 2
    assert "INSTALLER is missing" in capsys.readouterr().err


def test_what_is_no_installer_is_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "--installer", tmp_path / "nothing") == 2
    assert f"Nothing was rehearsed: '{tmp_path}/nothing' cannot be started" in capsys.readouterr().out


def test_an_installer_says_its_version_and_its_release(tmp_path: Path) -> None:
    """The entry of the catalogue is made from them."""
    file = _installer(tmp_path, f"{tmp_path}/openshift-install {VERSION}", f"release image {RELEASE}")
    found = openshift_install.read(file)
    assert (found.version, found.pullspec) == (VERSION, RELEASE)
    assert VERSION in str(found.place)


@pytest.mark.parametrize(
    "lines",
    [
        ("openshift-install unreleased-master-1",),
        (f"openshift-install {VERSION}", "release image quay.io/release:4.19"),
    ],
    ids=["of no version", "of a release that is not pinned"],
)
def test_an_installer_of_no_release_is_refused(tmp_path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(InstallerError, match="says neither"):
        openshift_install.read(_installer(tmp_path, *lines))


@pytest.mark.parametrize(
    ("folder", "want"),
    [({}, "has none of the programs"), ({"machine-config-operator": 0o644}, "not executable, chmod 755")],
    ids=["empty", "not executable"],
)
def test_a_folder_without_programs_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    folder: dict[str, int],
    want: str,
) -> None:
    for name, mode in folder.items():
        (tmp_path / name).touch(mode)
    assert _run(monkeypatch, "--ignition", tmp_path / "bootstrap.ign", "--programs", tmp_path) == 2
    assert want in capsys.readouterr().out.replace("\n", " ")


def test_the_page_gets_every_program() -> None:
    """It names each image, program and folder as the rehearsal looks for them."""
    page = (Path(__file__).parents[4] / "docs/rehearsal.md").read_text(encoding="utf-8")
    rows = page.partition("<<EOF\n")[2].partition("EOF\n")[0].splitlines()
    of_image = {"machine-config-controller": "machine-config-operator"}
    want = [(of_image.get(each.name, each.name), each.path, *each.reads) for each in PROGRAMS]
    assert rows == [" ".join(row) for row in want]


def test_stages_of_an_ignition_are_printed_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One stage fails, one program is not given: the exit code is 1, and the output says both."""
    try:
        machine.check()
    except MachineError as error:
        pytest.skip(str(error))
    (tmp_path / "bootstrap.ign").write_text(ignition(), encoding="utf-8")
    refusing = "#!/bin/bash\necho 'missing flag' >&2\nexit 1\n"
    folder = programs(tmp_path / "programs", {"cluster-etcd-operator": refusing, "machine-config-operator": None})
    words = ("--ignition", tmp_path / "bootstrap.ign", "--programs", folder, "--state", tmp_path / "state")
    assert _run(monkeypatch, *words) == 1
    told = capsys.readouterr().out
    assert "not given: cluster-config-api, /usr/bin/render of its image" in told
    assert "accepted  config-bootstrap" in told
    assert "failed    etcd-bootstrap\n            missing flag" in told
    assert "left out  mco-bootstrap\n            the program of image 'machine-config-operator' is not given" in told
