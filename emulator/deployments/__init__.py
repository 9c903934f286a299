"""Template deployments: the template language, the plan of a deployment, its run, and the API around them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emulator.arm.models import ArmModel
    from emulator.core.platform import Platform


def install(platform: "Platform", arm: "ArmModel") -> None:
    """Make the deployments known, and put their routes on ARM's host."""
    # The language needs nothing of ARM; its users should not load the models and routes with it.
    from emulator.deployments.models import DeploymentsModel  # noqa: PLC0415 - see above
    from emulator.deployments.urls import routes  # noqa: PLC0415 - see above

    model = DeploymentsModel(platform, arm)
    platform.register(model)
    arm.add_routes(routes(model))
