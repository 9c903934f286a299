"""The table of services names existing steps, and only ways of being away that faults support."""

import pytest

from emulator.core.faults import Fault
from tests.faults.scenarios import Json
from tests.faults.services import SERVICES, WAYS, Service, steps_of


@pytest.mark.parametrize("service", SERVICES.values(), ids=list(SERVICES))
def test_a_service_names_steps_of_the_plans(service: Service) -> None:
    """A fault of a renamed step would never be met."""
    for operation, steps in service.steps.items():
        assert set(steps) <= set(steps_of(operation))


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_a_way_is_a_fault(way: Json) -> None:
    """The local Azure would refuse any other."""
    assert Fault(**way, seconds=1).seconds == 1
