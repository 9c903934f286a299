"""What must exist before the first call, because no caller could create it: the first assignments of roles."""

from uuid import NAMESPACE_URL, uuid5

from emulator.arm.access.roles import ROLES
from emulator.arm.models import ArmModel
from emulator.core.clock import rfc3339
from emulator.entra.models import EntraModel


def ensure_role(arm: ArmModel, scope: str, principal_id: str, role: str) -> str:
    """Assign a role with immediate effect if the assignment is missing; return the assignment's id.

    Args:
        arm: the model.
        scope: scope of the assignment.
        principal_id: object id of the principal.
        role: GUID of one of the `ROLES` in `access/roles.py`, or of a custom role of the subscription.

    Raises:
        ValueError: there is no such role.
    """
    subscription = "/".join(scope.split("/")[:3])
    definition = f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}"
    if role not in ROLES and arm.load(definition) is None:
        raise ValueError(f"there is no role {role}")
    name = str(uuid5(NAMESPACE_URL, f"{scope}|{principal_id}|{role}".lower()))
    identifier = f"{scope}/providers/Microsoft.Authorization/roleAssignments/{name}"
    if arm.load(identifier) is None:
        now = rfc3339(arm.clock.now())
        arm.documents.put(
            {
                "id": identifier,
                "name": name,
                "type": "Microsoft.Authorization/roleAssignments",
                "properties": {
                    "roleDefinitionId": definition,
                    "principalId": principal_id,
                    "principalType": arm.platform.model(EntraModel).kind_of(principal_id) or "ServicePrincipal",
                    "scope": scope or "/",
                    "createdOn": now,
                    "updatedOn": now,
                },
                "effectiveAt": now,
            }
        )
    return identifier
