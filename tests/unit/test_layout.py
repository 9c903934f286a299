"""The layout of the source tree: what `http/` must never become, and names that no dependency may take."""

import importlib.util
import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("activities", "emulator", "frontend", "function_app", "orchestrators", "shared", "timers")


def test_http_is_the_standard_librarys() -> None:
    """`import http` never finds our folder."""
    found = importlib.util.find_spec("http")
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).is_relative_to(sysconfig.get_path("stdlib"))


def test_http_holds_packages_and_no_module() -> None:
    """A Python file in it would make it a package, and break the standard library's."""
    assert list((ROOT / "http").glob("*.py")) == []


def test_no_dependency_ships_a_package_of_our_name() -> None:
    """Where packages stand before the app folder on the path, theirs would win."""
    assert set(OURS) & packages_distributions().keys() == set()


def test_every_folder_of_tests_is_a_package() -> None:
    """Without it, two test files of one name collide."""
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []
