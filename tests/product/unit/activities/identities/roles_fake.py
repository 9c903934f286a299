"""Azure's role definitions and role assignments at the HTTP level, in memory."""

import re
from typing import Any

from tests.product.unit.azure_fake import FakeAzure, Reply, Request

ACTOR = "ef318e2a-8334-4a05-9e4a-295a196c6a6e"
_NETWORK = "Microsoft.Network"
_JOIN = (
    f"{_NETWORK}/routeTables/join/action",
    f"{_NETWORK}/natGateways/join/action",
    f"{_NETWORK}/networkSecurityGroups/join/action",
)
_VNET, _SUBNETS = f"{_NETWORK}/virtualNetworks", f"{_NETWORK}/virtualNetworks/subnets"
_IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities"
_DISKS = "Microsoft.Compute/diskEncryptionSets/read"
# What the roles of operators have, as far as the checks look; by the name that the role sets give an operator.
OF_OPERATORS = {
    "aro-operator": (f"{_SUBNETS}/read", f"{_SUBNETS}/write", *_JOIN),
    "cloud-controller-manager": (*(f"{_SUBNETS}/{verb}" for verb in ("read", "join/action", "write")), *_JOIN),
    "cloud-network-config": (f"{_VNET}/read", f"{_SUBNETS}/join/action"),
    "disk-csi-driver": (_DISKS, "Microsoft.Compute/disks/write"),
    "file-csi-driver": (
        f"{_VNET}/join/action",
        *(f"{_SUBNETS}/{verb}" for verb in ("read", "join/action", "write")),
        *_JOIN,
    ),
    "image-registry": (f"{_VNET}/join/action", f"{_SUBNETS}/read", f"{_SUBNETS}/join/action"),
    "ingress": (f"{_SUBNETS}/read", f"{_SUBNETS}/join/action"),
    "machine-api": (
        *(f"{_SUBNETS}/read", f"{_SUBNETS}/join/action", f"{_NETWORK}/routeTables/read"),
        *(f"{_NETWORK}/networkSecurityGroups/join/action", _DISKS),
    ),
}
ACTOR_ACTIONS = (
    f"{_IDENTITY}/read",
    *(f"{_IDENTITY}/federatedIdentityCredentials/{verb}" for verb in ("read", "write", "delete")),
)


class FakeRoles:
    """Role definitions by GUID, and assignments as principal, GUID and scope."""

    def __init__(self, azure: FakeAzure, definitions: dict[str, tuple[str, ...]]) -> None:
        """Answer for these definitions.

        Args:
            azure: answers everything else.
            definitions: the actions of each role.
        """
        self.definitions = definitions
        self.assignments: list[tuple[str, str, str]] = []
        self.away = False
        azure.on("GET", "/Microsoft.Authorization/roleAssignments$", self._assignments)
        azure.on("GET", "/Microsoft.Authorization/denyAssignments$", lambda _request: (200, {"value": []}, {}))
        azure.on("GET", "/Microsoft.Authorization/roleDefinitions/[^/]+$", self._definition)

    def assign(self, principal: str, role: str, scope: str) -> None:
        """Assign a role."""
        self.assignments.append((principal, role, scope))

    def _assignments(self, request: Request) -> Reply:
        if self.away:
            return 503, {}, {}
        whose = re.search(r"assignedTo\('([^']+)'\)", request.query["$filter"][0])
        assert whose is not None
        at = request.path.rpartition("/providers/Microsoft.Authorization")[0].lower()
        found = [
            {"properties": {"roleDefinitionId": _id(role), "scope": scope, "principalId": principal}}
            for principal, role, scope in self.assignments
            if principal == whose[1] and at.startswith(scope.lower())
        ]
        return 200, {"value": found}, {}

    def _definition(self, request: Request) -> Reply:
        actions: Any = self.definitions.get(request.path.rpartition("/")[2])
        if actions is None:
            return 404, {"error": {"code": "RoleDefinitionDoesNotExist", "message": "It does not exist."}}, {}
        return 200, {"properties": {"permissions": [{"actions": list(actions), "notActions": []}]}}, {}


def _id(role: str) -> str:
    return f"/providers/Microsoft.Authorization/roleDefinitions/{role}"
