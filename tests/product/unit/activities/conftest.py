"""The product on an Azure in memory."""

from collections.abc import Iterator

import pytest

from activities.checks import size_offers
from tests.product.unit.product_world import accepted, own, world

__all__ = ["accepted", "own", "world"]


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    """Drop what was read for the operation of the test before, which has the same id."""
    yield
    size_offers._reading.cache_clear()
