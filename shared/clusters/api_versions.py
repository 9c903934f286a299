"""API versions as rows of differences over one internal model.

Versions are in chronological order. A row says what changed since the row before it: new members, members that become
read-only, features. `shared/clusters/members.py` has the members themselves; a member that no row adds exists from the
first version on. An api-version without a row is refused as unknown.
"""

from dataclasses import dataclass
from functools import cache

from shared.arm.errors import CloudError, ErrorCode, shown

LIST_ADMIN_CREDENTIALS = "listAdminCredentials"
LIST_CREDENTIALS = "listCredentials"
OPEN_SHIFT_VERSIONS = "openShiftVersions"
PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS = "platformWorkloadIdentityRoleSets"

_STATES = ("Creating", "Updating", "AdminUpdating", "Deleting", "Succeeded", "Failed")


@dataclass(frozen=True)
class ApiVersion:
    """The changes that one version makes.

    Args:
        name: the value of `api-version`.
        adds: paths of members that appear with this version; a path includes everything below it.
        read_only: paths of members that customers may no longer send.
        features: other routes that this version serves.
        states: values of `provisioningState` that it knows.
        generated: whether its model is generated from TypeSpec. Then names are case-sensitive, profiles are required,
            and replies leave out empty objects except `ALWAYS_SHOWN`. Older models are plain structures, which are
            always present.
    """

    name: str
    adds: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    features: frozenset[str] = frozenset()
    states: tuple[str, ...] = _STATES
    generated: bool = False


API_VERSIONS = (
    ApiVersion("2020-04-30", features=frozenset({LIST_CREDENTIALS})),
    ApiVersion(
        "2025-07-25",
        adds=(
            "systemData",
            "identity",
            "properties.clusterProfile.fipsValidatedModules",
            "properties.clusterProfile.oidcIssuer",
            "properties.platformWorkloadIdentityProfile",
            "properties.networkProfile.outboundType",
            "properties.networkProfile.preconfiguredNSG",
            "properties.networkProfile.loadBalancerProfile",
            "properties.masterProfile.encryptionAtHost",
            "properties.masterProfile.diskEncryptionSetId",
            "properties.workerProfiles[].encryptionAtHost",
            "properties.workerProfiles[].diskEncryptionSetId",
            "properties.workerProfilesStatus[]",
        ),
        read_only=(
            "properties.consoleProfile.url",
            "properties.apiserverProfile.url",
            "properties.apiserverProfile.ip",
            "properties.ingressProfiles[].ip",
        ),
        features=frozenset(
            {LIST_ADMIN_CREDENTIALS, LIST_CREDENTIALS, OPEN_SHIFT_VERSIONS, PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS}
        ),
        states=(*_STATES, "Canceled"),
        generated=True,
    ),
)

NEWEST = API_VERSIONS[-1]


def find_api_version(name: str, feature: str = "") -> ApiVersion:
    """Return the row of a version that serves a feature; all versions serve the feature "", the cluster itself.

    Raises:
        CloudError: 400 `InvalidResourceType`, listing the versions that serve it.
    """
    serving = [row for row in API_VERSIONS if not feature or feature in row.features]
    for row in serving:
        if row.name == name.lower():
            return row
    given = f"The api-version '{shown(name)}' is not served" if name else "The query parameter 'api-version' is missing"
    raise CloudError(
        400,
        ErrorCode.INVALID_RESOURCE_TYPE,
        f"{given} for this resource. Use one of: {', '.join(row.name for row in serving)}.",
        "api-version",
    )


@cache
def has_member(version: ApiVersion, path: str) -> bool:
    """Tell whether a member exists in a version; members that a later row adds do not."""
    later = API_VERSIONS[API_VERSIONS.index(version) + 1 :]
    return not any(_covers(added, path) for row in later for added in row.adds)


@cache
def is_read_only(version: ApiVersion, path: str) -> bool:
    """Tell whether this version, or an earlier one, has made a member read-only."""
    until = API_VERSIONS[: API_VERSIONS.index(version) + 1]
    return any(path in row.read_only for row in until)


def _covers(added: str, path: str) -> bool:
    return path == added or path.startswith((f"{added}.", f"{added}["))
