"""The resource provider's registration with ARM, for tests that do not seed a whole local Azure."""

from collections.abc import Sequence
from typing import Any

from emulator.arm.access.role import Role
from emulator.arm.models import ArmModel
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from tests.api_versions import VERSIONS

SERVED = "dddddddd-0000-4000-8000-0000000000a1"
MANAGED = "dddddddd-0000-4000-8000-0000000000a2"
SERVED_READS = ("Microsoft.Resources/subscriptions/resourceGroups/read", "Microsoft.Compute/skus/read")
TYPES = ("openShiftClusters", "operations", "locations", "locations/operationsstatus", "locations/operationresults")
HOST = "arorp.azurewebsites.net"


def document(platform: Platform, *, host: str = HOST) -> dict[str, Any]:
    """Return a registration of the first-party application, with two roles that `register` makes.

    Args:
        platform: has the names.
        host: the endpoint's host name.
    """
    world = platform.world
    definitions = f"/subscriptions/{world.rp_subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
    return {
        "endpoint": f"https://{host}",
        "manifest": {
            "namespace": "Microsoft.RedHatOpenShift",
            "providerVersion": "2.0",
            "providerType": "Internal",
            "providerAuthorizations": [
                {
                    "applicationId": world.first_party_client_id,
                    "roleDefinitionId": f"{definitions}/{SERVED}",
                    "managedByRoleDefinitionId": f"{definitions}/{MANAGED}",
                }
            ],
            "resourceTypes": [
                {
                    "name": name,
                    "routingType": "Default" if name == TYPES[0] else "ProxyOnly",
                    "endpoints": [{"apiVersions": list(VERSIONS), "locations": [], "timeout": "PT60S"}],
                    "templateDeploymentOptions": {"preflightSupported": name == TYPES[0]},
                    **({"identityManagement": {"type": "DelegatedResourceIdentity"}} if name == TYPES[0] else {}),
                }
                for name in TYPES
            ],
        },
    }


def register(platform: Platform, *, served: Sequence[str] = SERVED_READS, managed: Sequence[str] = ("*",)) -> None:
    """Register the resource provider of the world with ARM.

    Args:
        platform: the platform, with ARM.
        served: the actions of its application in subscriptions that registered it.
        managed: the actions of its application in groups that its resources manage.
    """
    arm = platform.model(ArmModel)
    scope = f"/subscriptions/{platform.world.rp_subscription_id}"
    ensure_role_definition(arm, scope, SERVED, "served", served)
    ensure_role_definition(arm, scope, MANAGED, "managed", managed)
    arm.register_provider(document(platform))


def ensure_role_definition(arm: ArmModel, scope: str, name: str, role_name: str, actions: Sequence[str]) -> str:
    """Create a custom role, or set its actions; return the id of its definition."""
    identifier = f"{scope}/providers/Microsoft.Authorization/roleDefinitions/{name}"
    now = rfc3339(arm.clock.now())
    properties = {
        "roleName": role_name,
        "type": "CustomRole",
        "description": "",
        "assignableScopes": [scope],
        "permissions": [Role(role_name, "", tuple(actions)).permission()],
    }
    found = arm.load(identifier)
    if found is None or found["properties"] | properties != found["properties"]:
        arm.documents.put(
            {
                "id": identifier,
                "name": name,
                "type": "Microsoft.Authorization/roleDefinitions",
                "properties": {"createdOn": now, "updatedOn": now} | properties,
            }
        )
    return identifier
