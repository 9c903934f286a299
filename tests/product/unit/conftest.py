"""Fixtures for all unit tests: no test sees the address that another one called last; kustomize runs rarely."""

from collections.abc import Iterator

import pytest

from shared import tracing
from shared.phase_documents import kustomize
from tests.conftest import of_session
from tests.product.unit.phases.kustomize_cache import Renderings


@pytest.fixture(autouse=True)
def _nothing_called_yet() -> Iterator[None]:
    """Begin like an activity: the error of a connection names the call of its own step."""
    token = tracing.address.set("")
    yield
    tracing.address.reset(token)


@pytest.fixture(scope="session")
def _renderings(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Renderings:
    folder = of_session(tmp_path_factory, worker_id) / "renderings"
    folder.mkdir(exist_ok=True)
    return Renderings(folder)


@pytest.fixture
def kustomize_once(_renderings: Renderings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kustomize run once in a session for each bundle. For tests of what becomes of a rendered bundle."""
    monkeypatch.setattr(kustomize, "_run", _renderings.run)
