"""What all tests here share: each has an environment of its own, in which the product finds another way to Azure."""

from collections.abc import Iterator

import pytest

from shared.http_session import network


@pytest.fixture(autouse=True)
def _own_network() -> Iterator[None]:
    """Let the product look at the environment again; one process keeps what it has found."""
    network.cache_clear()
    yield
    network.cache_clear()
