"""A package that was made from the same is not made again."""

from pathlib import Path

import pytest

from tools.package import __main__ as package
from tools.package import bytecode, last_package

FILES = {"host.json": b"{}", "requirements.txt": b"azure-functions==1.26.0\n"}


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the Pythons for which a package was built from a product of two files; a test may change the product."""
    seen: list[str] = []

    def dependencies(_requirements: Path, python: str) -> dict[str, bytes]:
        seen.append(python)
        return {}

    monkeypatch.setattr(package, "product_files", lambda _repository: dict(FILES))
    monkeypatch.setattr(package, "kustomize", lambda _repository: {})
    monkeypatch.setattr(package, "portal", lambda _repository: {})
    monkeypatch.setattr(package, "dependency_files", dependencies)
    monkeypatch.setattr(bytecode, "interpreter", lambda _python: None)
    return seen


def _make(folder: Path, python: str = "3.11") -> None:
    assert package.main(["--python", python, "--output", str(folder / "package.zip")]) == 0


def test_the_same_package_is_made_once_and_described_twice(
    tmp_path: Path, builds: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks again gets the same answer at once."""
    _make(tmp_path)
    first = capsys.readouterr().out
    _make(tmp_path)
    assert builds == ["3.11"]
    assert capsys.readouterr().out == first
    assert "host.json" not in first
    assert str(tmp_path / "package.zip") in first


@pytest.mark.parametrize(
    "what", ["a file", "the lock file", "the Python", "the zip is gone", "the zip is another", "the list is gone"]
)
def test_another_package_is_made(tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Nobody publishes an old one by mistake."""
    _make(tmp_path)
    changed = {"a file": {"host.json": b"{ }"}, "the lock file": {"requirements.txt": b""}}.get(what, {})
    monkeypatch.setattr(package, "product_files", lambda _repository: FILES | changed)
    if what == "the zip is gone":
        (tmp_path / "package.zip").unlink()
    if what == "the zip is another":
        (tmp_path / "package.zip").write_bytes(b"half of it")
    if what == "the list is gone":
        (tmp_path / "package.cdx.json").unlink()
    _make(tmp_path, "3.12" if what == "the Python" else "3.11")
    assert len(builds) == 2


def test_the_tool_itself_decides_too() -> None:
    """A checkout of another version of it makes another package."""
    names = {path.name for path in Path(last_package.__file__).parent.glob("*.py")}
    assert {"contents.py", "dependencies.py", "bytecode.py", "archive.py"} <= names
    assert last_package.digest(FILES, "3.11") != last_package.digest(FILES, "3.12")
