"""A separate subscription for each module."""

from collections.abc import Iterator

import pytest

from tests.local_azure import LocalAzure
from tests.product.integration.contract.provider import Provider


@pytest.fixture(scope="module")
def provider(azure: LocalAzure) -> Iterator[Provider]:
    """Give a registered subscription; deleting it afterwards deletes its clusters."""
    made = Provider(azure)
    made.register()
    yield made
    made.register("Deleted")
