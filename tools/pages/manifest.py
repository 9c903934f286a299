"""infra/manifest.json: the manifest with which the provider's owner has ARM register it: its types and api-versions.

Ids of application and roles are all zeros in it: who registers it fills them in.
"""

import json

from frontend.messages import Route
from frontend.routes import ROUTES
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE
from shared.clusters.api_versions import serving

# Stands for an id that differs from one deployment to the next.
UNKNOWN = "00000000-0000-0000-0000-000000000000"
_PROVIDER = "/providers/{resourceProviderNamespace}/"


def page() -> str:
    """Return the whole file."""
    types: dict[str, set[str]] = {}
    for route in ROUTES:
        if kind := _type(route):
            # A type also needs its parent types.
            for parent in _with_parents(kind):
                types.setdefault(parent, set()).update(_versions(route))
    manifest = {
        "namespace": NAMESPACE,
        "providerVersion": "2.0",
        "providerType": "Internal",
        "providerAuthorizations": [
            {"applicationId": UNKNOWN, "roleDefinitionId": UNKNOWN, "managedByRoleDefinitionId": UNKNOWN}
        ],
        "resourceTypes": [_resource_type(kind, sorted(types[kind])) for kind in sorted(types)],
    }
    return json.dumps(manifest, indent=2) + "\n"


def _resource_type(kind: str, versions: list[str]) -> dict[str, object]:
    """Return the entry of a type: clusters are resources with a preflight, everything else only has answers."""
    is_resource = kind == RESOURCE_TYPE
    return {
        "name": kind,
        "routingType": "Default" if is_resource else "ProxyOnly",
        **({"templateDeploymentOptions": {"preflightSupported": True}} if is_resource else {}),
        # Without locations a type is in every region of ARM.
        "endpoints": [{"apiVersions": versions, "locations": [], "timeout": "PT60S"}],
    }


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
    return [row.name for row in serving(route.feature)]
