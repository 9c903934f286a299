"""The shape of a built-in role."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Role:
    """A role definition."""

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
