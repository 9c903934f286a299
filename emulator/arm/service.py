"""Puts ARM together: the rows of every service folder, the routes, the model."""

from emulator.arm.call import build, operation_name
from emulator.arm.exceptions import render, unknown_path
from emulator.arm.models import ArmModel
from emulator.arm.provider.manifest import PROVIDED
from emulator.arm.urls import ROWS
from emulator.authorization.resources import TYPES as AUTHORIZATION_TYPES
from emulator.authorization.urls import ROWS as AUTHORIZATION_ROWS
from emulator.compute import install as install_compute
from emulator.compute.resources import TYPES as COMPUTE_TYPES
from emulator.containerregistry.resources import PROVIDER_ACTIONS as REGISTRY_ACTIONS
from emulator.containerregistry.resources import TYPES as REGISTRY_TYPES
from emulator.core.platform import Platform, Service
from emulator.deployments import install as install_deployments
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
HOST = "management.azure.com"


def create(platform: Platform) -> Service:
    """Build the service and make its model known."""
    arm = ArmModel(platform, TYPES, PROVIDER_ACTIONS, PROVIDED)
    arm.routes.extend(build(arm, (*AUTHORIZATION_ROWS, *NETWORK_ROWS, *ROWS)))
    platform.register(arm)
    platform.register(StorageModel(arm))
    platform.register(Reach(arm))
    install_compute(platform, arm)
    install_deployments(platform, arm)

    async def start() -> None:
        arm.operations.purge()
        arm.front_door.announce()
        for resume in arm.resumes:
            await resume()

    return Service(
        name="arm",
        hosts=(HOST, f"localhost:{platform.ports['arm']}"),
        routes=arm.routes,
        render=render,
        operation=operation_name,
        start=start,
        not_found=unknown_path,
    )
