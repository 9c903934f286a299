"""The local Azure that all workers of a test session share: who starts it, who stops it, and when it does not start."""

from pathlib import Path

import pytest

from tests import local_azure
from tests.local_azure import LocalAzure


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give what happens to a platform that exists in this list only."""
    seen: list[str] = []
    monkeypatch.setattr(local_azure, "start", lambda *_: seen.append("up"))
    monkeypatch.setattr(LocalAzure, "command", lambda _platform, *words: seen.append(*words))
    return seen


def test_the_first_worker_starts_it_and_the_last_one_stops_it(tmp_path: Path, events: list[str]) -> None:
    """In between it serves everybody."""
    with local_azure.shared(tmp_path / "azure"):
        with local_azure.shared(tmp_path / "azure"):
            assert events == ["up"]
        assert events == ["up"]
    assert events == ["up", "down"]


def test_one_that_did_not_start_is_started_by_the_next_worker(
    tmp_path: Path, events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every test of the session would look for the addresses of a platform that does not run."""
    with monkeypatch.context() as broken:
        broken.setattr(local_azure, "start", lambda *_: pytest.fail("emulator up failed"))
        with pytest.raises(pytest.fail.Exception), local_azure.shared(tmp_path / "azure"):
            pass
    with local_azure.shared(tmp_path / "azure"):
        assert events == ["up"]
    assert events == ["up", "down"]
