"""Template deployments: the template language, the plan and the run of a deployment, and the API for them."""

from emulator.arm.models import ArmModel
from emulator.core.platform import Platform
from emulator.deployments.models import DeploymentsModel
from emulator.deployments.urls import routes
from emulator.deployments.whatif.models import WhatIfModel

__all__ = ["install"]


def install(platform: Platform, arm: ArmModel) -> None:
    """Register the deployments, and add their routes to ARM's host."""
    model = DeploymentsModel(platform, arm)
    platform.register(model)
    platform.register(WhatIfModel(platform, model))
    arm.add_routes(routes(model))
