"""The shape of a built-in role."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Role:
    """A role definition.

    Args:
        name: `roleName`.
        description: what the role is for.
        actions: the actions that it allows, with wildcards.
        not_actions: exceptions from `actions`.
        data_actions: like `actions`, for the data plane.
    """

    name: str
    description: str
    actions: tuple[str, ...]
    not_actions: tuple[str, ...] = ()
    data_actions: tuple[str, ...] = ()

    def permission(self) -> dict[str, Any]:
        """Return the entry for the role's `permissions`."""
        return {
            "actions": list(self.actions),
            "notActions": list(self.not_actions),
            "dataActions": list(self.data_actions),
            "notDataActions": [],
        }
