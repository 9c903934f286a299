"""Microsoft Entra ID: `login.microsoftonline.com` and its aliases, and the token port on localhost."""

from emulator.core.platform import Platform, Service
from emulator.entra.browser_sign_in import BrowserSignIn
from emulator.entra.exceptions import render
from emulator.entra.federation import Federation
from emulator.entra.models import APPLICATION_ADMINISTRATOR, USER_ADMINISTRATOR, EntraModel, Principal
from emulator.entra.responses import ALIASES, Responses
from emulator.entra.urls import routes

__all__ = ["APPLICATION_ADMINISTRATOR", "USER_ADMINISTRATOR", "EntraModel", "Principal", "create"]


def create(platform: Platform) -> Service:
    """Create the service, without tenants and applications, which the seed creates."""
    entra = EntraModel(platform)
    platform.register(entra)
    port = platform.ports.get("token")
    browsers = BrowserSignIn(entra, platform)
    local = (f"localhost:{port}", f"127.0.0.1:{port}") if port else ()
    return Service(
        name="entra",
        hosts=(*ALIASES, *local),
        routes=routes(Responses(entra, Federation(platform), browsers, local), browsers),
        render=render,
    )
