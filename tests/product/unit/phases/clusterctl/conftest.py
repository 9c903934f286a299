"""Fixtures of the tests of Cluster API."""

import pytest


@pytest.fixture(autouse=True)
def _render(kustomize_once: None) -> None:
    """Render each bundle once in a session."""
