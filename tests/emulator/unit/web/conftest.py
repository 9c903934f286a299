"""The group of `stage.py` for every test."""

import pytest

from tests.emulator.unit.providers import Azure
from tests.emulator.unit.web import stage


@pytest.fixture
def blobs(azure: Azure) -> stage.Blobs:
    """Create the group's resources; return the blobs that are written."""
    return stage.prepare(azure)
