"""Key Vault's data plane for secrets: `*.vault.azure.net`."""

from emulator.core.platform import Platform, Service
from emulator.entra.models import EntraModel
from emulator.keyvault.exceptions import not_emulated, render
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.responses import Responses
from emulator.keyvault.urls import routes

__all__ = ["KeyVaultModel", "create"]


def create(platform: Platform) -> Service:
    """Create the service; it comes after Entra ID, whose tokens it takes."""
    model = KeyVaultModel(platform)
    platform.register(model)
    responses = Responses(model, platform.model(EntraModel), platform.clock)
    return Service(
        name="keyvault",
        hosts=("*.vault.azure.net",),
        routes=routes(responses),
        render=render,
        not_found=not_emulated,
    )
