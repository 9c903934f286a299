"""App Service's managed identity endpoint: plain HTTP on localhost, beside the functions."""

from emulator.core.platform import Platform, Service
from emulator.entra.models import EntraModel
from emulator.managed_identity.exceptions import render
from emulator.managed_identity.models import ManagedIdentityModel
from emulator.managed_identity.responses import Responses
from emulator.managed_identity.urls import routes

__all__ = ["ManagedIdentityModel", "create"]


def create(platform: Platform) -> Service:
    """Create the service. Entra ID has to be created before, because it has the identity."""
    model = ManagedIdentityModel(platform, platform.model(EntraModel))
    platform.register(model)
    port = platform.ports.get("identity")
    hosts = (f"localhost:{port}", f"127.0.0.1:{port}") if port else ()
    return Service(name="managed-identity", hosts=hosts, routes=routes(Responses(model)), render=render)
