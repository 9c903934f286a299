"""Static rules of workload identity. They look neither at Azure nor at role sets.

Checks are as in `cluster_checks.py`.

Source: ARO-RP `pkg/api/v20250725/openshiftcluster_validatestatic.go`. Unlike there, an identity has to be of the
provider for identities and of the cluster's own subscription, in which the service looks for it, and the cluster
identity is none of an operator's.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from shared.arm import resource_id
from shared.arm.errors import CloudError, invalid_parameter, shown
from shared.arm.names import is_valid_name
from shared.clusters.checks.facts import Facts, refuse

# The type of a resource without an identity. Some clients always send it, such as Terraform's provider azurerm.
NO_IDENTITY = "None"
_IDENTITY = "identity"
_WORKLOADS = "properties.platformWorkloadIdentityProfile"
_ASSIGNED = f"{_IDENTITY}.userAssignedIdentities"
_TYPE, _USER_ASSIGNED = "Microsoft.ManagedIdentity/userAssignedIdentities", "UserAssigned"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}")


def one_credential(value: Any, facts: Facts, target: str) -> Iterator[CloudError]:
    """A cluster has a service principal or the identities of its operators, never both, and one of them.

    This check of the service principal also runs if there is none.
    """
    has_operators = _says_something(facts.get(_WORKLOADS))
    if value is None and not has_operators:
        yield invalid_parameter(
            target,
            f"The member '{target}' is missing. Give it with 'clientId' and 'clientSecret', or give '{_IDENTITY}' and "
            f"'{_WORKLOADS}' for workload identity.",
        )
    elif value is not None and has_operators:
        yield invalid_parameter(
            target,
            f"The cluster has '{target}' and '{_WORKLOADS}': it must have either a service principal or workload "
            "identity. Leave one of them out.",
        )


def cluster_identity(value: Mapping[str, Any] | None, facts: Facts, target: str) -> Iterator[CloudError]:
    """A cluster has one identity of its own, assigned by its user, if its operators have theirs, and only then.

    This check also runs if there is none. An identity of the type `None` is none.
    """
    has_operators, has_identity = _says_something(facts.get(_WORKLOADS)), _asks_for_identity(value)
    if has_operators != has_identity:
        given, missing = (_WORKLOADS, target) if has_operators else (target, _WORKLOADS)
        yield invalid_parameter(
            target,
            f"The cluster has '{given}' and no '{missing}': workload identity needs both. Give both, or leave both "
            "out.",
        )
    if not has_identity or value is None:
        return
    kind = value.get("type")
    if str(kind).lower() != _USER_ASSIGNED.lower():
        yield refuse(f"{target}.type", kind, f"'{_USER_ASSIGNED}', the only type that this service offers")
    if not facts.unknown.touches(_ASSIGNED) and len(assigned := value.get("userAssignedIdentities") or {}) != 1:
        yield invalid_parameter(
            _ASSIGNED, f"There are {len(assigned)} identities in '{_ASSIGNED}': there must be exactly one."
        )


def assigned_identities(value: Mapping[str, Any], facts: Facts, target: str) -> Iterator[CloudError]:
    """A cluster identity is an identity of the cluster's own subscription."""
    for each in value:
        yield from identity(each, facts, f'{target}["{shown(each)}"]')


def operator_identities(value: Mapping[str, Any] | None, facts: Facts, target: str) -> Iterator[CloudError]:
    """Each operator has an identity of its own, which is not the cluster's.

    This check also runs on an empty value. Which operators there have to be depends on the version, see
    `shared/clusters/identities/required_roles.py`.
    """
    if not value:
        if _says_something(facts.get(_WORKLOADS)):
            yield invalid_parameter(
                target, f"The member '{target}' is missing or empty: it must have an identity for each operator."
            )
        return
    if "" in value:
        yield invalid_parameter(f'{target}[""]', f"An operator in '{target}' has no name. Name it, or leave it out.")
    users = {each.lower(): "the cluster" for each in facts.get(_ASSIGNED) or {}}
    for name, entry in value.items():
        each = entry.get("resourceId") or ""
        if user := users.get(each.lower()):
            yield invalid_parameter(
                f'{target}["{shown(name)}"].resourceId',
                f"The identity '{shown(each)}' is that of {user} too. Give each an identity of its own.",
            )
        if each:
            users.setdefault(each.lower(), f"the operator '{shown(name)}'")


def upgradeable_to(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The version of the next upgrade is one, in the form x.y.z."""
    if not _VERSION.fullmatch(value):
        yield refuse(target, value, "a version of OpenShift, x.y.z")


def identity(value: str, facts: Facts, target: str) -> Iterator[CloudError]:
    """The value is the id of an identity in the cluster's own subscription."""
    found, cluster = resource_id.try_parse(value), resource_id.parse(facts.resource_id)
    is_identity = found is not None and found.is_type(_TYPE) and is_valid_name(found.resource_group)
    if found is None or not is_identity or not _NAME.fullmatch(found.name):
        yield refuse(
            target,
            value,
            f"the id of an identity, /subscriptions/<uuid>/resourceGroups/<name>/providers/{_TYPE}/<name>",
        )
    elif found.subscription_id.lower() != cluster.subscription_id.lower():
        yield refuse(target, value, f"in the cluster's subscription '{cluster.subscription_id}'")


def _says_something(profile: Any) -> bool:
    return any((profile or {}).values())


def _asks_for_identity(value: Mapping[str, Any] | None) -> bool:
    given = value or {}
    kind = str(given.get("type") or NO_IDENTITY)
    return bool(given.get("userAssignedIdentities")) or kind.lower() != NO_IDENTITY.lower()
