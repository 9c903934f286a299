"""What brings the release's own system onto a plain boot image, run: how each program is called."""

import subprocess
from pathlib import Path

import pytest

from installer.bootstrap import host_script
from tests.product.unit.installer.bootstrap.machine import Machine, known

REFS = "ostree/1/1/0\nostree/container/image/docker_3A__2F__2F_quay_2E_io"
SYSTEM = "/ostree/repo/tmp/node-image"


def machine(folder: Path, **settings: str) -> Machine:
    """Return a machine of a release that has such a system."""
    return Machine(folder, "C", "4.19.24", {"REFS": REFS} | settings)


def test_the_system_of_the_release_is_checked_out_beside_the_boot_image_s(tmp_path: Path) -> None:
    """Without the files below /etc that the config of the machine has changed."""
    bootstrap = machine(tmp_path)

    assert bootstrap.run("node-image-pull.sh") == 0

    assert "mount --options remount,rw /sysroot" in bootstrap.calls
    image = "ostree-unverified-image:docker://image/rhel-coreos"
    assert f"ostree container image pull --authfile=/root/.docker/config.json /ostree/repo {image}" in bootstrap.calls
    found = REFS.splitlines()[1]
    assert f"ostree refs --repo=/ostree/repo {found} --create=coreos/node-image" in bootstrap.calls
    assert any(f"--require-hardlinks coreos/node-image {SYSTEM} " in call for call in bootstrap.calls)
    assert "skips /usr/etc/hostname" in bootstrap.calls


@pytest.mark.parametrize("fallen", ["image rhel-coreos", "container image pull"])
def test_what_the_registry_does_not_give_is_asked_for_again(tmp_path: Path, fallen: str) -> None:
    bootstrap = machine(tmp_path, FAIL=fallen)

    assert bootstrap.run("node-image-pull.sh") == 0

    assert "sleep 10" in bootstrap.calls
    assert len([call for call in bootstrap.calls if fallen in call]) == 2


@pytest.mark.parametrize("refs", ["ostree/1/1/0", f"{REFS}\n{REFS}"], ids=["none", "two"])
def test_a_system_that_cannot_be_told_from_another_is_not_used(tmp_path: Path, refs: str) -> None:
    bootstrap = machine(tmp_path, REFS=refs)

    assert bootstrap.run("node-image-pull.sh") == 1

    assert [call for call in bootstrap.calls if "checkout" in call] == []


def test_the_system_is_laid_over_the_boot_image_s(tmp_path: Path) -> None:
    """Except the modules of the kernel that runs."""
    bootstrap = machine(tmp_path)

    assert bootstrap.run("node-image-overlay.sh") == 0

    assert bootstrap.calls == [
        f"mount --options bind,ro /usr/lib/modules {SYSTEM}/usr/lib/modules",
        f"mount --options rbind,ro {SYSTEM}/usr /usr",
        f"rsync --archive {SYSTEM}/usr/etc/ /etc",
        "semodule --reload",
    ]


@pytest.mark.parametrize("has_client", [False, True])
def test_only_an_image_without_the_client_starts_that_way(tmp_path: Path, *, has_client: bool) -> None:
    """The generator asks for the package, and replaces the default target by a link."""
    programs = machine(tmp_path).root / "programs"
    (programs / "rpm").chmod(0o755)
    (programs / "rpm").write_text(f"#!/bin/sh\nexit {0 if has_client else 1}\n")
    generator = tmp_path / "generator"
    generator.write_text(host_script.text("node-image-overlay-generator", known("C", "4.19.24")["release-image"]))
    units = tmp_path / "units"
    units.mkdir()

    environment = {"PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run(["/bin/bash", str(generator), str(units)], env=environment, check=True)

    targets = {file.name: str(file.readlink()) for file in units.iterdir()}
    wanted = {"default.target": "/etc/systemd/system/node-image-overlay.target"}
    assert targets == ({} if has_client else wanted)
