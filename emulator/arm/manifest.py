"""What others than ARM answer for: the resource provider's types and their api-versions, by namespace."""

from emulator.arm.exceptions import invalid_resource_type, no_registered_provider
from emulator.arm.ids import ResourceId

SYSTEM_NAMESPACE = "Microsoft.RedHatOpenShift"
PROVIDED_VERSIONS = (
    "2020-04-30",
    "2021-09-01-preview",
    "2022-04-01",
    "2022-09-04",
    "2023-04-01",
    "2023-07-01-preview",
    "2023-09-04",
    "2023-11-22",
    "2024-08-12-preview",
    "2025-07-25",
)
# The provider's manifest: what it told Azure that it answers for.
PROVIDED: dict[str, dict[str, tuple[str, ...]]] = {
    SYSTEM_NAMESPACE: dict.fromkeys(
        (
            "locations",
            "locations/openshiftVersions",
            "locations/operationresults",
            "locations/operationsstatus",
            "locations/platformWorkloadIdentityRoleSets",
            "openShiftClusters",
            "operations",
        ),
        PROVIDED_VERSIONS,
    ),
    "Microsoft.Authorization": {},
    "Microsoft.Compute": {},
    "Microsoft.Features": {"features": ("2015-12-01", "2021-07-01"), "providers": ("2015-12-01", "2021-07-01")},
    "Microsoft.Resources": {"resourceGroups": ("2022-09-01",), "subscriptions": ("2022-12-01",)},
}


def canonical(types: tuple[str, ...]) -> list[str]:
    """Return segments of a type of the resource provider in its own casing."""
    known = {kind.lower(): kind for name in PROVIDED[SYSTEM_NAMESPACE] for kind in name.split("/")}
    return [known.get(kind.lower(), kind) for kind in types]


def type_name(identifier: ResourceId, api_version: str, location: str) -> str:
    """Return the full type of a resource of the provider, for a write in this api-version.

    Raises:
        ServiceError: no such type or version.
    """
    name = "/".join((SYSTEM_NAMESPACE, *canonical(identifier.types)))
    versions = PROVIDED[SYSTEM_NAMESPACE].get(name.partition("/")[2])
    if versions is None:
        raise invalid_resource_type(name, api_version)
    if api_version.lower() not in versions:
        raise no_registered_provider(name, location, api_version, versions)
    return name
