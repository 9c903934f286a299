"""Two packages of one commit are the same bytes, and so is the list of what is in them."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from shared.phase_documents.kustomize import IN_PACKAGE, VERSION

REPOSITORY = Path(__file__).resolve().parents[4]


@pytest.mark.slow(seconds=15)
def test_a_package_depends_on_the_commit_alone(tmp_path: Path) -> None:
    """Folder, home, umask, times and leftovers of other builds change no byte of it."""
    one, two = _clone(tmp_path / "one"), _clone(tmp_path / "a longer path" / "two")
    for path in two.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    (two / "shared" / "__pycache__").mkdir()
    (two / "shared" / "__pycache__" / "old.cpython-311.pyc").write_bytes(b"old")
    first = _package(one, home=tmp_path / "home", umask=0o022)
    second = _package(two, home=tmp_path / "another home", umask=0o077)
    assert first.read_bytes() == second.read_bytes()
    assert _bill(first).read_bytes() == _bill(second).read_bytes()
    with zipfile.ZipFile(first) as written:
        names = written.namelist()
    assert names == sorted(names)
    assert ".python_packages/lib/site-packages/azure/functions/__init__.py" in names
    assert not [name for name in names if name.endswith(("/RECORD", "/INSTALLER", "/old.cpython-311.pyc"))]
    _lists_what_is_inside(_bill(first), names)


def _lists_what_is_inside(bill: Path, names: list[str]) -> None:
    """The list is valid CycloneDX and has each distribution in the package, in its pinned version, and kustomize."""
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.read_text()) is None
    listed = {(item["name"].lower(), item["version"]) for item in json.loads(bill.read_text())["components"]}
    pinned = set(re.findall(r"^([\w.-]+)==([\w.]+)", (REPOSITORY / "requirements.txt").read_text(), re.MULTILINE))
    distributions = {name.split("/")[-2] for name in names if name.endswith(".dist-info/METADATA")}
    kustomize = {("kustomize", VERSION)} if IN_PACKAGE in names else set()
    assert len(distributions) == len(listed - kustomize)
    assert {(name.replace("_", "-").replace(".", "-"), version) for name, version in listed - kustomize} <= pinned
    assert kustomize <= listed


def _bill(package: Path) -> Path:
    return package.with_suffix(".cdx.json")


def _clone(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(folder)], check=True, timeout=60)
    return folder


def _package(repository: Path, *, home: Path, umask: int) -> Path:
    """Build the package of a clone. The cache of wheels is shared, because nothing in it is this machine's own."""
    home.mkdir()
    cache = subprocess.run(
        [str(Path(sys.executable).with_name("uv")), "cache", "dir"], capture_output=True, text=True, check=True
    )
    environment = os.environ | {"HOME": str(home), "UV_CACHE_DIR": cache.stdout.strip(), "PYTHONPATH": ""}
    output = home / "package.zip"
    subprocess.run(
        [sys.executable, "-m", "tools.package", "--output", str(output)],
        cwd=repository,
        env=environment,
        umask=umask,
        check=True,
        timeout=300,
    )
    return output
