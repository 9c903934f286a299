"""What all unit tests share: no test sees which address another one has called last."""

from collections.abc import Iterator

import pytest

from shared import tracing


@pytest.fixture(autouse=True)
def _nothing_called_yet() -> Iterator[None]:
    """Begin as an activity begins: the error of a connection names the call of its own step."""
    token = tracing.address.set("")
    yield
    tracing.address.reset(token)
