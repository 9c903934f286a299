"""The service behind ARM: what its operators have before they deploy it, and its registration as a resource provider."""

from collections.abc import Mapping
from typing import Any

from emulator.arm.models import ArmModel
from emulator.core.platform import Platform
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.run.caller_certificates import ADMIN_COMMON_NAME, admin_authority
from emulator.run.provider.calls import Operator
from emulator.run.provider.deployment_record import Deployed
from emulator.run.provider.registration import MANIFEST, read_manifest, registration
from emulator.web.models import SitesModel

GROUPS_VERSION, REGISTRIES_VERSION = "2024-11-01", "2023-07-01"


async def prepare(operator: Operator, platform: Platform) -> Json:
    """Create the registry that mirrors OpenShift's images; return the parameters that an operator chooses.

    The first-party application is known in the customers' tenant, too, before the provider is registered there.
    """
    world = platform.world
    principal(platform, world.tenant_id, {})
    group, _, _ = world.registry_id.partition("/providers/")
    await operator.call("PUT", group, GROUPS_VERSION, {"location": world.location})
    registry = {"location": world.location, "sku": {"name": "Premium"}, "properties": {}}
    await operator.call("PUT", world.registry_id, REGISTRIES_VERSION, registry)
    return {
        "domain": world.domain,
        "registryId": world.registry_id,
        "adminAuthority": admin_authority(platform).pem().decode(),
        "adminCommonName": ADMIN_COMMON_NAME,
        "firstPartyClientId": world.first_party_client_id,
    }


def principal(platform: Platform, tenant_id: str, _outputs: Mapping[str, Any]) -> str:
    """Return the first-party application in a tenant."""
    return platform.model(EntraModel).ensure_service_principal(tenant_id, platform.world.first_party_client_id)


def register(platform: Platform, deployed: Deployed) -> None:
    """Register the app as the resource provider, unless somebody has registered another one that still exists."""
    arm, client_id = platform.model(ArmModel), platform.world.first_party_client_id
    other, _, _ = arm.registration.host.partition(".")
    if arm.registration.host in ("", deployed.host) or platform.model(SitesModel).find(other) is None:
        roles = deployed.roles["subscriptionRole"], deployed.roles["clusterRole"]
        arm.register_provider(registration(deployed.host, read_manifest(MANIFEST), client_id, *roles))
