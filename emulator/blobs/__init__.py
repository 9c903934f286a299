"""The data plane of blob storage: `https://<account>.blob.core.windows.net`, in front of one Azurite.

This package checks the caller's network, keys, signatures, tokens and roles as Azure does; Azurite stores the
blobs. It refuses Shared Key Lite, stored access policies, anonymous access, batches and service properties; it copies
only the disks of releases.
"""

from emulator.blobs.authorization import Authorization, Roles
from emulator.blobs.copies import Copies
from emulator.blobs.exceptions import Renderer
from emulator.blobs.models import SUFFIX, BlobsModel, StorageAccounts
from emulator.blobs.responses import Responses
from emulator.blobs.urls import operation, routes
from emulator.core.platform import Platform, Service
from emulator.entra import EntraModel

__all__ = ["BlobsModel", "Roles", "StorageAccounts", "create"]


def create(platform: Platform, accounts: StorageAccounts, roles: Roles) -> Service:
    """Create the service."""
    model = BlobsModel(platform, accounts)
    copies = Copies(platform.store, platform.clock)
    platform.register(model)
    platform.register(copies)
    authorization = Authorization(platform.model(EntraModel), accounts, roles, platform.clock)
    return Service(
        name="blobs",
        hosts=(f"*{SUFFIX}",),
        resolves=model.resolves,
        routes=routes(Responses(model, copies, authorization, platform.world.tenant_id)),
        render=Renderer(platform.clock),
        operation=operation,
    )
