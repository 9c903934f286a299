"""Combines Azure Resource Manager with its resource providers: their types, routes and models."""

from emulator import compute, deployments
from emulator.arm import service
from emulator.arm.models import ArmModel
from emulator.arm.provider.manifest import PROVIDED
from emulator.authorization.resources import TYPES as AUTHORIZATION_TYPES
from emulator.authorization.urls import ROWS as AUTHORIZATION_ROWS
from emulator.compute.resources import TYPES as COMPUTE_TYPES
from emulator.containerregistry.resources import PROVIDER_ACTIONS as REGISTRY_ACTIONS
from emulator.containerregistry.resources import TYPES as REGISTRY_TYPES
from emulator.core.platform import Platform, Service
from emulator.dns.resources import TYPES as DNS_TYPES
from emulator.network.reach import Reach
from emulator.network.resources import TYPES as NETWORK_TYPES
from emulator.network.usages import ROWS as NETWORK_ROWS
from emulator.privatedns.resources import TYPES as PRIVATE_DNS_TYPES
from emulator.storage.models import StorageModel
from emulator.storage.resources import PROVIDER_ACTIONS as STORAGE_ACTIONS
from emulator.storage.resources import TYPES as STORAGE_TYPES

TYPES = (
    *AUTHORIZATION_TYPES,
    *COMPUTE_TYPES,
    *DNS_TYPES,
    *NETWORK_TYPES,
    *PRIVATE_DNS_TYPES,
    *REGISTRY_TYPES,
    *STORAGE_TYPES,
)
PROVIDER_ACTIONS = (*REGISTRY_ACTIONS, *STORAGE_ACTIONS)


def create(platform: Platform) -> Service:
    """Build the service, and register its model and those of its providers."""
    arm = ArmModel(platform, TYPES, PROVIDER_ACTIONS, PROVIDED)
    platform.register(arm)
    created = service.create(arm, (*AUTHORIZATION_ROWS, *NETWORK_ROWS))
    platform.register(StorageModel(arm))
    platform.register(Reach(arm))
    compute.install(platform, arm)
    deployments.install(platform, arm)
    return created
