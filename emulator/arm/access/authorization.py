"""The access decision that Azure makes before each call, from the role and deny assignments in the store."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from emulator.arm.access.exceptions import authorization_failed, denied, linked_authorization_failed
from emulator.arm.access.roles import OWNER, ROLES
from emulator.arm.ids import scopes, subscription_of
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.entra.models import Principal

Json = dict[str, Any]

EVERYONE = "00000000-0000-0000-0000-000000000000"
SYSTEM_NAMESPACE = "Microsoft.RedHatOpenShift"
# The reads that the resource provider may do in every subscription that it serves: whether a group's name is free
# before it creates the group, what the subscription has registered, and its quotas. No public source lists these
# rights, but the resource provider does these reads in production.
SERVED_READS = frozenset(
    {
        "microsoft.resources/subscriptions/resourcegroups/read",
        "microsoft.resources/subscriptions/providers/read",
        "microsoft.features/providers/features/read",
        "microsoft.compute/skus/read",
        "microsoft.compute/locations/usages/read",
        "microsoft.network/locations/usages/read",
    }
)
_ASSIGNMENTS = "/providers/microsoft.authorization/roleassignments/"
_DENIALS = "/providers/microsoft.authorization/denyassignments/"


@lru_cache(maxsize=4096)
def _pattern(wildcard: str) -> re.Pattern[str]:
    return re.compile(re.escape(wildcard).replace(r"\*", ".*"), re.IGNORECASE)


def allows(permission: Json, action: str) -> bool:
    """Tell whether a permission entry allows an action: it matches one of `actions` and none of `notActions`."""
    return any(_pattern(known).fullmatch(action) for known in permission["actions"]) and not any(
        _pattern(known).fullmatch(action) for known in permission["notActions"]
    )


class AuthorizationModel:
    """Decides whether a caller may perform an action on a scope.

    Each decision reads everything from the store: ten short reads, and no cache to keep up to date.
    """

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._first_party = platform.world.first_party_client_id
        self._resources = platform.store.table("arm_resources")
        self._groups = platform.store.table("arm_groups")
        self._providers = platform.store.table("arm_providers")

    def authorize(self, caller: Principal, action: str, scope: str) -> None:
        """Check that the caller may perform an action on a scope.

        Args:
            caller: the principal that makes the call.
            action: such as `Microsoft.Network/virtualNetworks/write`.
            scope: id of a resource, resource group or subscription; "" is the tenant.

        Raises:
            ServiceError: 403 `AuthorizationFailed` or `DenyAssignmentAuthorizationFailed`.
        """
        if not self._granted(caller, action, scope):
            raise authorization_failed(caller, action, scope)
        denial = self._denial(caller, action, scope)
        if denial is not None:
            raise denied(caller, action, scope, denial)

    def authorize_linked(self, caller: Principal, action: str, scope: str, linked: Sequence[tuple[str, str]]) -> None:
        """Check that the caller may join the resources that a write refers to.

        Args:
            caller: the principal that makes the call.
            action: the action of the write, which is already allowed.
            scope: the scope of the write.
            linked: (action, resource id) pairs that the caller needs in addition.

        Raises:
            ServiceError: 403 `LinkedAuthorizationFailed`.
        """
        missing = [pair for pair in linked if not self._granted(caller, *pair)]
        blocked = [
            pair for pair in linked if pair not in missing and self._denial(caller, pair[0], pair[1]) is not None
        ]
        if missing or blocked:
            raise linked_authorization_failed(caller, action, scope, missing, blocked)

    def allowed(self, caller: Principal, action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action on a scope.

        Args:
            caller: the principal that makes the call.
            action: such as `Microsoft.Network/virtualNetworks/write`.
            scope: id of a resource, resource group or subscription; "" is the tenant.
        """
        return self._granted(caller, action, scope) and self._denial(caller, action, scope) is None

    def allowed_below(self, caller: Principal, action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action on the scope or on anything in it.

        This suffices to poll an operation that the caller began there.

        Args:
            caller: the principal that makes the call.
            action: such as `Microsoft.RedHatOpenShift/locations/operationsstatus/read`.
            scope: id of a resource, resource group or subscription; "" is the tenant.
        """
        return self.allowed(caller, action, scope) or any(
            allows(permission, action)
            for key, document in self._resources.scan(f"{scope.lower()}/")
            if _ASSIGNMENTS in key and self._applies(document, caller.object_id)
            for permission in self._role(document["properties"]["roleDefinitionId"])
        )

    def has_any_role(self, caller: Principal, scope: str) -> bool:
        """Tell whether the caller has any role on the scope or on anything in it, and so may see the subscription."""
        return bool(self.permissions(caller, scope)) or any(
            self._applies(document, caller.object_id)
            for key, document in self._resources.scan(f"{scope.lower()}/")
            if _ASSIGNMENTS in key
        )

    def permissions(self, caller: Principal, scope: str) -> list[Json]:
        """Return the permission entries that the caller has on a scope, as the permissions API lists them."""
        found = [
            permission
            for document in self.assignments(scope)
            if self._applies(document, caller.object_id)
            for permission in self._role(document["properties"]["roleDefinitionId"])
        ]
        return found + ([ROLES[OWNER].permission()] if self.owns(caller, scope) else [])

    def assignments(self, scope: str) -> Iterator[Json]:
        """Yield the role assignments on a scope and on the scopes that contain it."""
        for part in scopes(scope):
            for _, document in self._resources.scan(f"{part}{_ASSIGNMENTS}"):
                yield document

    def denials(self, scope: str) -> Iterator[Json]:
        """Yield the deny assignments that apply to a scope."""
        chain = scopes(scope)
        for part in chain:
            for _, document in self._resources.scan(f"{part}{_DENIALS}"):
                if part == chain[-1] or not document["properties"]["doNotApplyToChildScopes"]:
                    yield document

    def role_definition(self, identifier: str) -> Json | None:
        """Return the `properties` of the role with this id (at any scope) or bare name, or None."""
        name = identifier.rsplit("/", 1)[-1].lower()
        role = ROLES.get(name)
        if role is not None:
            return {
                "roleName": role.name,
                "type": "CustomRole" if role.custom else "BuiltInRole",
                "description": role.description,
                "assignableScopes": ["/"],
                "permissions": [role.permission()],
            }
        stored = self._resources.get(identifier.lower())
        return None if stored is None else stored["properties"]

    def owns(self, caller: Principal, scope: str) -> bool:
        """Tell whether the caller is the resource provider, and one of its resources manages the group of the scope."""
        subscription_id, group_name = subscription_of(scope)
        if caller.client_id != self._first_party or not group_name:
            return False
        group = self._groups.get(f"/subscriptions/{subscription_id}/resourcegroups/{group_name}".lower())
        return group is not None and self.may_manage(caller, subscription_id, group.get("managedBy", ""))

    def may_manage(self, caller: Principal, subscription_id: str, managed_by: str) -> bool:
        """Tell whether the caller is the resource provider, and `managedBy` names one of its resources.

        Args:
            caller: the principal that makes the call.
            subscription_id: the subscription of the group, which must have registered the provider.
            managed_by: `managedBy` of the group, a resource id; "" if nothing manages it.
        """
        return (
            caller.client_id == self._first_party
            and f"/providers/{SYSTEM_NAMESPACE.lower()}/" in managed_by.lower()
            and self._serves(subscription_id)
        )

    def _serves(self, subscription_id: str) -> bool:
        provider = self._providers.get(f"{subscription_id}/{SYSTEM_NAMESPACE}".lower())
        return provider is not None and bool(provider["registered"])

    def _granted(self, caller: Principal, action: str, scope: str) -> bool:
        if self.owns(caller, scope):
            return True
        if caller.client_id == self._first_party and action.lower() in SERVED_READS:
            return self._serves(subscription_of(scope)[0])
        return any(allows(permission, action) for permission in self.permissions(caller, scope))

    def _denial(self, caller: Principal, action: str, scope: str) -> Json | None:
        if self.owns(caller, scope):
            return None
        for document in self.denials(scope):
            properties = document["properties"]
            named = {principal["id"].lower() for principal in properties["principals"]}
            excluded = {principal["id"].lower() for principal in properties["excludePrincipals"]}
            if caller.object_id in excluded or not named & {EVERYONE, caller.object_id}:
                continue
            if any(allows(permission, action) for permission in properties["permissions"]):
                return document
        return None

    def _applies(self, assignment: Json, object_id: str) -> bool:
        now = rfc3339(self._clock.now())
        return bool(assignment["properties"]["principalId"].lower() == object_id and assignment["effectiveAt"] <= now)

    def _role(self, identifier: str) -> list[Json]:
        definition = self.role_definition(identifier)
        return [] if definition is None else definition["permissions"]
