"""Key Vault's data plane for secrets and certificates: `*.vault.azure.net`."""

from emulator.core.platform import Platform, Service
from emulator.entra.models import EntraModel
from emulator.keyvault.certificate_responses import CertificateResponses
from emulator.keyvault.exceptions import not_found, render
from emulator.keyvault.issuers import IssuerModel
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.orders import OrderModel
from emulator.keyvault.responses import Responses
from emulator.keyvault.urls import routes
from emulator.keyvault.vault_certificates import CertificateModel
from emulator.keyvault.vault_requests import DataAllowed, Gate

__all__ = ["IssuerModel", "KeyVaultModel", "create"]


def create(platform: Platform, data_allowed: DataAllowed) -> Service:
    """Create the service. Entra ID has to be created before, because this service accepts its tokens; ARM knows the roles."""
    model, issuers = KeyVaultModel(platform), IssuerModel(platform)
    certificates = CertificateModel(platform, model)
    orders = OrderModel(platform, model, certificates, issuers)
    for each in (model, issuers):
        platform.register(each)
    gate = Gate(model, orders, platform.model(EntraModel), platform.clock, data_allowed)
    return Service(
        name="keyvault",
        hosts=("*.vault.azure.net",),
        resolves=lambda host: model.vault(host.partition(".")[0]) is not None,
        routes=routes(gate, Responses(model), CertificateResponses(certificates, orders, issuers)),
        render=render,
        not_found=not_found,
    )
