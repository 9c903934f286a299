"""Publishing: the site of each function app at `https://<name>.scm.azurewebsites.net`."""

from emulator.core.platform import Platform, Service
from emulator.web.models import SitesModel
from emulator.web.names import SCM_SUFFIX
from emulator.web.scm.deployments import Deployments
from emulator.web.scm.exceptions import render
from emulator.web.scm.responses import Responses
from emulator.web.scm.urls import routes

__all__ = ["Deployments", "create"]


def create(platform: Platform) -> Service:
    """Create the service. ARM, its sites and the blob service have to be created before."""
    deployments = Deployments(platform)
    platform.register(deployments)
    return Service(
        name="scm",
        hosts=(f"*{SCM_SUFFIX}",),
        resolves=platform.model(SitesModel).resolves,
        routes=routes(Responses(platform, deployments)),
        render=render,
        start=deployments.resume,
    )
