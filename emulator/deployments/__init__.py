"""Template deployments: the template language, the plan of a deployment, its run, and the API around them."""

from emulator.arm.models import ArmModel
from emulator.core.platform import Platform
from emulator.deployments.models import DeploymentsModel
from emulator.deployments.urls import routes

__all__ = ["install"]


def install(platform: Platform, arm: ArmModel) -> None:
    """Make the deployments known, and put their routes on ARM's host."""
    model = DeploymentsModel(platform, arm)
    platform.register(model)
    arm.add_routes(routes(model))
