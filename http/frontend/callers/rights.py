"""What a verb requires of a caller with a token, as data for the table of routes."""

from dataclasses import dataclass
from enum import Enum, StrEnum

from shared.arm.errors import NAMESPACE, RESOURCE_TYPE


class Scope(Enum):
    """Where Azure RBAC is asked for an action."""

    GROUP = "the resource group in the path"
    SUBSCRIPTION = "the subscription in the path"
    EACH_GROUP = "the resource group of each cluster of a list, which shows only those that the caller may see"
    OPERATION = "the resource group of the operation's cluster; the subscription if there is no such operation"


@dataclass(frozen=True)
class Right:
    """An action of Azure RBAC.

    Args:
        action: the action, such as `Microsoft.RedHatOpenShift/openShiftClusters/read`.
        at: where it is asked.
        fresh: whether Azure is asked each time; otherwise an answer counts for a minute. That somebody has no role at
            all counts for a minute everywhere.
        also: another right that the caller has to have, too. Azure Resource Manager asks for one action alone, so in
            front of a hosted service it asks for the first.
    """

    action: str
    at: Scope = Scope.GROUP
    fresh: bool = False
    also: "Right | None" = None


class Role(StrEnum):
    """An app role of the service's registration."""

    OPERATOR = "Operator"
    OPERATOR_ADMIN = "OperatorAdmin"


# Role: the roles that include it.
INCLUDED_IN: dict[Role, frozenset[Role]] = {
    Role.OPERATOR: frozenset({Role.OPERATOR, Role.OPERATOR_ADMIN}),
    Role.OPERATOR_ADMIN: frozenset({Role.OPERATOR_ADMIN}),
}


class Open(Enum):
    """What is for everyone."""

    ANYBODY = "also those without a token"
    SIGNED_IN = "everyone with a token"


Need = Right | Role | Open

_CLUSTERS = f"{NAMESPACE}/{RESOURCE_TYPE}"
READ = Right(f"{_CLUSTERS}/read")
WRITE = Right(f"{_CLUSTERS}/write")
DELETE = Right(f"{_CLUSTERS}/delete", fresh=True)
LIST_CREDENTIALS = Right(f"{_CLUSTERS}/listCredentials/action", fresh=True)
LIST_ADMIN_CREDENTIALS = Right(f"{_CLUSTERS}/listAdminCredentials/action", fresh=True)
REVOKE_CREDENTIALS = Right(WRITE.action, fresh=True, also=LIST_ADMIN_CREDENTIALS)
READ_EACH = Right(READ.action, Scope.EACH_GROUP)
READ_OPERATION = Right(READ.action, Scope.OPERATION)
READ_ROLE_SETS = Right(f"{NAMESPACE}/locations/listPlatformWorkloadIdentityRoleSets/read", Scope.SUBSCRIPTION)
READ_VERSIONS = Right(f"{NAMESPACE}/locations/openshiftVersions/read", Scope.SUBSCRIPTION)
