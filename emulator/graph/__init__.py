"""Microsoft Graph: applications and service principals of the directory that `emulator/entra` keeps."""

from emulator.core.platform import Platform, Service
from emulator.entra.models import EntraModel
from emulator.graph.exceptions import not_emulated, render
from emulator.graph.models import GraphModel
from emulator.graph.responses import Responses
from emulator.graph.urls import routes

__all__ = ["GraphModel", "create"]


def create(platform: Platform) -> Service:
    """Create the service; Entra ID, whose directory it shows, must be registered before it."""
    model = GraphModel(platform.model(EntraModel))
    platform.register(model)
    return Service(
        name="graph",
        hosts=("graph.microsoft.com",),
        routes=routes(Responses(model)),
        render=render,
        not_found=not_emulated,
    )
