"""Static rules of workload identity. They look neither at Azure nor at role sets.

Checks are as in `cluster_checks.py`. The decoder does not look into maps of identities, so these rules do.

Source: ARO-RP `pkg/api/v20250725/openshiftcluster_validatestatic.go`. Unlike there, an identity has to be of the
provider for identities and of the cluster's own subscription, in which the service looks for it, and the cluster
identity is none of an operator's.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from shared.arm import resource_id
from shared.arm.errors import CloudError, invalid_parameter, shown
from shared.clusters.checks.cluster_checks import NO_IDENTITY
from shared.clusters.checks.facts import Facts, refuse

_IDENTITY = "identity"
_WORKLOADS = "properties.platformWorkloadIdentityProfile"
_ASSIGNED = f"{_IDENTITY}.userAssignedIdentities"
_TYPE, _USER_ASSIGNED = "Microsoft.ManagedIdentity/userAssignedIdentities", "UserAssigned"
_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}")


def one_credential(value: Any, facts: Facts, target: str) -> Iterator[CloudError]:
    """A cluster has a service principal or the identities of its operators, never both, and one of them.

    This check of the service principal also runs if there is none. An empty one counts, or nobody could tell which of
    the two the customer means.
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
            f"The body has '{target}' and '{_WORKLOADS}': a cluster has either a service principal or workload "
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
            f"The body has '{given}' and no '{missing}': workload identity needs both. Give both, or leave both out.",
        )
    if not has_identity or value is None:
        return
    kind, assigned = value.get("type"), value.get("userAssignedIdentities") or {}
    if str(kind).lower() != _USER_ASSIGNED.lower():
        yield refuse(f"{target}.type", kind, f"'{_USER_ASSIGNED}', the only type that this service offers")
    if len(assigned) != 1:
        yield invalid_parameter(
            _ASSIGNED, f"There are {len(assigned)} identities in '{_ASSIGNED}': there must be exactly one."
        )
    for identity in assigned:
        yield from _identity(identity, facts, f'{_ASSIGNED}["{shown(identity)}"]')


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
    users = {str(identity).lower(): "the cluster" for identity in facts.get(_ASSIGNED) or {}}
    for name, entry in value.items():
        here = f'{target}["{shown(name)}"]'
        if not name:
            yield invalid_parameter(here, f"An operator in '{target}' has no name. Name it, or leave it out.")
        identity = entry.get("resourceId") if isinstance(entry, dict) else None
        if not isinstance(identity, str) or not identity:
            yield invalid_parameter(
                f"{here}.resourceId", f"The member '{here}.resourceId' is missing: it must be the id of an identity."
            )
            continue
        yield from _identity(identity, facts, f"{here}.resourceId")
        if user := users.get(identity.lower()):
            yield invalid_parameter(
                f"{here}.resourceId",
                f"The identity '{shown(identity)}' is that of {user} too. Give each an identity of its own.",
            )
        users.setdefault(identity.lower(), f"the operator '{shown(name)}'")


def upgradeable_to(value: str, _facts: Facts, target: str) -> Iterator[CloudError]:
    """The version of the next upgrade is one, in the form x.y.z."""
    if not _VERSION.fullmatch(value):
        yield refuse(target, value, "a version of OpenShift, x.y.z")


def _identity(text: str, facts: Facts, target: str) -> Iterator[CloudError]:
    identity, cluster = resource_id.try_parse(text), resource_id.parse(facts.resource_id)
    if identity is None or not identity.resource_group or not identity.is_type(_TYPE):
        yield refuse(
            target, text, f"the id of an identity, /subscriptions/<uuid>/resourceGroups/<name>/providers/{_TYPE}/<name>"
        )
    elif identity.subscription_id.lower() != cluster.subscription_id.lower():
        yield refuse(target, text, f"in the cluster's subscription '{cluster.subscription_id}'")


def _says_something(profile: Any) -> bool:
    return any((profile or {}).values())


def _asks_for_identity(identity: Mapping[str, Any] | None) -> bool:
    return any(member and member != NO_IDENTITY for member in (identity or {}).values())
