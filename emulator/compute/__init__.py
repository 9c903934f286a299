"""Microsoft.Compute: virtual machines, their disks, sizes, images and quotas. What runs inside is `emulator.openshift`."""

from emulator.arm.call import build
from emulator.arm.models import ArmModel
from emulator.compute.power import boot_left_over
from emulator.compute.quotas import Quotas
from emulator.compute.urls import ROWS
from emulator.core.platform import Platform

__all__ = ["install"]


def install(platform: Platform, arm: ArmModel) -> None:
    """Make the quotas known, put the paths that are no resources on ARM's host, and boot what a kill kept from it."""
    platform.register(Quotas(platform))
    arm.add_routes(build(arm, ROWS))

    async def resume() -> None:
        boot_left_over(arm)

    arm.on_start(resume)
