"""ARM's model in this process, as for the tests of ARM itself."""

from tests.emulator.unit.arm.conftest import model, open_arm, time

__all__ = ["model", "open_arm", "time"]
