"""A clock that tests move by hand."""

from datetime import UTC, datetime

import pytest


class Stopped:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time."""
        return self.moment


@pytest.fixture
def time() -> Stopped:
    """Return a clock that stands still."""
    return Stopped()
