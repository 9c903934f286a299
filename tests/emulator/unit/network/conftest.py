"""ARM's model in this process, with a network in it."""

import pytest

from emulator.arm.models import ArmModel
from emulator.openshift.guests import Guests
from tests.emulator.unit.arm.conftest import Time, model, open_arm, time
from tests.emulator.unit.network.world import World

__all__ = ["model", "open_arm", "time"]


@pytest.fixture
def world(model: ArmModel, time: Time) -> World:
    """Make a customer's network, with requests against it that end at once."""
    model.platform.register(Guests(model.platform))
    made = World(model, time)
    made.put_network()
    return made
