"""API versions as rows of differences over one internal model.

Versions are kept in order of time. A row says what changed since the row before it: members that appear, members that
become read-only, features. The members themselves stand in `shared/clusters/members.py`; a member that no row adds is
there from the first version on. A version without a row is answered like one that never existed.
"""

from dataclasses import dataclass
from functools import cache

from shared.arm.errors import CloudError, ErrorCode, shown

LIST_ADMIN_CREDENTIALS = "listAdminCredentials"
LIST_CREDENTIALS = "listCredentials"
OPEN_SHIFT_VERSIONS = "openShiftVersions"

_STATES = ("Creating", "Updating", "AdminUpdating", "Deleting", "Succeeded", "Failed")


@dataclass(frozen=True)
class ApiVersion:
    """What one version changes.

    Args:
        name: the value of `api-version`.
        adds: paths of members that appear with this version; a path stands for what lies below it, too.
        read_only: paths of members that customers may no longer send.
        features: other routes that this version serves.
        states: values of `provisioningState` that it knows.
        generated: whether its model is generated from TypeSpec: names are matched with their case, profiles must be
            there, and empty objects are left out of replies, but for `ALWAYS_SHOWN`. Older ones are plain structures,
            always there.
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
        features=frozenset({LIST_ADMIN_CREDENTIALS, LIST_CREDENTIALS, OPEN_SHIFT_VERSIONS}),
        states=(*_STATES, "Canceled"),
        generated=True,
    ),
)

NEWEST = API_VERSIONS[-1]


def find_api_version(name: str, feature: str = "") -> ApiVersion:
    """Return the row of a version that serves a feature ("" for the cluster itself, which all serve).

    Raises:
        CloudError: 400 `InvalidResourceType`, listing the versions that would do.
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
    """Tell whether a member exists in a version: what a later row adds does not."""
    later = API_VERSIONS[API_VERSIONS.index(version) + 1 :]
    return not any(_covers(added, path) for row in later for added in row.adds)


@cache
def is_read_only(version: ApiVersion, path: str) -> bool:
    """Tell whether this version, or one before it, has made a member read-only."""
    until = API_VERSIONS[: API_VERSIONS.index(version) + 1]
    return any(path in row.read_only for row in until)


def _covers(added: str, path: str) -> bool:
    return path == added or path.startswith((f"{added}.", f"{added}["))
