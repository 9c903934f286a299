"""emulator/arm/provider/provider.json: the manifest that the provider's owner registers with ARM, its types and api-versions.

Like ARM, the local Azure imports nothing from the product, so it reads this file.
"""

import json

from frontend.routes import ROUTES, Route
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE
from shared.clusters.api_versions import API_VERSIONS

_PROVIDER = "/providers/{resourceProviderNamespace}/"


def page() -> str:
    """Return the whole file."""
    types: dict[str, set[str]] = {}
    for route in ROUTES:
        if kind := _type(route):
            # A type also needs its parent types.
            for parent in _with_parents(kind):
                types.setdefault(parent, set()).update(_versions(route))
    manifest = {"namespace": NAMESPACE, "resourceTypes": {kind: sorted(types[kind]) for kind in sorted(types)}}
    return json.dumps(manifest, indent=2) + "\n"


def _type(route: Route) -> str:
    """Return the resource type of a route, or "" for actions, operators' routes and routes without a resource."""
    before, found, rest = f"/{route.template}".partition(_PROVIDER)
    if not found or before.startswith("/sre") or set(route.verbs) == {"POST"}:
        return ""
    return "/".join(rest.replace("{resourceType}", RESOURCE_TYPE).split("/")[::2])


def _with_parents(kind: str) -> list[str]:
    names = kind.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names) + 1)]


def _versions(route: Route) -> list[str]:
    return [row.name for row in API_VERSIONS if not route.feature or route.feature in row.features]
