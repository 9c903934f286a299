"""Combines Azure Resource Manager with its resource providers: their types, routes and models."""

from collections.abc import Mapping, Sequence

from emulator import compute, deployments
from emulator.arm import service
from emulator.arm.models import ArmModel
from emulator.arm.provider.manifest import PROVIDED
from emulator.authorization.resources import TYPES as AUTHORIZATION_TYPES
from emulator.authorization.urls import ROWS as AUTHORIZATION_ROWS
from emulator.compute.resources import TYPES as COMPUTE_TYPES
from emulator.containerregistry.resources import TYPES as REGISTRY_TYPES
from emulator.core.platform import Platform, Service
from emulator.dns.resources import TYPES as DNS_TYPES
from emulator.documentdb.resources import TYPES as DOCUMENT_TYPES
from emulator.host.keys import read_keys
from emulator.identities.federated_credentials import FEDERATED_CREDENTIALS
from emulator.identities.resource_identity import identifiable
from emulator.identities.resources import TYPES as IDENTITY_TYPES
from emulator.monitoring.activity import ROWS as ACTIVITY_ROWS
from emulator.monitoring.components import COMPONENTS
from emulator.monitoring.diagnostic_settings import DIAGNOSTIC_SETTINGS
from emulator.monitoring.workspaces import WORKSPACES
from emulator.network.reach import Reach
from emulator.network.resources import TYPES as NETWORK_TYPES
from emulator.network.usages import ROWS as USAGE_ROWS
from emulator.privatedns.resources import TYPES as PRIVATE_DNS_TYPES
from emulator.storage.models import StorageModel
from emulator.storage.resources import PROVIDER_ACTIONS as STORAGE_ACTIONS
from emulator.storage.resources import TYPES as STORAGE_TYPES
from emulator.vaults.deleted_vaults import ROWS as VAULT_ROWS
from emulator.vaults.deleted_vaults import DeletedVaults
from emulator.vaults.resources import PROVIDER_ACTIONS as VAULT_ACTIONS
from emulator.vaults.resources import TYPES as VAULT_TYPES
from emulator.web.models import SitesModel
from emulator.web.resources import PROVIDER_ACTIONS as WEB_ACTIONS
from emulator.web.resources import ROWS as WEB_ROWS
from emulator.web.resources import TYPES as WEB_TYPES

TYPES = (
    *AUTHORIZATION_TYPES,
    *COMPUTE_TYPES,
    *DNS_TYPES,
    *DOCUMENT_TYPES,
    *IDENTITY_TYPES,
    *NETWORK_TYPES,
    *PRIVATE_DNS_TYPES,
    *REGISTRY_TYPES,
    *STORAGE_TYPES,
    *VAULT_TYPES,
    *WEB_TYPES,
    COMPONENTS,
    DIAGNOSTIC_SETTINGS,
    FEDERATED_CREDENTIALS,
    identifiable(WORKSPACES),
)
PROVIDER_ACTIONS = (*STORAGE_ACTIONS, *VAULT_ACTIONS, *WEB_ACTIONS)
ROWS = (
    *ACTIVITY_ROWS,
    *AUTHORIZATION_ROWS,
    *USAGE_ROWS,
    *VAULT_ROWS,
    *WEB_ROWS,
)
# Types without a row, in namespaces that subscriptions must register: sites join subnets by way of Microsoft.App.
WITHOUT_ROWS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "Microsoft.App": {"managedEnvironments": ("2024-03-01", "2025-01-01")}
}


def create(platform: Platform) -> Service:
    """Build the service, and register its model and those of its providers."""
    arm = ArmModel(platform, TYPES, PROVIDER_ACTIONS, {**PROVIDED, **WITHOUT_ROWS})
    platform.register(arm)
    created = service.create(arm, ROWS)
    platform.register(StorageModel(arm))
    platform.register(DeletedVaults(platform))
    platform.register(SitesModel(arm, read_keys))
    platform.register(Reach(arm))
    compute.install(platform, arm)
    deployments.install(platform, arm)
    return created
