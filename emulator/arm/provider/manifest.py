"""What others than ARM answer for: the resource provider's types and their api-versions, by namespace."""

import json
from pathlib import Path

from emulator.arm.exceptions import invalid_resource_type, no_registered_provider
from emulator.arm.ids import ResourceId

# What the resource provider's owner registered with ARM. `make docs` writes it from the provider's own tables, because
# nothing here may import them.
_MANIFEST = json.loads(Path(__file__).with_name("provider.json").read_text(encoding="utf-8"))
SYSTEM_NAMESPACE: str = _MANIFEST["namespace"]
# Namespace, type, api-versions.
PROVIDED: dict[str, dict[str, tuple[str, ...]]] = {
    SYSTEM_NAMESPACE: {kind: tuple(versions) for kind, versions in _MANIFEST["resourceTypes"].items()},
    "Microsoft.Authorization": {},
    "Microsoft.Compute": {},
    "Microsoft.Features": {"features": ("2015-12-01", "2021-07-01"), "providers": ("2015-12-01", "2021-07-01")},
    "Microsoft.Resources": {"resourceGroups": ("2022-09-01",), "subscriptions": ("2022-12-01",)},
}
# Of clusters, with the newest last.
PROVIDED_VERSIONS = PROVIDED[SYSTEM_NAMESPACE]["openShiftClusters"]


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
