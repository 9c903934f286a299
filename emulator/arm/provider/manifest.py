"""The types and api-versions, by namespace, that have no row in ARM, above all those of the resource provider."""

import json
from pathlib import Path

from emulator.arm.exceptions import invalid_resource_type, no_registered_provider
from emulator.arm.ids import ResourceId

# The types that the owner of the resource provider registered with ARM. `make docs` writes the file from the provider's
# own tables, because the emulator must not import them.
_MANIFEST = json.loads(Path(__file__).with_name("provider.json").read_text(encoding="utf-8"))
SYSTEM_NAMESPACE: str = _MANIFEST["namespace"]
# Api-versions by namespace and type.
PROVIDED: dict[str, dict[str, tuple[str, ...]]] = {
    SYSTEM_NAMESPACE: {kind: tuple(versions) for kind, versions in _MANIFEST["resourceTypes"].items()},
    "Microsoft.Authorization": {},
    "Microsoft.Compute": {},
    "Microsoft.Features": {"features": ("2015-12-01", "2021-07-01"), "providers": ("2015-12-01", "2021-07-01")},
    "Microsoft.Resources": {"resourceGroups": ("2022-09-01",), "subscriptions": ("2022-12-01",)},
}
# Api-versions of clusters, the newest last.
PROVIDED_VERSIONS = PROVIDED[SYSTEM_NAMESPACE]["openShiftClusters"]


def canonical(types: tuple[str, ...]) -> list[str]:
    """Return the segments of one of the provider's types in the casing of its manifest."""
    known = {kind.lower(): kind for name in PROVIDED[SYSTEM_NAMESPACE] for kind in name.split("/")}
    return [known.get(kind.lower(), kind) for kind in types]


def type_name(identifier: ResourceId, api_version: str, location: str) -> str:
    """Return the full type of one of the provider's resources, and check that the type supports this api-version.

    Args:
        identifier: id of the resource.
        api_version: the api-version of the write.
        location: the wanted location, which the error for an unsupported version quotes.

    Raises:
        ServiceError: the type or the version does not exist.
    """
    name = "/".join((SYSTEM_NAMESPACE, *canonical(identifier.types)))
    versions = PROVIDED[SYSTEM_NAMESPACE].get(name.partition("/")[2])
    if versions is None:
        raise invalid_resource_type(name, api_version)
    if api_version.lower() not in versions:
        raise no_registered_provider(name, location, api_version, versions)
    return name
