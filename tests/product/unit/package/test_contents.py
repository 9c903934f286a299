"""What `make package` puts into the package, without its dependencies."""

import ast
import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from shared import portal_files, settings
from tools.package import archive, bytecode
from tools.package.__main__ import main
from tools.package.contents import LEFT_OUT, PRODUCT, portal, product_files
from tools.package.dependencies import PYTHONS, DependenciesError, dependency_files
from tools.package.sbom import sbom

REPOSITORY = Path(__file__).resolve().parents[4]


def _git(*words: str, folder: Path = REPOSITORY, given: str | None = None) -> str:
    who = ("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, input=given, capture_output=True, text=True, check=False, timeout=200
    )
    return done.stdout


def test_every_file_of_the_repository_is_either_in_the_package_or_in_funcignore() -> None:
    """Whatever publishes the folder publishes the same, and a new folder is a decision."""
    tracked = _git("ls-files")
    excludes = f"core.excludesFile={REPOSITORY / '.funcignore'}"
    ignored = set(_git("-c", excludes, "check-ignore", "--no-index", "--stdin", given=tracked).splitlines())
    packaged = {
        path
        for path in tracked.splitlines()
        if {path, path.split("/")[0]} & set(PRODUCT) and Path(path).name not in LEFT_OUT
    }
    assert packaged == set(tracked.splitlines()) - ignored
    assert packaged <= set(product_files(REPOSITORY))


def test_the_package_has_what_functions_looks_for_at_its_root() -> None:
    """The host reads these two; without them a publish succeeds and nothing runs."""
    assert {"host.json", "function_app.py", "requirements.txt"} <= set(product_files(REPOSITORY))


def test_nothing_that_development_leaves_behind_gets_into_the_package(tmp_path: Path) -> None:
    """Compiled code would name this machine's folders."""
    _tree(tmp_path)
    for path in ("shared/__pycache__/a.cpython-311.pyc", "shared/.a.py.swp", "shared/ruff.toml", "tests/test_a.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("left behind")
    assert set(product_files(tmp_path)) == {"host.json", "shared/a.py", *_empty(tmp_path)}


def test_the_package_says_of_which_commit_it_is_and_whether_it_differs_from_it(tmp_path: Path) -> None:
    """Clusters record the build that made them, so an operator must be able to find its code."""
    _tree(tmp_path)
    assert "build.txt" not in product_files(tmp_path)
    _git("init", folder=tmp_path)
    _git("add", ".", folder=tmp_path)
    _git("commit", "-m", "first", folder=tmp_path)
    commit = _git("rev-parse", "HEAD", folder=tmp_path).strip()
    (tmp_path / "notes.txt").write_text("not of the product")
    assert product_files(tmp_path)["build.txt"].decode() == f"{commit}\n"
    (tmp_path / "shared" / "a.py").write_text("changed")
    assert product_files(tmp_path)["build.txt"].decode() == f"{commit}-dirty\n"


def test_the_product_takes_its_build_from_the_package(tmp_path: Path) -> None:
    """BUILD still overrides it; a working tree has none."""
    (tmp_path / "build.txt").write_text("0123abc\n")
    assert settings.packaged_build(tmp_path / "build.txt") == "0123abc"
    assert settings.packaged_build(tmp_path / "none.txt") == "unknown"


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    """Neither their order nor the umask is in the zip, and every file can be read after unpacking."""
    files = {"b.py": b"b" * 1000, "a/c.py": b"c", "a.py": b""}
    archive.write(tmp_path / "one" / "p.zip", files)
    before = os.umask(0o077)
    try:
        archive.write(tmp_path / "two" / "p.zip", dict(reversed(files.items())))
    finally:
        os.umask(before)
    assert (tmp_path / "one" / "p.zip").read_bytes() == (tmp_path / "two" / "p.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one" / "p.zip") as written:
        assert {entry.filename: written.read(entry) for entry in written.infolist()} == files
        assert {entry.external_attr >> 16 & 0o777 for entry in written.infolist()} == {0o644}
        assert {entry.date_time for entry in written.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_package_is_for_the_pythons_that_the_project_supports() -> None:
    """`make setup` takes the same ones, and the template offers them."""
    text = (REPOSITORY / "tools" / "bootstrap").read_text(encoding="utf-8")
    limits = re.search(r"\(3, (\d+)\) <= sys.version_info\[:2\] <= \(3, (\d+)\)", text)
    assert limits is not None
    assert [f"3.{minor}" for minor in range(int(limits[1]), int(limits[2]) + 1)] == list(PYTHONS)
    template = json.loads((REPOSITORY / "infra" / "service.json").read_text(encoding="utf-8"))
    assert template["parameters"]["pythonVersion"]["allowedValues"] == list(PYTHONS)


def test_another_python_is_refused_with_the_ones_to_choose_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An old zip stays as it is."""
    assert main(["--python", "3.10", "--output", str(tmp_path / "p.zip")]) == 1
    assert capsys.readouterr().err == "error: Python 3.10 is not supported. Choose one of 3.11, 3.12, 3.13.\n"
    assert not (tmp_path / "p.zip").exists()


def test_what_cannot_be_installed_is_named_with_what_to_do(tmp_path: Path) -> None:
    """A lock without a hash is refused by the installer, as a missing wheel is."""
    lock = tmp_path / "requirements.txt"
    lock.write_text("requests==2.34.2\n")
    with pytest.raises(DependenciesError, match=r"(?s)requests==2\.34\.2.*another Python \(--python\).*make lock"):
        dependency_files(lock, "3.12")


def _tree(folder: Path) -> None:
    """Make a repository with as little in it as possible."""
    (folder / "shared").mkdir()
    (folder / "shared" / "a.py").write_text("a")
    for name in PRODUCT:
        if "." in name:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("")


def _empty(folder: Path) -> set[str]:
    return {name for name in PRODUCT if (folder / name).is_file()}


def test_compiled_modules_depend_on_their_sources_alone_and_are_never_checked() -> None:
    """PEP 552: with an unchecked hash, Python reads neither the time nor the content of the source."""
    files = {"a/one.py": b"ONE = 1\n", "two.py": b"TWO = 2\n", "broken.py": b"def\n", "text.txt": b"text"}
    first, second = (bytecode.compiled(files, sys.executable) for _ in range(2))
    tag = sys.implementation.cache_tag
    assert first == second
    assert set(first) == {f"a/__pycache__/one.{tag}.pyc", f"__pycache__/two.{tag}.pyc"}
    assert {content[4:8] for content in first.values()} == {(0b01).to_bytes(4, "little")}


def test_a_python_that_is_not_on_this_machine_compiles_nothing() -> None:
    """Another Python's bytecode would be ignored, or worse."""
    assert bytecode.interpreter("3.2") is None
    assert bytecode.interpreter(".".join(map(str, sys.version_info[:2]))) == sys.executable


def test_the_product_takes_from_the_kubernetes_client_only_what_the_package_has() -> None:
    """A typed class would be found in a checkout and missing in Azure."""
    taken = {
        (path, node.module, name.name)
        for top in PRODUCT
        for path in (REPOSITORY / top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kubernetes")
        for name in node.names
    }
    assert taken
    assert not {
        (path, module, name)
        for path, module, name in taken
        if (module, name)
        not in {("kubernetes.client", name) for name in ("ApiClient", "ApiException", "Configuration")}
    }


def test_the_page_for_people_is_in_the_package_with_npms_files_and_compressed(tmp_path: Path) -> None:
    """The host compresses nothing. One commit gives the same bytes, so no time is in them."""
    static = tmp_path / portal_files.IN_PACKAGE
    static.mkdir(parents=True)
    (static / "main.js").write_bytes(b"main" * 100)
    assert set(portal(tmp_path)) == {f"{portal_files.IN_PACKAGE}/main.js.gz"}
    for part in portal_files.OF_NPM.values():
        path = tmp_path / "tools" / "portal" / "node_modules" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"npm" * 100)
    page = portal(tmp_path)
    assert page == portal(tmp_path)
    for name in portal_files.OF_NPM:
        whole, packed = page[f"{portal_files.IN_PACKAGE}/{name}"], page[f"{portal_files.IN_PACKAGE}/{name}.gz"]
        assert (whole, gzip.decompress(packed), packed[4:8]) == (b"npm" * 100, whole, bytes(4))


def test_the_list_of_what_is_inside_has_npms_packages_in_their_pinned_versions() -> None:
    """A package without them lists none."""
    page = {f"{portal_files.IN_PACKAGE}/{name}": b"x" for name in portal_files.OF_NPM}
    lock = json.loads((REPOSITORY / "tools" / "portal" / "package-lock.json").read_text())
    version = lock["packages"]["node_modules/@azure/msal-browser"]["version"]
    (listed,) = json.loads(sbom(page, "abc"))["components"]
    assert listed["purl"] == f"pkg:npm/%40azure/msal-browser@{version}"
    assert "components" not in json.loads(sbom({}, "abc"))
