"""A customer's network, in which zones can be linked."""

from tests.emulator.unit.network.conftest import model, open_arm, time, world

__all__ = ["model", "open_arm", "time", "world"]
