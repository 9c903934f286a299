"""What all tests of rights need: time."""

import pytest

from shared import deadline

# Only a hang takes as long.
PATIENCE_SECONDS = 120.0


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no read miss its deadline because the machine is busy."""
    monkeypatch.setattr(deadline, "ARM_READS_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(deadline, "CALL_SECONDS", PATIENCE_SECONDS)
