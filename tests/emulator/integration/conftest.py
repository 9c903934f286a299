"""The SDKs' clients in these tests do not sleep as long as Azure asks them to."""

import time
from collections.abc import Iterator

import pytest
from azure.core.pipeline.transport import RequestsTransport

# A Retry-After has whole seconds, at least one, but what these tests wait for takes milliseconds.
SLEEP_SHARE = 0.05


@pytest.fixture(scope="package", autouse=True)
def _hurried() -> Iterator[None]:
    """Shorten the pauses between two polls, and before another try, of every client in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RequestsTransport, "sleep", lambda _transport, seconds: time.sleep(seconds * SLEEP_SHARE))
        yield
