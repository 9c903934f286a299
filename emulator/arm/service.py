"""ARM as a service: routes its own paths and those of the resource providers to its model."""

from collections.abc import Sequence

from emulator.arm.call import Row, build, operation_name
from emulator.arm.exceptions import absent_path, render
from emulator.arm.models import ArmModel
from emulator.arm.urls import ROWS
from emulator.arm.writes import group_removal
from emulator.core.platform import Service

HOST = "management.azure.com"


def create(arm: ArmModel, rows: Sequence[Row]) -> Service:
    """Build the service.

    Args:
        arm: the model, with the rows of every resource type.
        rows: paths of resource providers that are not resources; they precede ARM's own.
    """
    arm.routes.extend(build(arm, (*rows, *ROWS)))

    async def start() -> None:
        arm.operations.purge()
        arm.activity.purge()
        arm.front_door.announce()
        await group_removal.resume(arm)
        for resume in arm.resumes:
            await resume()

    return Service(
        name="arm",
        hosts=(HOST, f"localhost:{arm.platform.ports['arm']}"),
        routes=arm.routes,
        render=render,
        operation=operation_name,
        start=start,
        not_found=absent_path,
    )
