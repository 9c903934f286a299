"""Fixtures for all unit tests: no test sees the address that another one called last."""

from collections.abc import Iterator

import pytest

from shared import tracing


@pytest.fixture(autouse=True)
def _nothing_called_yet() -> Iterator[None]:
    """Begin like an activity: the error of a connection names the call of its own step."""
    token = tracing.address.set("")
    yield
    tracing.address.reset(token)
