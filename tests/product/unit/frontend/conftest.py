"""Fixtures of the frontend's tests."""

import pytest

from tests.product.unit.frontend.world import World


@pytest.fixture
def world() -> World:
    """A frontend with one registered subscription and three versions."""
    return World()
