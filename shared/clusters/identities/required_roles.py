"""The roles that the operators of a cluster need, and whether each operator has its identity. Pure.

The role sets of minor versions are documents, see `shared/clusters/role_sets.py`.
"""

from collections.abc import Collection, Mapping
from typing import TypeAlias

from shared.arm.errors import CloudError, ErrorCode, invalid_parameter, raise_all, shown
from shared.clusters.identities.cluster_credential import WorkloadIdentity
from shared.clusters.role_sets import order
from shared.documents import PlatformWorkloadIdentityRole, RoleSetDocument

_TARGET = "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities"

Roles: TypeAlias = list[PlatformWorkloadIdentityRole]


def minors(version: str, upgradeable_to: str = "") -> list[str]:
    """Return the minor versions whose roles a cluster needs: its own, and the one that it may be upgraded to.

    Args:
        version: the cluster's version, x.y.z; of a finished cluster the live one.
        upgradeable_to: the version of the next upgrade; may be empty, and counts only if its minor version is higher.
    """
    own, *further = (_minor(each) for each in (version, upgradeable_to) if each)
    return [own, *(each for each in further if order(each) > order(own))]


def required(sets: Mapping[str, RoleSetDocument], version: str, upgradeable_to: str = "") -> Roles:
    """Return the roles of a cluster's minor versions, each role of an operator once.

    Args:
        sets: role sets without problems, by minor version.
        version: as for `minors`.
        upgradeable_to: as for `minors`.

    Raises:
        CloudError: 400 `InvalidParameter` without a target: a minor version has no role set.
    """
    wanted = minors(version, upgradeable_to)
    if missing := [minor for minor in wanted if minor not in sets]:
        known = ", ".join(sorted(sets, key=order)) or "none"
        raise invalid_parameter(
            "",
            f"OpenShift {' and '.join(missing)} cannot have workload identity: the service does not know which roles "
            f"its operators need. Choose a version of: {known}.",
        )
    roles = [role for minor in wanted for role in sets[minor]["platformWorkloadIdentityRoles"]]
    # The newer minor version's entry of a role wins: an upgraded cluster keeps what it names.
    return list({(role["operatorName"], role["roleDefinitionId"].lower()): role for role in roles}.values())


def mismatches(operators: Collection[str], roles: Roles, version: str, upgradeable_to: str = "") -> list[CloudError]:
    """Return the refusal of a cluster whose operators are not exactly those that need an identity, or nothing.

    Args:
        operators: the names of the operators that have an identity.
        roles: the roles that the cluster needs.
        version: as for `minors`.
        upgradeable_to: as for `minors`.
    """
    wanted, given = {role["operatorName"] for role in roles}, set(operators)
    missing, superfluous = sorted(wanted - given), sorted(given - wanted)
    if not missing and not superfluous:
        return []
    found = [
        *([f"{', '.join(missing)} must be there"] if missing else []),
        *([f"{shown(', '.join(superfluous))} must not be there"] if superfluous else []),
    ]
    return [
        CloudError(
            400,
            ErrorCode.PLATFORM_WORKLOAD_IDENTITY_MISMATCH,
            f"The operators in '{_TARGET}' are not those of OpenShift {' or '.join(minors(version, upgradeable_to))}: "
            f"{', and '.join(found)}. Give exactly these: {', '.join(sorted(wanted))}.",
            _TARGET,
        )
    ]


def of_cluster(
    credential: WorkloadIdentity, sets: Mapping[str, RoleSetDocument], version: str, created: str = ""
) -> Roles:
    """Return the roles of a cluster whose operators all have their identity.

    An operator that an upgrade has ended keeps its identity, because no request may leave one out; it needs no role.

    Args:
        credential: the identities of the cluster.
        sets: as for `required`.
        version: as for `minors`.
        created: the version of the cluster's create, if it was another one.

    Raises:
        CloudError: as `required`; 400 `PlatformWorkloadIdentityMismatch`: the identities are not those of the roles.
    """
    roles = required(sets, version, credential.upgradeable_to)
    ended = _operators_since(sets, created or version, version) - {role["operatorName"] for role in roles}
    raise_all(mismatches(set(credential.operators) - ended, roles, version, credential.upgradeable_to))
    return roles


def _operators_since(sets: Mapping[str, RoleSetDocument], created: str, version: str) -> set[str]:
    """Return the operators of all minor versions from that of a cluster's create to the one that it has now."""
    first, last = order(_minor(created)), order(_minor(version))
    found = [known for minor, known in sets.items() if first <= order(minor) <= last]
    return {role["operatorName"] for known in found for role in known["platformWorkloadIdentityRoles"]}


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
