"""What the service's identity needs in one's own subscription: the actions of the roles that `infra/` assigns there.

The template is part of the package, so a package and the roles that it needs cannot differ.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).resolve().parents[2] / "infra" / "subscription.json"
# The roles that the template assigns on the subscription itself. Customers assign the one for networks.
_ON_SUBSCRIPTION = ("OpenShift provider: subscription", "OpenShift provider: cluster")
# A condition limits these to one role, and it can be evaluated only with a request.
_CONDITIONAL = "Microsoft.Authorization/roleAssignments/"


@cache
def operator_roles() -> frozenset[str]:
    """Return the roles, by the UUIDs of their definitions, that the service may give to operators' identities.

    A condition on its own role has them, so Azure refuses every other one, too.
    """
    return frozenset(_template()["variables"]["operators"].values())


@cache
def own_subscription_actions() -> tuple[str, ...]:
    """Return the actions, sorted, without those that a condition limits."""
    roles: list[dict[str, Any]] = _template()["variables"]["roles"]
    actions = {
        action
        for role in roles
        if role["name"] in _ON_SUBSCRIPTION
        for action in (*role["actions"], *role.get("entra", ()))
    }
    return tuple(sorted(action for action in actions if not _is_conditional(action)))


@cache
def _template() -> dict[str, Any]:
    template: dict[str, Any] = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    return template


def _is_conditional(action: str) -> bool:
    return action.startswith(_CONDITIONAL) and not action.endswith("/read")
