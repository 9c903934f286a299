"""Microsoft.Compute: virtual machines, their disks, sizes, images and quotas.

The operating systems inside the machines are in `emulator.openshift`.
"""

from emulator.arm.call import build
from emulator.arm.models import ArmModel
from emulator.compute.agreements import Agreements
from emulator.compute.power import boot_left_over
from emulator.compute.quotas import Quotas
from emulator.compute.urls import ROWS
from emulator.core.platform import Platform

__all__ = ["install"]


def install(platform: Platform, arm: ArmModel) -> None:
    """Register quotas, agreements and the routes besides resources, and boot machines whose boot a kill prevented."""
    platform.register(Agreements(platform))
    platform.register(Quotas(platform))
    arm.add_routes(build(arm, ROWS))

    async def resume() -> None:
        boot_left_over(arm)

    arm.on_start(resume)
