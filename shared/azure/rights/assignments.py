"""What ARM lists, decoded: role definitions, role assignments and deny assignments.

ARM's answers are not trusted to have their documented form. What is not understood never grants, and always denies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shared.azure import scopes
from shared.azure.rights import action_patterns, conditions

# All users, service principals and groups of the tenant, in a deny assignment.
_EVERYONE = "00000000-0000-0000-0000-000000000000"
# The types of principals that are one principal each. Others, such as a group, may have the caller as a member.
_SINGLE = frozenset({"user", "serviceprincipal"})


@dataclass(frozen=True)
class Permission:
    """One entry of a role or of a deny assignment: some actions without some others, perhaps with a condition."""

    actions: tuple[str, ...]
    not_actions: tuple[str, ...]
    condition: Any = None
    condition_version: Any = None

    def covers(self, action: str) -> bool:
        """Tell whether the action is one of the entry's, whatever its condition says."""
        return any(action_patterns.matches(pattern, action) for pattern in self.actions) and not any(
            action_patterns.matches(pattern, action) for pattern in self.not_actions
        )

    def grants(self, action: str) -> bool:
        """Tell whether a role with this entry certainly grants the action."""
        return self.covers(action) and conditions.allow(self.condition, self.condition_version, action)


@dataclass(frozen=True)
class RoleAssignment:
    """A role at a scope. `role_id` is the id of its definition."""

    role_id: str
    scope: str
    condition: Any
    condition_version: Any

    def gives(self, action: str, scope: str) -> bool:
        """Tell whether it certainly gives its role for an action at a scope."""
        return scopes.holds_at(self.scope, scope) and conditions.allow(self.condition, self.condition_version, action)


@dataclass(frozen=True)
class DenyAssignment:
    """What is denied, where, and to whom.

    `principals` and `excluded` are object ids. `groups` says whether some of the principals may have members.
    """

    id: str
    scope: str
    reaches_children: bool
    permissions: tuple[Permission, ...]
    everyone: bool
    principals: frozenset[str]
    groups: bool
    excluded: frozenset[str]

    def denies(self, action: str, scope: str) -> bool:
        """Tell whether it might deny an action at a scope; any condition of it is taken as true."""
        return (
            any(permission.covers(action) for permission in self.permissions)
            and scopes.may_hold(self.scope, scope)
            and (self.reaches_children or scopes.may_hold(scope, self.scope))
        )

    def concerns(self, principal_id: str) -> bool | None:
        """Tell whether it denies a principal, or None if that depends on the principal's groups.

        Groups among the excluded principals are ignored: nobody here can tell who is a member of them.
        """
        if principal_id in self.excluded:
            return False
        if self.everyone or principal_id in self.principals:
            return True
        return None if self.groups else False


def permissions_of(definition: dict[str, Any]) -> tuple[Permission, ...]:
    """Return the entries of a role definition that are understood; the others grant nothing."""
    return tuple(_grants(_properties(definition).get("permissions")))


def _grants(entries: Any) -> Iterator[Permission]:
    for entry in entries if isinstance(entries, list) else []:
        match entry:
            case {"actions": list(actions), "notActions": list(not_actions), **more} if _texts(actions, not_actions):
                yield Permission(
                    tuple(actions), tuple(not_actions), more.get("condition"), more.get("conditionVersion")
                )


def role_assignments(documents: list[dict[str, Any]]) -> tuple[RoleAssignment, ...]:
    """Return the role assignments that are understood; the others grant nothing."""
    return tuple(_role_assignments(documents))


def _role_assignments(documents: list[dict[str, Any]]) -> Iterator[RoleAssignment]:
    for document in documents:
        match document:
            case {"properties": {"roleDefinitionId": str(role_id), "scope": str(scope), **more}}:
                yield RoleAssignment(role_id, scope, more.get("condition"), more.get("conditionVersion"))


def deny_assignment(document: dict[str, Any]) -> DenyAssignment:
    """Return a deny assignment. Whatever of it is not understood denies everything, everywhere, to everyone."""
    properties = _properties(document)
    scope, principals = properties.get("scope"), properties.get("principals")
    principals = principals if isinstance(principals, list) and principals else [{"id": _EVERYONE}]
    return DenyAssignment(
        id=id_of(document),
        scope=scope if isinstance(scope, str) else "/",
        reaches_children=not isinstance(scope, str) or properties.get("doNotApplyToChildScopes") is not True,
        permissions=tuple(_denials(properties.get("permissions"))),
        # Without an id it could not be found among those of the principal's groups.
        everyone="id" not in document
        or not all(_is_known(principal) and principal["id"] != _EVERYONE for principal in principals),
        principals=_ids(principals),
        groups=not all(_is_single(principal) for principal in principals),
        excluded=_ids(properties.get("excludePrincipals")),
    )


def id_of(document: dict[str, Any]) -> str:
    """Return the id of a document, in lower case."""
    return str(document.get("id")).lower()


def _denials(entries: Any) -> Iterator[Permission]:
    for entry in entries if isinstance(entries, list) else [None]:
        match entry:
            case {"actions": list(actions), "notActions": list(not_actions)} if _texts(actions, not_actions):
                yield Permission(tuple(actions), tuple(not_actions))
            case {"actions": list(actions)} if _texts(actions):
                yield Permission(tuple(actions), ())
            case _:
                yield Permission(("*",), ())


def _ids(principals: Any) -> frozenset[str]:
    entries = principals if isinstance(principals, list) else []
    return frozenset(principal["id"].lower() for principal in entries if _is_known(principal))


def _is_known(principal: Any) -> bool:
    return isinstance(principal, dict) and isinstance(principal.get("id"), str)


def _is_single(principal: Any) -> bool:
    return _is_known(principal) and str(principal.get("type")).lower() in _SINGLE


def _properties(document: dict[str, Any]) -> dict[str, Any]:
    properties = document.get("properties")
    return properties if isinstance(properties, dict) else {}


def _texts(*lists: list[Any]) -> bool:
    return all(isinstance(text, str) for texts in lists for text in texts)
