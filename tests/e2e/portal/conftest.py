"""A browser for all tests of the page, and for each a window of its own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.portal import browser
from tests.e2e.portal.stand import Stand, stand_of


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """Give the browser."""
    with browser.chromium() as found:
        yield found


@pytest.fixture
def stand(chromium: Any) -> Iterator[Stand]:
    """Give the page with the frontend in this process behind it."""
    window = chromium.new_context()
    found = stand_of(window.new_page())
    found.page.set_default_timeout(60_000)
    yield found
    window.close()
    assert not found.complaints
