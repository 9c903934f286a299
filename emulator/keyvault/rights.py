"""Who may do an operation: by access policy or, in vaults that go by roles, by a data action of a role in ARM.

Source: https://learn.microsoft.com/azure/role-based-access-control/permissions/security for the data actions.
"""

from collections.abc import Callable
from dataclasses import dataclass

from emulator.core.store import Document
from emulator.entra.models import Principal
from emulator.keyvault.exceptions import FORBIDDEN_BY_RBAC
from emulator.keyvault.vaults import Vaults

# Tells whether a role allows a caller a data action at a scope.
DataAllowed = Callable[[Principal, str, str], bool]

PREFIX = "Microsoft.KeyVault/vaults/"


def nobody(_caller: Principal, _data_action: str, _scope: str) -> bool:
    """Allow nothing: for platforms without ARM, whose vaults go by access policies."""
    return False


@dataclass(frozen=True)
class Right:
    """What an operation requires.

    Args:
        permission: the permission in an access policy, such as `secrets get`.
        data_action: the data action of a role, below `PREFIX`, such as `secrets/getSecret/action`.
    """

    permission: str
    data_action: str

    def check(self, vault: Document, caller: Principal, name: str, data_allowed: DataAllowed) -> None:
        """Check that a caller has it.

        Raises:
            ServiceError: 403 `Forbidden`, inner `AccessDenied` or `ForbiddenByRbac`.
        """
        if not vault.get("rbac"):
            Vaults.authorize(vault, caller, self.permission)
        else:
            kind = self.data_action.partition("/")[0]
            # Roles can be assigned on a single secret or certificate; issuers are parts of the vault.
            inside = f"/{kind}/{name}" if name and kind in {"secrets", "certificates"} else ""
            action, scope = PREFIX + self.data_action, f"{vault['resourceId']}{inside}"
            if not data_allowed(caller, action, scope):
                raise FORBIDDEN_BY_RBAC(caller=caller, action=action, scope=scope.lower(), vault=vault)
