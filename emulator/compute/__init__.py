"""Microsoft.Compute: virtual machines, their disks, sizes, images and quotas. What runs inside is `emulator.openshift`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel
    from emulator.core.platform import Platform


def install(platform: "Platform", arm: "ArmModel") -> None:
    """Make the quotas known, put the paths that are no resources on ARM's host, and boot what a kill kept from it."""
    # ARM gathers the rows of this package: at the top these imports would be a circle.
    from emulator.arm.call import build  # noqa: PLC0415 - see above
    from emulator.compute.power import boot_left_over  # noqa: PLC0415 - see above
    from emulator.compute.quotas import Quotas  # noqa: PLC0415 - see above
    from emulator.compute.urls import ROWS  # noqa: PLC0415 - see above

    platform.register(Quotas(platform))
    arm.add_routes(build(arm, ROWS))

    async def resume() -> None:
        boot_left_over(arm)

    arm.on_start(resume)
