"""API versions as rows of differences over one internal model.

A row says what changed since the row before it, and holds until a later row says otherwise: members that appear or
disappear, fields of members that differ, other routes. `shared/clusters/members.py` has the members themselves; a
member that no row mentions exists in all versions. An api-version without a row is refused as unknown.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from shared.arm.errors import CloudError, ErrorCode, shown
from shared.clusters.member_types import ApiVersion, Rule
from shared.clusters.members import STATES

CREDENTIALS = "credentials"
DRY_RUN = "dryRun"
EXPIRATIONS = "expirations"
LIST_ADMIN_CREDENTIALS = "listAdminCredentials"
REQUEST_ADMIN_CREDENTIAL = "requestAdminCredential"
REVOKE_CREDENTIALS = "revokeCredentials"
LIST_CREDENTIALS = "listCredentials"
OPERATIONS = "operations"
POWER = "power"
RENEW = "renew"
OPEN_SHIFT_VERSION = "openShiftVersion"
OPEN_SHIFT_VERSIONS = "openShiftVersions"
PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS = "platformWorkloadIdentityRoleSets"

_CP, _NP, _MP = "properties.clusterProfile", "properties.networkProfile", "properties.masterProfile"
_AP, _SP = "properties.apiserverProfile", "properties.servicePrincipalProfile"
_WP, _IP = "properties.workerProfiles[]", "properties.ingressProfiles[]"
_LB, _SDN = f"{_NP}.loadBalancerProfile", f"{_NP}.softwareDefinedNetwork"
_WI = "properties.platformWorkloadIdentityProfile"
_PWI = f"{_WI}.platformWorkloadIdentities{{}}"
_PS = "properties.powerSchedule"
_SCHEDULE = (_PS, f"{_PS}.timeZone", f"{_PS}.days", f"{_PS}.stopTime", f"{_PS}.startTime")
_LONG_LIVED = "properties.longLivedCredentials"
_INGRESS = (_IP, f"{_IP}.name", f"{_IP}.visibility", f"{_IP}.ip")


def _each(paths: tuple[str, ...], **fields: Any) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(paths, fields)


# In chronological order.
API_VERSIONS = (
    ApiVersion(
        "2019-12-31-preview",
        changes={f"{_WP}.count": {"rule": Rule.MUTABLE, "create_only": False}, **_each(_INGRESS, create_only=False)},
        features=frozenset({CREDENTIALS, LIST_CREDENTIALS}),
    ),
    ApiVersion(
        "2020-04-30",
        changes={f"{_WP}.count": {"rule": Rule.CREATE, "create_only": True}, **_each(_INGRESS, create_only=True)},
        retires=frozenset({CREDENTIALS}),
    ),
    ApiVersion(
        "2021-09-01-preview",
        adds=(
            "systemData",
            _SDN,
            f"{_MP}.encryptionAtHost",
            f"{_MP}.diskEncryptionSetId",
            f"{_WP}.encryptionAtHost",
            f"{_WP}.diskEncryptionSetId",
        ),
        features=frozenset({LIST_ADMIN_CREDENTIALS}),
    ),
    ApiVersion("2022-04-01", adds=(f"{_CP}.fipsValidatedModules",), removes=(_SDN,)),
    ApiVersion("2022-09-04", features=frozenset({OPEN_SHIFT_VERSIONS})),
    ApiVersion("2023-04-01", adds=(f"{_NP}.outboundType",)),
    ApiVersion(
        "2023-07-01-preview",
        adds=(_LB,),
        changes={
            "properties.provisioningState": {"values": (*STATES, "Cancelled"), "spelled": {"Canceled": "Cancelled"}}
        },
    ),
    ApiVersion(
        "2023-09-04",
        adds=("properties.workerProfilesStatus[]", f"{_NP}.preconfiguredNSG"),
        removes=(_LB,),
        changes={"properties.provisioningState": {"values": STATES, "spelled": {}}},
    ),
    ApiVersion(
        "2023-11-22",
        adds=(_LB,),
        removes=(f"{_LB}.outboundIps[]", f"{_LB}.outboundIpPrefixes[]", f"{_LB}.allocatedOutboundPorts"),
        changes={
            "properties.provisioningState": {"values": (*STATES, "Canceled")},
            **_each(
                ("properties.consoleProfile.url", f"{_AP}.url", f"{_AP}.ip", f"{_IP}.ip"),
                rule=Rule.READ_ONLY,
            ),
        },
    ),
    ApiVersion(
        "2024-08-12-preview",
        adds=("identity", _WI, f"{_CP}.oidcIssuer"),
        changes={_SP: {"required": False}},
        features=frozenset({OPEN_SHIFT_VERSION, PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS}),
    ),
    ApiVersion("2025-07-25", changes=_each(("properties", _CP, _NP, _MP, _AP), required=True), generated=True),
    ApiVersion(
        "2026-12-01-preview",
        adds=("etag", "properties.conditions[]", "properties.powerState", _PS, _LONG_LIVED),
        features=frozenset(
            {OPERATIONS, DRY_RUN, EXPIRATIONS, POWER, RENEW, REQUEST_ADMIN_CREDENTIAL, REVOKE_CREDENTIALS}
        ),
        own=True,
    ),
)

# Follows the last public version. What customers may change is fixed here; `INTERNAL_MEMBERS` has what is not.
# Operators get no credential that opens a customer's cluster: a certificate names whom ARM or a token says, and their
# own client certificate names nobody. They end all credentials by a route of theirs, below `/sre`, which needs more.
ADMIN = ApiVersion(
    "admin",
    removes=(f"{_CP}.pullSecret", f"{_SP}.clientSecret"),
    changes={
        "tags": {"rule": Rule.CREATE},
        _LONG_LIVED: {"rule": Rule.CREATE},
        f"{_SP}.clientId": {"rule": Rule.CREATE_ANY_CASE},
        f"{_LB}.managedOutboundIps.count": {"rule": Rule.CREATE},
        **_each(("identity.userAssignedIdentities{}", f"{_WI}.upgradeableTo", _PWI, *_SCHEDULE), rule=Rule.CREATE),
        f"{_PWI}.resourceId": {"rule": Rule.CREATE_ANY_CASE},
    },
    retires=frozenset({LIST_ADMIN_CREDENTIALS, LIST_CREDENTIALS, REQUEST_ADMIN_CREDENTIAL, REVOKE_CREDENTIALS}),
    generated=False,
    for_operators=True,
)


def find_api_version(name: str, feature: str = "", *, for_operators: bool = False) -> ApiVersion:
    """Return the row of a version that serves a feature; all versions serve the feature "", the cluster itself.

    Args:
        name: the value of `api-version`, in any case.
        feature: the feature.
        for_operators: whether an operator asks. Nobody else gets the operators' view.

    Raises:
        CloudError: 400 `InvalidResourceType`, listing the public versions that serve it.
    """
    for row in (*API_VERSIONS, ADMIN):
        if row.name == name.lower() and has_feature(row, feature) and row.for_operators <= for_operators:
            return row
    given = f"The api-version '{shown(name)}' is not served" if name else "The query parameter 'api-version' is missing"
    raise CloudError(
        400,
        ErrorCode.INVALID_RESOURCE_TYPE,
        f"{given} for this resource. Use one of: {', '.join(row.name for row in serving(feature))}.",
        "api-version",
    )


def serving(feature: str = "") -> list[ApiVersion]:
    """Return the public versions that serve a feature."""
    return [row for row in API_VERSIONS if has_feature(row, feature)]


def has_feature(version: ApiVersion, feature: str) -> bool:
    """Tell whether a version serves a feature; all versions serve the feature ""."""
    begun = [feature in row.features for row in _until(version) if feature in row.features | row.retires]
    return not feature or (bool(begun) and begun[-1])


@cache
def has_member(version: ApiVersion, path: str) -> bool:
    """Tell whether a member exists in a version: the last row that mentions it says so, or the first one after it."""
    until = [present for row in _until(version) for present in _mentions(row, path)]
    ever = [present for row in _until(ADMIN) for present in _mentions(row, path)]
    return until[-1] if until else not (ever and ever[0])


def changed_fields(version: ApiVersion, path: str) -> dict[str, Any]:
    """Return the fields of a member's row that have another value in a version."""
    return {name: value for row in _until(version) for name, value in row.changes.get(path, {}).items()}


def is_generated(version: ApiVersion) -> bool:
    """Tell whether a version's model is generated from TypeSpec."""
    return [row.generated for row in _until(version) if row.generated is not None][-1:] == [True]


def _until(version: ApiVersion) -> tuple[ApiVersion, ...]:
    """Return the rows up to that of a version."""
    rows = (*API_VERSIONS, ADMIN)
    return rows[: rows.index(version) + 1]


def _mentions(row: ApiVersion, path: str) -> Iterator[bool]:
    """Yield whether a row adds or removes a member; a row that does both adds it as a part of others, without it."""
    if any(_covers(added, path) for added in row.adds):
        yield True
    if any(_covers(removed, path) for removed in row.removes):
        yield False


def _covers(given: str, path: str) -> bool:
    return path == given or path.startswith((f"{given}.", f"{given}["))
