"""The layout of the source tree: the rules for `http/`, and names that no dependency may use."""

import importlib.util
import re
import sysconfig
from collections import Counter
from importlib.metadata import packages_distributions
from pathlib import Path

from tools.local_azure_digest import COVERED

ROOT = Path(__file__).parents[3]
SOURCES = (
    "http",
    "orchestrators",
    "activities",
    "timers",
    "installer",
    "shared",
    "phases",
    "client",
    "emulator",
    "demo",
    "bench",
    "tools",
    "tests",
)
MOST_FILES = 20
OURS = (
    "activities",
    "aroctl",
    "emulator",
    "frontend",
    "function_app",
    "installer",
    "orchestrators",
    "shared",
    "timers",
)


def test_http_is_the_standard_librarys() -> None:
    """`import http` never finds our folder."""
    found = importlib.util.find_spec("http")
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).is_relative_to(sysconfig.get_path("stdlib"))


def test_http_holds_packages_and_no_module() -> None:
    """A Python file in it would make it a package that hides the standard library's `http`."""
    assert list((ROOT / "http").glob("*.py")) == []


def test_no_folder_is_too_long_to_read() -> None:
    """Whoever looks for a file sees all of a folder at once."""
    files = Counter(str(path.parent.relative_to(ROOT)) for path in _modules())
    assert files["activities/azure"] > 1
    assert files["tests/product/unit"] > 1
    assert {folder: number for folder, number in files.items() if number > MOST_FILES} == {}


def test_no_dependency_ships_a_package_of_our_name() -> None:
    """If dependencies come before the app folder on the path, their package would win."""
    assert set(OURS) & packages_distributions().keys() == set()


def test_every_folder_of_tests_is_a_package() -> None:
    """Otherwise two test files of the same name collide."""
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_warning_that_is_ignored_has_its_reason_on_the_line() -> None:
    """The reason says when the ignore can be removed."""
    bare = re.compile(r"# (noqa(: [A-Z0-9, ]+)?|type: ignore(\[[a-z-]+\])?)\s*$")
    sources = _modules()
    assert len(sources) > len(SOURCES)
    assert [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (*sources, ROOT / "function_app.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line)
    ] == []


def test_the_digest_of_the_local_azures_tests_covers_all_that_they_import() -> None:
    """CI skips these tests while the digest stays as it is, so a file that it leaves out would go untested."""
    product = "|".join(sorted({*OURS} - {"emulator"}))
    imported = re.compile(rf"^(?:from|import) ((?:{product})[\w.]*|tests\.product[\w.]*)", re.MULTILINE)
    names = {
        name
        for path in (ROOT / "tests" / "emulator").rglob("*.py")
        for name in imported.findall(path.read_text(encoding="utf-8"))
    }
    # The fence holds nothing that a certificate depends on.
    assert not {name for name in names - {"shared"} if not name.replace(".", "/").startswith(COVERED)}


def _modules() -> list[Path]:
    found = (path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))
    return [path for path in found if "node_modules" not in path.parts]
