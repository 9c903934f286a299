"""The access decision that Azure makes before each call, from the role and deny assignments in the store."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from emulator.arm.access import conditions
from emulator.arm.access.conditions import Facts
from emulator.arm.access.exceptions import DENIED, authorization_failed, linked_authorization_failed
from emulator.arm.access.roles import ROLES
from emulator.arm.ids import scopes, subscription_of
from emulator.arm.provider.registration import SYSTEM_NAMESPACE, ProviderRegistration
from emulator.core.clock import rfc3339
from emulator.core.journal import note_action
from emulator.core.platform import Platform
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json

EVERYONE = "00000000-0000-0000-0000-000000000000"
_ASSIGNMENTS = "/providers/microsoft.authorization/roleassignments/"
_DENIALS = "/providers/microsoft.authorization/denyassignments/"
_DEFINITIONS = "microsoft.authorization/roledefinitions|"
_WRITE_DENIALS = "Microsoft.Authorization/denyAssignments/write"


@lru_cache(maxsize=4096)
def _pattern(wildcard: str) -> re.Pattern[str]:
    # Managed Identity Operator has `userAssignedIdentities/*/assign/action`, and may do `userAssignedIdentities/assign/action`.
    return re.compile(re.escape(wildcard).replace(r"/\*/", "/(.*/)?").replace(r"\*", ".*"), re.IGNORECASE)


def allows(permission: Json, action: str) -> bool:
    """Tell whether a permission entry allows an action: it matches one of `actions` and none of `notActions`."""
    return matches(permission["actions"], action) and not matches(permission["notActions"], action)


def allows_data(permission: Json, action: str) -> bool:
    """Tell whether a permission entry allows a data action: one of `dataActions` and none of `notDataActions`."""
    return matches(permission.get("dataActions", ()), action) and not matches(
        permission.get("notDataActions", ()), action
    )


def matches(wildcards: Iterable[str], action: str) -> bool:
    """Tell whether one of these actions, with `*` for any text, matches an action."""
    return any(_pattern(known).fullmatch(action) for known in wildcards)


class AuthorizationModel:
    """Decides whether a caller may perform an action on a scope.

    Each decision reads everything from the store: ten short reads, and no cache to keep up to date.
    """

    def __init__(self, platform: Platform, registration: ProviderRegistration) -> None:
        self._clock = platform.clock
        self._platform = platform
        self._registration = registration
        self._types = platform.store.table("arm_types")
        self._resources = platform.store.table("arm_resources")
        self._groups = platform.store.table("arm_groups")
        self._providers = platform.store.table("arm_providers")

    def authorize(self, caller: Principal, action: str, scope: str, facts: Facts | None = None) -> None:
        """Check that the caller may perform an action on a scope.

        Args:
            caller: the principal that makes the call.
            action: such as `Microsoft.Network/virtualNetworks/write`.
            scope: id of a resource, resource group or subscription; "" is the tenant.
            facts: what conditions of role assignments may ask; None before it is known, as in the preflight of a
                deployment: such conditions then count as met, and the write itself decides.

        Raises:
            ServiceError: 403 `AuthorizationFailed` or `DenyAssignmentAuthorizationFailed`.
        """
        note_action(action)
        permissions = self.permissions(caller, scope)
        if not any(_grants(permission, action, facts) for permission in permissions):
            limited = any(allows(permission, action) for permission in permissions)
            raise authorization_failed(caller, action, scope, limited=limited)
        denial = self._denial(caller, action, scope)
        if denial is not None:
            raise DENIED(
                caller=caller,
                action=action,
                scope=scope,
                denial=denial["properties"],
                denial_id=denial["name"].replace("-", ""),
            )

    def authorize_linked(self, caller: Principal, action: str, scope: str, linked: Sequence[tuple[str, str]]) -> None:
        """Check that the caller may join the resources that a write refers to.

        Raises:
            ServiceError: 403 `LinkedAuthorizationFailed`.
        """
        for linked_action, _ in linked:
            note_action(linked_action)
        missing = [pair for pair in linked if not self._granted(caller, *pair)]
        blocked = [
            pair for pair in linked if pair not in missing and self._denial(caller, pair[0], pair[1]) is not None
        ]
        if missing or blocked:
            raise linked_authorization_failed(caller, action, scope, missing, blocked)

    def allowed(self, caller: Principal, action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action on a scope."""
        return self._granted(caller, action, scope) and self._denial(caller, action, scope) is None

    def allowed_below(self, caller: Principal, action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action on the scope or on anything in it.

        This suffices to poll an operation that the caller began there.
        """
        note_action(action)
        holders = self._holders(caller)
        return self.allowed(caller, action, scope) or any(
            allows(permission, action)
            for key, document in self._resources.scan(f"{scope.lower()}/")
            if _ASSIGNMENTS in key and self._applies(document, holders)
            for permission in self._role(document["properties"]["roleDefinitionId"])
        )

    def has_any_role(self, caller: Principal, scope: str) -> bool:
        """Tell whether the caller has any role on the scope or on anything in it, and so may see the subscription."""
        holders = self._holders(caller)
        return bool(self.permissions(caller, scope)) or any(
            self._applies(document, holders)
            for key, document in self._resources.scan(f"{scope.lower()}/")
            if _ASSIGNMENTS in key
        )

    def permissions(self, caller: Principal, scope: str) -> list[Json]:
        """Return the permission entries that the caller has on a scope, as the permissions API lists them."""
        found = []
        holders = self._holders(caller)
        for document in self.assignments(scope):
            if self._applies(document, holders):
                properties = document["properties"]
                limits = {name: properties[name] for name in ("condition", "conditionVersion") if name in properties}
                found += [entry | limits for entry in self._role(properties["roleDefinitionId"])]
        return found + self._of_provider(caller, scope)

    def data_allowed(self, caller: Principal, data_action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action on the data of a resource."""
        return any(
            allows_data(permission, data_action) and _is_met(permission, data_action, Facts())
            for permission in self.permissions(caller, scope)
        ) and not any(
            allows_data(permission, data_action)
            for denial in self._denials_for(caller, scope)
            for permission in denial["properties"]["permissions"]
        )

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
                "type": "BuiltInRole",
                "description": role.description,
                "assignableScopes": ["/"],
                "permissions": [role.permission()],
            }
        stored = self._resources.get(identifier.lower()) or self._custom_role(name)
        return None if stored is None else stored["properties"]

    def _custom_role(self, name: str) -> Json | None:
        """Return the custom role with this GUID, at whichever scope it is stored: GUIDs are unique."""
        for known, _ in self._types.scan(_DEFINITIONS):
            if known.endswith(f"/{name}"):
                return self._resources.get(known.partition("|")[2])
        return None

    def manages(self, caller: Principal, scope: str) -> bool:
        """Tell whether the caller is the resource provider, and one of its resources manages the group of the scope."""
        return self._registration.is_authorized(caller.client_id) and self._is_managed(scope)

    def may_manage(self, caller: Principal, action: str, subscription_id: str, managed_by: str) -> bool:
        """Tell whether the caller may perform an action on a group because a resource of its namespace manages it.

        Args:
            caller: the principal that makes the call.
            action: such as `Microsoft.Resources/subscriptions/resourceGroups/write`.
            subscription_id: the subscription of the group, which must have registered the provider.
            managed_by: `managedBy` of the group, a resource id; "" if nothing manages it.
        """
        if not (self._registration.serves_id(managed_by) and self._serves(subscription_id)):
            return False
        note_action(action)
        return any(allows(permission, action) for permission in self._as_manager(caller))

    def may_write_denials(self, caller: Principal, scope: str) -> bool:
        """Tell whether the caller may write deny assignments: only a provider may, on groups that it manages."""
        return self.manages(caller, scope) and any(
            allows(permission, _WRITE_DENIALS) for permission in self._as_manager(caller)
        )

    def _of_provider(self, caller: Principal, scope: str) -> list[Json]:
        """Return the permissions that the resource provider's manifest gives the caller on a scope."""
        entries = self._registration.authorizations(caller.client_id)
        if not entries or not self._serves(subscription_of(scope)[0]):
            return []
        found = [each for entry in entries for each in self._role(entry.get("roleDefinitionId", ""))]
        return found + (self._as_manager(caller) if self._is_managed(scope) else [])

    def _as_manager(self, caller: Principal) -> list[Json]:
        """Return the permissions that the manifest gives the caller on groups that its resources manage."""
        entries = self._registration.authorizations(caller.client_id)
        return [each for entry in entries for each in self._role(entry.get("managedByRoleDefinitionId", ""))]

    def _is_managed(self, scope: str) -> bool:
        """Tell whether a resource of the resource provider manages the group of a scope."""
        subscription_id, group_name = subscription_of(scope)
        if not group_name or not self._serves(subscription_id):
            return False
        group = self._groups.get(f"/subscriptions/{subscription_id}/resourcegroups/{group_name}".lower())
        return group is not None and self._registration.serves_id(group.get("managedBy", ""))

    def _serves(self, subscription_id: str) -> bool:
        provider = self._providers.get(f"{subscription_id}/{SYSTEM_NAMESPACE}".lower())
        return provider is not None and bool(provider["registered"])

    def _granted(self, caller: Principal, action: str, scope: str) -> bool:
        return any(_grants(permission, action, Facts()) for permission in self.permissions(caller, scope))

    def _denial(self, caller: Principal, action: str, scope: str) -> Json | None:
        """Return a deny assignment that forbids an action, or None. None binds the provider in its managed groups."""
        for document in self._denials_for(caller, scope):
            if any(allows(permission, action) for permission in document["properties"]["permissions"]):
                return document if not self.manages(caller, scope) else None
        return None

    def _denials_for(self, caller: Principal, scope: str) -> Iterator[Json]:
        """Yield the deny assignments on a scope that name the caller, a group of its or everyone, and leave none out."""
        holders = self._holders(caller)
        for document in self.denials(scope):
            properties = document["properties"]
            named = {principal["id"].lower() for principal in properties["principals"]}
            excluded = {principal["id"].lower() for principal in properties["excludePrincipals"]}
            if not excluded & holders and named & {EVERYONE, *holders}:
                yield document

    def _holders(self, caller: Principal) -> set[str]:
        """Return the object ids whose assignments apply to the caller: its own, and those of its groups at any depth."""
        return {caller.object_id, *self._platform.model(EntraModel).people.all_groups_of(caller.object_id)}

    def _applies(self, assignment: Json, holders: Collection[str]) -> bool:
        now = rfc3339(self._clock.now())
        return assignment["properties"]["principalId"].lower() in holders and assignment["effectiveAt"] <= now

    def _role(self, identifier: str) -> list[Json]:
        definition = self.role_definition(identifier)
        return [] if definition is None else definition["permissions"]


def _grants(permission: Json, action: str, facts: Facts | None) -> bool:
    return allows(permission, action) and _is_met(permission, action, facts)


def _is_met(permission: Json, action: str, facts: Facts | None) -> bool:
    """Tell whether the condition of a permission entry, if it has one, allows an action or may still do so."""
    condition = permission.get("condition")
    return not condition or conditions.holds(condition, action, facts) is not False
