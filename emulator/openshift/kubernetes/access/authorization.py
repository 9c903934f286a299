"""Authorization: RBAC over the stored roles and bindings."""

from collections.abc import Iterator
from dataclasses import dataclass

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.access.authentication import MASTERS, User
from emulator.openshift.kubernetes.kinds import RBAC
from emulator.openshift.kubernetes.objects.objects import Objects

ROLE_KINDS = frozenset({f"ClusterRole.{RBAC}", f"Role.{RBAC}"})
RESOURCES = tuple(f"{plural}.{RBAC}" for plural in ("clusterroles", "clusterrolebindings", "roles", "rolebindings"))


@dataclass(frozen=True)
class Attributes:
    """An action that a user wants to do.

    Args:
        verb: `get`, `create` ...
        group: API group.
        resource: `pods`, `nodes/status`, "" for a path.
        namespace: "" for the whole cluster.
        name: "" for all.
        path: a path that is not a resource, otherwise "".
    """

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


@dataclass(frozen=True)
class Grant:
    """Rules that a binding gives to a user."""

    namespace: str
    rules: list[Json]
    reason: str


class Authorizer:
    """Decides what users may do, and caches their grants until a role or binding changes."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._grants: dict[User, list[Grant]] = {}
        self._writes = -1

    def why(self, user: User, wanted: Attributes) -> str | None:
        """Return why a user may do an action, "" for `system:masters`, or None if the user may not."""
        if MASTERS in user.groups:
            return ""
        for grant in self.grants(user):
            if grant.namespace in ("", wanted.namespace) and any(_allows(rule, wanted) for rule in grant.rules):
                # Rules for paths have no effect in a namespace.
                if wanted.path and grant.namespace:
                    continue
                return grant.reason
        return None

    def check(self, user: User, wanted: Attributes) -> None:
        """Check that a user may do an action.

        Raises:
            ServiceError: 403 if the user may not.
        """
        if self.why(user, wanted) is None:
            raise _refusal(user, wanted)

    def grants(self, user: User) -> list[Grant]:
        """Return all grants of a user."""
        writes = self._objects.storage.writes(RESOURCES)
        if writes != self._writes:
            self._grants, self._writes = {}, writes
        if user not in self._grants:
            self._grants[user] = list(self._find(user))
        return self._grants[user]

    def _find(self, user: User) -> Iterator[Grant]:
        for binding in self._objects.list(f"ClusterRoleBinding.{RBAC}"):
            yield from self._granted(user, binding, "ClusterRoleBinding")
        for binding in self._objects.list(f"RoleBinding.{RBAC}"):
            yield from self._granted(user, binding, "RoleBinding")

    def _granted(self, user: User, binding: Json, kind: str) -> Iterator[Grant]:
        namespace = binding["metadata"].get("namespace", "")
        subject = next((one for one in _each(binding.get("subjects")) if _is_meant(user, one, namespace)), None)
        if subject is None:
            return
        role_kind, role_name = binding["roleRef"].get("kind"), binding["roleRef"].get("name", "")
        if f"{role_kind}.{RBAC}" not in ROLE_KINDS:
            return
        role = self._objects.get(f"{role_kind}.{RBAC}", role_name, namespace if role_kind == "Role" else "")
        if role is None:
            return
        name, whom = binding["metadata"]["name"], subject["name"]
        if namespace:
            name = f"{name}/{namespace}"
        if subject["kind"] == "ServiceAccount":
            whom = f"{whom}/{subject.get('namespace') or namespace}"
        reason = f'RBAC: allowed by {kind} "{name}" of {role_kind} "{role_name}" to {subject["kind"]} "{whom}"'
        yield Grant(namespace, _each(role.get("rules")), reason)


def _each(items: list[Json] | None) -> list[Json]:
    """Return the items of a list that may be null or hold nulls."""
    return [item for item in items or [] if item]


def _is_meant(user: User, subject: Json, namespace: str) -> bool:
    match subject.get("kind"):
        case "User":
            return bool(subject.get("name") == user.name)
        case "Group":
            return subject.get("name") in user.groups
        case "ServiceAccount":
            return user.name == f"system:serviceaccount:{subject.get('namespace') or namespace}:{subject.get('name')}"
        case _:
            return False


def _allows(rule: Json, wanted: Attributes) -> bool:
    if not _has(rule, "verbs", wanted.verb):
        return False
    if wanted.path:
        return any(_path_fits(pattern, wanted.path) for pattern in rule.get("nonResourceURLs") or [])
    names = rule.get("resourceNames") or []
    return (
        _has(rule, "apiGroups", wanted.group)
        and any(_resource_fits(pattern, wanted.resource) for pattern in rule.get("resources") or [])
        and (not names or wanted.name in names)
    )


def _has(rule: Json, member: str, value: str) -> bool:
    allowed = rule.get(member) or []
    return "*" in allowed or value in allowed


def _path_fits(pattern: str, path: str) -> bool:
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else pattern == path


def _resource_fits(pattern: str, resource: str) -> bool:
    if pattern in ("*", resource):
        return True
    _, slash, subresource = resource.partition("/")
    return bool(slash) and pattern == f"*/{subresource}"


def _refusal(user: User, wanted: Attributes) -> ServiceError:
    if wanted.path:
        return api_errors.FORBIDDEN(
            message=f'forbidden: User "{user.name}" cannot {wanted.verb} path "{wanted.path}"', details={}
        )
    plural = wanted.resource.partition("/")[0]
    full = f"{plural}.{wanted.group}" if wanted.group else plural
    subject = f'{full} "{wanted.name}"' if wanted.name else full
    where = f'in the namespace "{wanted.namespace}"' if wanted.namespace else "at the cluster scope"
    details: Json = {"name": wanted.name} if wanted.name else {}
    if wanted.group:
        details["group"] = wanted.group
    return api_errors.FORBIDDEN(
        message=f'{subject} is forbidden: User "{user.name}" cannot {wanted.verb} resource "{wanted.resource}" in API group '
        f'"{wanted.group}" {where}',
        details=details | {"kind": plural},
    )
