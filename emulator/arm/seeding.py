"""What is there before anybody calls, who could make nothing without it: a group and the first roles."""

from uuid import NAMESPACE_URL, uuid5

from emulator.arm.access.roles import ROLES
from emulator.arm.models import ArmModel
from emulator.core.clock import rfc3339


def ensure_group(arm: ArmModel, subscription_id: str, name: str, location: str) -> str:
    """Make a resource group; return its id."""
    found = arm.groups.find(subscription_id, name)
    if found is None:
        found, _ = arm.groups.put(subscription_id, name, {"location": location})
    return str(found["id"])


def ensure_role(arm: ArmModel, scope: str, principal_id: str, role: str) -> str:
    """Assign a built-in role (its guid, see `access/roles.py`); in effect at once. Return the assignment's id."""
    if role not in ROLES:
        raise ValueError(f"{role} is no built-in role")
    name = str(uuid5(NAMESPACE_URL, f"{scope}|{principal_id}|{role}".lower()))
    identifier = f"{scope}/providers/Microsoft.Authorization/roleAssignments/{name}"
    if arm.load(identifier) is None:
        now = rfc3339(arm.clock.now())
        subscription = "/".join(scope.split("/")[:3])
        arm.documents.put(
            {
                "id": identifier,
                "name": name,
                "type": "Microsoft.Authorization/roleAssignments",
                "properties": {
                    "roleDefinitionId": f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}",
                    "principalId": principal_id,
                    "principalType": "ServicePrincipal",
                    "scope": scope or "/",
                    "createdOn": now,
                    "updatedOn": now,
                },
                "effectiveAt": now,
            }
        )
    return identifier
