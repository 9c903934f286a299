"""Which units of the bootstrap machine run, and what the log says about one that does not."""

import json
from collections.abc import Callable
from typing import TypeAlias

import pytest

from emulator.openshift.boot import units
from emulator.openshift.boot.ignition import File, Unit, parse
from tests.bootstrap_ignition import UNITS, unit_entry

Units: TypeAlias = dict[str, Unit]
Files: TypeAlias = dict[str, File]


def machine() -> tuple[Units, Files]:
    """Return the units and files of a machine without mistakes."""
    config = parse(
        json.dumps(
            {"ignition": {"version": "3.2.0"}, "systemd": {"units": [unit_entry(name) for name in UNITS]}}
        ).encode()
    )
    files = {f"/usr/local/bin/{program}.sh": b"#!/bin/sh\n" for program, _ in UNITS.values()}
    return config.units, {path: File(path, 0o555, content) for path, content in files.items()}


@pytest.mark.parametrize("name", UNITS)
def test_units_of_a_whole_machine_run(name: str) -> None:
    """Enabled units run, and so do those that they require."""
    assert units.failure(name, *machine()) == ""


def _without_its_program(_units: Units, files: Files) -> None:
    del files["/usr/local/bin/bootkube.sh"]


def _closed(_units: Units, files: Files) -> None:
    files["/usr/local/bin/bootkube.sh"] = File("/usr/local/bin/bootkube.sh", 0o600, b"#!/bin/sh\n")


def _no_script(_units: Units, files: Files) -> None:
    files["/usr/local/bin/bootkube.sh"] = File("/usr/local/bin/bootkube.sh", 0o555, b"")


def _library(_units: Units, files: Files) -> None:
    text = b"#!/bin/sh\n. /usr/local/bin/release-image.sh\n. /etc/profile\n"
    files["/usr/local/bin/bootkube.sh"] = File("/usr/local/bin/bootkube.sh", 0o555, text)


def _required(_units: Units, files: Files) -> None:
    del files["/usr/local/bin/release-image-download.sh"]


def _required_unit(known: Units, _files: Files) -> None:
    del known["release-image.service"]


def _unit(known: Units, _files: Files) -> None:
    del known["bootkube.service"]


def _nobody(known: Units, _files: Files) -> None:
    for name in ("approve-csr.service", "progress.service"):
        known[name] = Unit(known[name].contents)


def _not_installed(known: Units, _files: Files) -> None:
    for name in ("approve-csr.service", "progress.service"):
        known[name] = Unit(known[name].contents.partition("[Install]")[0], enabled=True)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (_without_its_program, "spawning /usr/local/bin/bootkube.sh: No such file or directory (status=203/EXEC)"),
        (_closed, "spawning /usr/local/bin/bootkube.sh: Permission denied (status=203/EXEC)"),
        (_no_script, "spawning /usr/local/bin/bootkube.sh: Exec format error (status=203/EXEC)"),
        (_library, "/usr/local/bin/release-image.sh: No such file or directory"),
        (_required, "Dependency failed for bootkube.service: Dependency failed for crio-configure.service: release-im"),
        (_required_unit, "Dependency failed for crio-configure.service: Unit release-image.service not found."),
        (_unit, "Unit bootkube.service not found."),
        (_nobody, "bootkube.service: inactive (dead): no enabled unit wants it"),
        (_not_installed, "bootkube.service: inactive (dead): no enabled unit wants it"),
    ],
)
def test_a_unit_that_does_not_run_says_why(change: Callable[[Units, Files], None], line: str) -> None:
    """A machine's console has these words."""
    known, files = machine()
    change(known, files)
    assert line in units.failure("bootkube.service", known, files)


def test_units_that_need_each_other_run() -> None:
    """Systemd breaks the cycle."""
    text = "[Unit]\nRequires={}\n[Install]\nWantedBy=multi-user.target\n"
    known = {"a.service": Unit(text.format("b.service"), enabled=True)}
    known["b.service"] = Unit(text.format("a.service"))
    assert units.failure("a.service", known, {}) == ""
