"""A browser for all tests of the page, and for each a window of its own."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.portal import browser
from tests.e2e.portal.stand import Stand, hosted_stand_of, stand_of


@pytest.fixture(scope="package")
def driver() -> Iterator[Any]:
    """Give what drives browsers: a process may have one of these at a time."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: run `make setup`")
    with playwright.sync_playwright() as found:
        yield found


@pytest.fixture(scope="package")
def chromium(driver: Any) -> Iterator[Any]:
    """Give the browser."""
    with browser.chromium(driver) as found:
        yield found


@pytest.fixture
def stand(chromium: Any) -> Iterator[Stand]:
    """Give the page with the frontend in this process behind it."""
    yield from _window(chromium, stand_of)


@pytest.fixture
def hosted(chromium: Any) -> Iterator[Stand]:
    """Give the page of a hosted service to an operator."""
    yield from _window(chromium, hosted_stand_of)


def _window(chromium: Any, make: Callable[[Any], Stand]) -> Iterator[Stand]:
    window = chromium.new_context()
    found = make(window.new_page())
    found.page.set_default_timeout(20_000)
    yield found
    window.close()
    assert not found.complaints
