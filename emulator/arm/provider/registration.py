"""The registration of the resource provider with ARM: where it is, and what its manifest says. In Azure, Microsoft makes it."""

from collections.abc import Iterator, Mapping
from typing import Any

from emulator.arm.exceptions import NO_REGISTERED_PROVIDER, NOT_EMULATED
from emulator.arm.ids import ResourceId
from emulator.arm.provider import manifest
from emulator.arm.provider.manifest import SYSTEM_NAMESPACE
from emulator.core.platform import Platform
from emulator.json_object import Json

__all__ = ["SYSTEM_NAMESPACE", "ProviderRegistration"]

# How long ARM waits for an answer if the manifest does not say, in seconds.
DEFAULT_SECONDS = 60


class ProviderRegistration:
    """What is registered for the namespace of the resource provider; nothing until `put`."""

    def __init__(self, platform: Platform) -> None:
        self._location = platform.world.location
        self._table = platform.store.table("arm_provider_registration")
        self._known: Json | None = None
        self._types: dict[str, tuple[str, ...]] = {}
        self._use(self._table.get(SYSTEM_NAMESPACE.lower()))

    def get(self) -> Json | None:
        """Return the registration, `{"endpoint", "manifest"}`, or None."""
        return self._known

    def put(self, document: Json) -> None:
        """Replace the registration by one that `manifest.read` has checked."""
        self._table.put(SYSTEM_NAMESPACE.lower(), document)
        self._use(document)

    def _use(self, document: Json | None) -> None:
        self._known = document
        self._types = {
            row["name"]: tuple(sorted(version for each in row["endpoints"] for version in each["apiVersions"]))
            for row in self._resource_types()
        }

    @property
    def host(self) -> str:
        """The host name of the provider's endpoint, or ""."""
        return "" if self._known is None else manifest.host_of(self._known["endpoint"])

    def serves(self, namespace: str) -> bool:
        """Tell whether a namespace is registered to the resource provider."""
        return self._known is not None and namespace.lower() == SYSTEM_NAMESPACE.lower()

    def serves_id(self, resource_id: str) -> bool:
        """Tell whether an id names a resource of the provider."""
        return self._known is not None and f"/providers/{SYSTEM_NAMESPACE.lower()}/" in resource_id.lower()

    def types(self) -> Mapping[str, tuple[str, ...]]:
        """Return the api-versions of each type, the newest last."""
        return self._types

    def authorizations(self, application_id: str) -> list[Json]:
        """Return the provider authorizations of the manifest that name an application."""
        if self._known is None:
            return []
        entries = self._known["manifest"]["providerAuthorizations"]
        return [entry for entry in entries if entry["applicationId"].lower() == application_id.lower()]

    def is_authorized(self, application_id: str) -> bool:
        """Tell whether an application is that of the provider."""
        return bool(self.authorizations(application_id))

    def timeout_seconds(self, identifier: ResourceId | None) -> int:
        """Return how long ARM waits for the provider to answer a call on a resource or, if None, a call of its own."""
        types = () if identifier is None else identifier.types
        # An action has the type of its resource.
        for count in range(len(types), 0, -1):
            if endpoints := self._endpoints("/".join(types[:count])):
                return max(map(manifest.timeout_seconds, endpoints))
        return DEFAULT_SECONDS

    def has_preflight(self, identifier: ResourceId) -> bool:
        """Tell whether ARM asks the provider about a resource of a template before it deploys anything."""
        kind = "/".join(identifier.types).lower()
        return self.serves(identifier.namespace) and any(
            bool((row.get("templateDeploymentOptions") or {}).get("preflightSupported"))
            for row in self._resource_types()
            if row["name"].lower() == kind
        )

    def is_tracked(self, identifier: ResourceId) -> bool:
        """Tell whether ARM lists the resources of a type; those of others only the provider knows."""
        kind = "/".join(identifier.types).lower()
        return any(row["name"].lower() == kind and row["routingType"] == "Default" for row in self._resource_types())

    def has_identity(self, identifier: ResourceId) -> bool:
        """Tell whether resources of a type have identities, for which ARM tells the provider an address."""
        kind = "/".join(identifier.types).lower()
        return any(row["name"].lower() == kind and row.get("identityManagement") for row in self._resource_types())

    def identities(self, identifier: ResourceId, body: Any) -> list[str]:
        """Return the ids of the user-assigned identities that the body of a resource names."""
        return list(_values(body, ["identity", "userassignedidentities"])) if self.has_identity(identifier) else []

    def desired(self, action: str) -> str:
        """Return the action that a caller needs for one of the provider's: the manifest may name another."""
        mappings = [pair for row in self._resource_types() for pair in row.get("authorizationActionMappings") or ()]
        return next((str(pair["desired"]) for pair in mappings if pair["original"].lower() == action.lower()), action)

    def linked(self, action: str, body: Any) -> list[tuple[str, str]]:
        """Return the resources that the body of an action names: the action that each needs, and its id."""
        checks = [check for row in self._resource_types() for check in row.get("linkedAccessChecks") or ()]
        return [
            (check["linkedAction"], resource_id)
            for check in checks
            if check["actionName"].lower() == action.lower()
            for resource_id in _values(body, check["linkedProperty"].lower().split("."))
        ]

    def locations(self, kind: str) -> list[str]:
        """Return the regions in which a type is available; an empty list means all of them."""
        return [location for each in self._endpoints(kind) for location in each.get("locations") or ()]

    def _endpoints(self, kind: str) -> list[Json]:
        return [
            each for row in self._resource_types() if row["name"].lower() == kind.lower() for each in row["endpoints"]
        ]

    def _resource_types(self) -> list[Json]:
        rows: list[Json] = [] if self._known is None else self._known["manifest"]["resourceTypes"]
        return rows

    def canonical(self, types: tuple[str, ...]) -> list[str]:
        """Return the segments of one of the provider's types in the casing of its manifest."""
        known = {kind.lower(): kind for name in self._types for kind in name.split("/")}
        return [known.get(kind.lower(), kind) for kind in types]

    def type_name(self, identifier: ResourceId, api_version: str) -> str:
        """Return the full type of one of the provider's resources, and check that the type supports this api-version.

        Raises:
            ServiceError: the type or the version does not exist.
        """
        name = "/".join((SYSTEM_NAMESPACE, *self.canonical(identifier.types)))
        versions = self._types.get(name.partition("/")[2])
        if versions is None:
            raise NOT_EMULATED(f"the resource type '{name}'")
        if api_version.lower() not in versions:
            raise NO_REGISTERED_PROVIDER(location=self._location, version=api_version, kind=name, supported=versions)
        return name


def _values(value: Any, path: list[str]) -> Iterator[str]:
    """Yield the ids at a path in a body: strings, or the names of an object. The provider refuses what is not an id."""
    if not path:
        given = [name for name, one in value.items() if one is not None] if isinstance(value, dict) else [value]
        yield from (one for one in given if isinstance(one, str) and one.startswith("/subscriptions/"))
        return
    name = path[0].removesuffix("[*]")
    for key, held in value.items() if isinstance(value, dict) else ():
        if key.lower() == name:
            for item in held if isinstance(held, list) and path[0] != name else [held]:
                yield from _values(item, path[1:])
