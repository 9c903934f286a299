"""The role sets of workload identity: which roles the operators of a minor version of OpenShift need in Azure.

They are documents, not code: operators of this service write one for each minor version that can have clusters with
workload identity. A wrong entry, written in another way, is not offered.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from shared.arm.errors import NAMESPACE, invalid_parameter, raise_all, shown
from shared.arm.resource_id import is_uuid
from shared.clusters.catalogue_changes import find, other_names, sent_and_kept, unknown_members
from shared.documents import RoleSetDocument

TYPE = f"{NAMESPACE}/PlatformWorkloadIdentityRoleSet"
ROLES = "platformWorkloadIdentityRoles"
MEMBERS = ("openShiftVersion", ROLES)
# The members of a reply that a request may repeat, and that it does not change.
_READ_ONLY = ("etag", "problems")
# What customers see of a role. The rest is between this service and the cluster, and operators see it.
_SHOWN = ("operatorName", "roleDefinitionName", "roleDefinitionId")
_REQUIRED = (*_SHOWN, "serviceAccounts")
_ROLE_MEMBERS = (*_REQUIRED, "secretLocation")
_SECRET_MEMBERS = ("namespace", "name")
_MAX_ROLES, _MAX_SERVICE_ACCOUNTS = 100, 20
_MINOR = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}")
_OPERATOR = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_ROLE_ID = re.compile(r"/providers/Microsoft\.Authorization/roleDefinitions/([^/]+)", re.IGNORECASE)
_LABEL = r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
_NAME = re.compile(_LABEL)
_ACCOUNT = re.compile(rf"system:serviceaccount:{_LABEL}:{_LABEL}")

_log = logging.getLogger(__name__)
# A member of an entry, and what is wrong with it, as a sentence.
Problem = tuple[str, str]


def offered(documents: Iterable[RoleSetDocument]) -> dict[str, RoleSetDocument]:
    """Return the role sets without problems by minor version, the oldest first."""
    found = {}
    for document in documents:
        if wrong := problems(document):
            _log.warning("A role set is not offered: %s", " ".join(wrong))
        else:
            found[document["openShiftVersion"]] = document
    return {minor: found[minor] for minor in sorted(found, key=order)}


def order(minor: str) -> tuple[tuple[int, ...], str]:
    """Return what sorts minor versions, the oldest first. Anything else comes before all of them."""
    numbers = tuple(map(int, minor.split("."))) if _MINOR.fullmatch(minor) else ()
    return numbers, minor


def to_external(document: RoleSetDocument, resource_id: str, *, for_operators: bool) -> dict[str, Any]:
    """Return a role set as customers see it, or as operators do.

    Args:
        document: a role set without problems.
        resource_id: its id.
        for_operators: whether an operator asks.
    """
    names = _ROLE_MEMBERS if for_operators else _SHOWN
    roles = [{name: role[name] for name in names if name in role} for role in _roles(document)]
    minor = document["openShiftVersion"]
    return {"id": resource_id, "name": minor, "type": TYPE, "properties": {"openShiftVersion": minor, ROLES: roles}}


def to_operators(document: RoleSetDocument) -> dict[str, Any]:
    """Return an entry as operators read it, and may send it back."""
    entry = {name: value for name, value in document.items() if name not in ("id", "ttl") and not name.startswith("_")}
    return {
        "name": document["id"],
        "etag": document["_etag"],
        "properties": entry,
        "problems": problems(document),
    }


def requested_set(documents: Sequence[RoleSetDocument], minor: str, body: Any) -> RoleSetDocument:
    """Return the entry that a PUT asks for. Members that this build does not know stay as they are stored.

    Args:
        documents: every entry.
        minor: the minor version in the path.
        body: the parsed body of the request.

    Raises:
        CloudError: 400 with every problem, each with its target.
    """
    stored: Any = find(documents, minor) or {"id": minor}
    sent, kept = sent_and_kept(body, stored, MEMBERS)
    wanted: Any = kept | {member: value for member, value in sent.items() if member in MEMBERS}
    raise_all(
        chain(
            unknown_members(body, ("name", "properties", *_READ_ONLY), {}, ""),
            unknown_members(sent, MEMBERS, kept, "properties."),
            other_names(body, sent, minor, "openShiftVersion"),
            (invalid_parameter(f"properties.{member}", problem) for member, problem in _findings(wanted)),
        )
    )
    document: RoleSetDocument = wanted
    return document


def problems(document: Mapping[str, Any]) -> list[str]:
    """Return the problems of an entry, one sentence each."""
    found = [problem for _, problem in _findings(document)]
    if document.get("id") not in (None, document.get("openShiftVersion")):
        found.append(f"The entry has the id '{shown(document['id'])}', which must be its 'openShiftVersion'.")
    return found


def _roles(document: Mapping[str, Any]) -> list[Any]:
    roles = document.get(ROLES)
    return roles if isinstance(roles, list) else []


def _findings(document: Mapping[str, Any]) -> Iterator[Problem]:
    minor, roles = document.get("openShiftVersion"), _roles(document)
    if not isinstance(minor, str) or not _MINOR.fullmatch(minor):
        yield _must("openShiftVersion", minor, "a minor version, x.y")
    if not 1 <= len(roles) <= _MAX_ROLES:
        yield ROLES, f"The member '{ROLES}' must be an array of 1 to {_MAX_ROLES} roles."
        return
    seen: set[tuple[str, str]] = set()
    owners: dict[tuple[str, str], str] = {}
    for index, role in enumerate(roles):
        here = f"{ROLES}[{index}]"
        if not isinstance(role, dict):
            yield _must(here, role, "an object")
            continue
        yield from _role_findings(role, here)
        # An operator may need several roles, and each of them once.
        pair = str(role.get("operatorName")), str(role.get("roleDefinitionId")).lower()
        if pair in seen:
            yield here, f"The role '{here}' is there twice: another one has the same operator and role definition."
        seen.add(pair)
        # An operator learns from its Secret which identity is its own.
        secret: Any = role.get("secretLocation")
        if _is_secret(secret):
            place = secret["namespace"], secret["name"]
            if (owner := owners.setdefault(place, pair[0])) != pair[0]:
                yield (
                    f"{here}.secretLocation",
                    f"The Secret '{'/'.join(place)}' of '{here}' belongs to the operator '{shown(owner)}' already.",
                )


def _role_findings(role: Mapping[str, Any], here: str) -> Iterator[Problem]:
    for member in role.keys() - {*_ROLE_MEMBERS}:
        yield f"{here}.{shown(member)}", f"The member is unknown. Known members of a role: {', '.join(_ROLE_MEMBERS)}."
    for member in _REQUIRED:
        if role.get(member) in (None, "", []):
            yield f"{here}.{member}", f"The member '{here}.{member}' is missing or empty."
        elif problem := _wrong(member, role[member]):
            yield _must(f"{here}.{member}", role[member], problem)
    secret = role.get("secretLocation")
    if secret is not None and not _is_secret(secret):
        yield _must(f"{here}.secretLocation", secret, f"an object of {' and '.join(_SECRET_MEMBERS)}")


def _wrong(member: str, value: Any) -> str:
    """Return what a member of a role must be, or "" if it is right."""
    if member == "serviceAccounts":
        is_right = isinstance(value, list) and len(value) <= _MAX_SERVICE_ACCOUNTS
        right = is_right and all(isinstance(each, str) and _ACCOUNT.fullmatch(each) for each in value)
        wanted = f"up to {_MAX_SERVICE_ACCOUNTS} texts 'system:serviceaccount:<namespace>:<name>'"
        return "" if right else wanted
    if not isinstance(value, str):
        return "a text"
    if member == "operatorName" and not _OPERATOR.fullmatch(value):
        return "1 to 63 lower-case letters, digits and inner hyphens"
    found = _ROLE_ID.fullmatch(value)
    if member == "roleDefinitionId" and not (found and is_uuid(found[1])):
        return "the id of a role of the tenant, /providers/Microsoft.Authorization/roleDefinitions/<uuid>"
    return ""


def _is_secret(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {*_SECRET_MEMBERS}
        and all(isinstance(each, str) and _NAME.fullmatch(each) for each in value.values())
    )


def _must(member: str, value: object, wanted: str) -> Problem:
    return member, f"The value '{shown(value)}' of '{member}' is invalid: it must be {wanted}."
