"""A confined child sees its folder and no network, and where the kernel cannot confine it, the log says so once.

kustomize is the child here: it needs no file but its own, and it fetches what looks like an address.
"""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from shared.children import child_process
from shared.children.child_process import Confinement, Limits
from shared.phase_documents import kustomize
from tests.local_azure import wait_for
from tests.product.unit.phases.bundles import need_kustomize

# A service whose child says which process it is, and then runs for a minute.
SERVICE = """
import sys
from pathlib import Path
from shared.children import child_process

folder = Path(sys.argv[1])
words = ["/bin/sh", "-c", "echo $$; exec sleep 60"]
limits = child_process.Limits(60, 30, 512 << 20, 1 << 20)
child_process.run(words, limits, folder=folder, environment={"PATH": "/usr/bin:/bin"}, output=folder / "output")
"""
LIMITS = Limits(60, 30, 512 << 20, 1 << 20)
CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: secret}}"


def build(folder: Path, resource: str, *, confined: bool = True) -> tuple[int, str]:
    """Run kustomize on a root with one resource; return its code and all that it said."""
    need_kustomize()
    folder.mkdir(exist_ok=True)
    (folder / "kustomization.yaml").write_text(f"resources: ['{resource}']\n")
    said = folder.with_name("said")
    words = [str(kustomize.binary()), "build", "--load-restrictor", "LoadRestrictionsNone", str(folder)]
    environment = {"HOME": "/", "PATH": ""}
    confinement = Confinement(readable=(folder,)) if confined else None
    code = child_process.run(
        words, LIMITS, folder=folder, environment=environment, output=said, confinement=confinement
    )
    return code, child_process.text_of(said, 1 << 20)


@pytest.fixture
def _confinement(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Skip the test where the kernel lacks Landlock or seccomp, which the log says."""
    child_process._log_once.cache_clear()
    build(tmp_path / "root", "missing.yaml")
    if caplog.records:
        pytest.skip(caplog.records[0].getMessage())


@pytest.mark.usefixtures("_confinement")
def test_a_confined_child_reads_its_folder_and_nothing_else(tmp_path: Path) -> None:
    """Not even what this process may read."""
    (tmp_path / "outside.yaml").write_text(CONFIG_MAP)
    (tmp_path / "root" / "inside.yaml").write_text(CONFIG_MAP)
    assert build(tmp_path / "root", "inside.yaml")[0] == 0
    code, said = build(tmp_path / "root", "../outside.yaml")
    assert code == 1
    assert "permission denied" in said
    assert build(tmp_path / "root", "../outside.yaml", confined=False)[0] == 0


@pytest.mark.usefixtures("_confinement")
def test_a_confined_child_has_no_network(tmp_path: Path) -> None:
    """A request of this service to its own host would be answered."""
    code, said = build(tmp_path / "root", "http://127.0.0.1:9/one.yaml")
    assert code == 1
    assert "socket: permission denied" in said


def test_the_log_says_once_what_the_kernel_cannot_confine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The child runs: everything that it is given has been checked before."""
    child_process._log_once.cache_clear()
    script = Path(child_process._START).read_text(encoding="utf-8")
    older = tmp_path / "older.py"
    older.write_text(script.replace("ADD_RULE, RESTRICT_SELF = 444", "ADD_RULE, RESTRICT_SELF = 9999"))
    monkeypatch.setattr(child_process, "_START", str(older))
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "inside.yaml").write_text(CONFIG_MAP)
    with caplog.at_level(logging.WARNING):
        assert [build(tmp_path / "root", "inside.yaml")[0] for _ in range(2)] == [0, 0]
    [warning] = [one.getMessage() for one in caplog.records]
    assert "runs with this service's rights to: files." in warning


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_child_ends_with_a_service_that_is_killed(tmp_path: Path) -> None:
    """It would run on, with the secrets in its folder, beside the program of the service that takes over."""
    service = subprocess.Popen([sys.executable, "-c", SERVICE, str(tmp_path)])
    output = tmp_path / "output"
    wait_for(lambda: output.exists() and output.read_text().endswith("\n"), "the child to run", 30)
    child = Path("/proc", output.read_text().strip(), "cmdline")
    assert b"sleep" in child.read_bytes()
    service.kill()
    service.wait()
    wait_for(lambda: not child.exists() or not child.read_bytes(), "the child to end", 30)
