"""Who takes part in the stories."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.client import people
from tests.e2e.client.people import Owner
from tests.e2e.client.terminals import COMMAND, Person
from tests.entra_azure import Caller, EntraAzure
from tests.local_azure import unique

Newcomer = Callable[[str], tuple[Caller, Person]]


@pytest.fixture
def newcomer(entra_azure: EntraAzure, tmp_path: Path) -> Newcomer:
    """Give people who have signed in, and have no rights yet."""
    if not COMMAND.exists():
        pytest.skip("aroctl is not installed: run `make client`")
    return lambda name: people.newcomer(entra_azure, tmp_path, name)


@pytest.fixture
def owner(entra_azure: EntraAzure, tmp_path: Path, rng: random.Random) -> Owner:
    """Give somebody with a network in a group of their own, and aroctl configured for that group."""
    if not COMMAND.exists():
        pytest.skip("aroctl is not installed: run `make client`")
    found = people.owner(entra_azure, tmp_path, unique(rng))
    people.configure(entra_azure, found.person, found.tenant.group)
    return found
