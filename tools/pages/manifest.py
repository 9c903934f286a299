"""infra/manifest.json: the manifest with which the provider's owner has ARM register it: its types and api-versions.

It also says what ARM asks of callers. An action that Azure's public list of operations does not have is mapped to one
that it has, so that existing roles cover it; and the resources that a body names are asked for in the caller's name.
Ids of application and roles are all zeros in it: who registers it fills them in.
"""

import json
from collections.abc import Iterator

from frontend.bodies import Body
from frontend.callers.rights import Right
from frontend.messages import Route
from frontend.middleware.entra.linked_access import LINKED
from frontend.operations.operations_list import PUBLIC
from frontend.routes import ROUTES
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE
from shared.clusters.api_versions import serving

# Stands for an id that differs from one deployment to the next.
UNKNOWN = "00000000-0000-0000-0000-000000000000"
_PROVIDER = "/providers/{resourceProviderNamespace}/"
_ENDS = {"GET": "read", "PUT": "write", "PATCH": "write", "DELETE": "delete", "POST": "action"}


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
        # ARM attaches the user-assigned identities that a body names, and says where their credentials are.
        **({"identityManagement": {"type": "DelegatedResourceIdentity"}} if is_resource else {}),
        **({"authorizationActionMappings": mappings} if (mappings := _mappings(kind)) else {}),
        **({"linkedAccessChecks": _linked()} if is_resource else {}),
        # Without locations a type is in every region of ARM.
        "endpoints": [{"apiVersions": versions, "locations": [], "timeout": "PT60S"}],
    }


def _type(route: Route) -> str:
    """Return the resource type of a route, or "" for actions, operators' routes and routes without a resource."""
    return "" if set(route.verbs) == {"POST"} else _named(route)


def _named(route: Route) -> str:
    """Return the resource type of a route, with the name of an action behind it; "" as above."""
    before, found, rest = f"/{route.template}".partition(_PROVIDER)
    if not found or before.startswith("/sre"):
        return ""
    return "/".join(rest.replace("{resourceType}", RESOURCE_TYPE).split("/")[::2])


def _actions(kind: str) -> Iterator[tuple[str, Right, Body]]:
    """Yield what ARM calls each action on resources of a type, what a caller needs for it, and the body."""
    for route in ROUTES:
        for method, verb in route.verbs.items():
            named = _named(route)
            of_type = named.rpartition("/")[0] if method == "POST" else named
            if named and of_type == kind and isinstance(verb.needs, Right):
                yield f"{NAMESPACE}/{named}/{_ENDS[method]}", verb.needs, verb.takes


def _mappings(kind: str) -> list[dict[str, str]]:
    known = {name.lower() for name in PUBLIC}
    mapped = {name: right.action for name, right, _ in _actions(kind) if name.lower() not in known}
    return [{"original": name, "desired": mapped[name]} for name in sorted(mapped)]


def _linked() -> list[dict[str, str]]:
    """Return what a body with a cluster names. A dry run reads it, too, with rights of the service.

    Maps are left out, because such a path finds no keys. ARM asks by itself for what `identity` names, and that identity
    has to have rights on those of the operators, or the service can do nothing with them.
    """
    bodies = (Body.CLUSTER, Body.CLUSTER_UPDATE)
    names = sorted({name for name, _, takes in _actions(RESOURCE_TYPE) if takes in bodies})
    return [
        {
            "actionName": name,
            "linkedProperty": row.path.replace("[]", "[*]"),
            "linkedAction": row.action,
            "linkedType": row.type,
        }
        for name in names
        for row in LINKED
        if "{}" not in row.path
    ]


def _with_parents(kind: str) -> list[str]:
    names = kind.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names) + 1)]


def _versions(route: Route) -> list[str]:
    return [row.name for row in serving(route.feature)]
