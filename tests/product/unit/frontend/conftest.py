"""Fixtures of the frontend's tests."""

import pytest

from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.world import World


@pytest.fixture
def world() -> World:
    """A frontend with one registered subscription and three versions."""
    return World()


@pytest.fixture
def own() -> CallersWorld:
    """The same in one's own subscription, where callers have tokens."""
    return CallersWorld()
