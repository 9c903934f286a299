"""The calls that the emulated services answer, read from their own tables, and the row that a journal entry matches."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from starlette.routing import Match, Route

from emulator.arm.call import ArmRoute
from emulator.arm.ids import ResourceId, parse
from emulator.arm.models import ArmModel
from emulator.arm.provider.registration import SYSTEM_NAMESPACE
from emulator.arm.responses import resources
from emulator.blobs.operations import OPERATIONS
from emulator.core.journal import Entry
from emulator.core.platform import Platform, Service
from emulator.cosmos.urls import POSTS
from emulator.openshift.kubernetes.api import discovery
from emulator.openshift.kubernetes.kinds import STATUS_VERBS, Kinds
from emulator.openshift.release.kinds import definitions
from tools.calls.clients import CLUSTERS

ARM, BLOBS, COSMOS, KUBERNETES = "arm", "blobs", "cosmos", CLUSTERS
# Calls that ARM does not answer itself.
FORWARDED = "forwarded"
# Services whose routes list all of their calls.
BY_ROUTES = ("entra", "managed-identity", "identity-data-plane", "graph", "keyvault", "websites", "scm")
VERBS_OF_RESOURCES = ("GET", "HEAD", "LIST", "PUT", "PATCH", "DELETE")
# Verbs of a type that is only written inside its parent.
VERBS_OF_INLINE = ("GET", "HEAD", "LIST")
# Paths of a cluster's API that are not resources, in addition to those of `discovery.FIXED`.
DISCOVERY = ("/api/v1", "/apis/{group}", "/apis/{group}/{version}", "/openapi/v3", "/openapi/v3/{path}")


@dataclass(frozen=True, order=True)
class Call:
    """The call that one row of a table answers.

    Args:
        service: as the journal names it.
        resource: path, type or kind.
        verb: HTTP method, or the service's own word.
    """

    service: str
    resource: str
    verb: str


class Table(NamedTuple):
    """The calls that one service answers, and the function that finds the call of a journal's entry."""

    calls: Iterable[Call]
    find: Callable[[Entry], Call | None]


class Served:
    """The tables of all services of Azure, which do not include the local Azure's own control service.

    Args:
        platform: a local Azure with every service.
    """

    def __init__(self, platform: Platform) -> None:
        services = {service.name: service for service in platform.services}
        self._tables = {name: _by_routes(services[name]) for name in BY_ROUTES}
        self._tables |= {
            ARM: _arm(platform.model(ArmModel)),
            BLOBS: _blobs(),
            COSMOS: _cosmos(services[COSMOS]),
            KUBERNETES: _kubernetes(),
        }
        self.calls = frozenset(call for table in self._tables.values() for call in table.calls)

    def of(self, entry: Entry) -> Call | None:
        """Return the call of a journal's entry, or None if no table has it."""
        table = self._tables.get(entry.service)
        found = None if table is None else table.find(entry)
        return found if found in self.calls or (found and found.service == FORWARDED) else None


def _by_routes(service: Service) -> Table:
    def call(route: Route, method: str) -> Call:
        # Starlette answers HEAD wherever there is GET.
        return Call(service.name, route.path.rstrip("/"), "GET" if method == "HEAD" else method)

    def find(entry: Entry) -> Call | None:
        route = _match(service.routes, entry)
        return None if route is None else call(route, entry.method)

    return Table({call(route, method) for route in service.routes for method in route.methods or ()}, find)


def _match(routes: Iterable[Route], entry: Entry) -> Route | None:
    scope = {"type": "http", "method": entry.method, "path": entry.path.partition("?")[0]}
    return next((route for route in routes if route.matches(scope)[0] is Match.FULL), None)


# Azure Resource Manager


def _arm(arm: ArmModel) -> Table:
    names = {name: row.name for name, row in arm.types.items()}
    names |= {name: row.name for name, row in arm.provider_actions.items()}
    for row in arm.types.values():
        names |= {f"{row.name}/{each}".lower(): f"{row.name}/{each}" for each in (*row.actions, *row.collections)}

    def of_route(route: ArmRoute, method: str) -> Call:
        row = route.row
        if row.name.lower() not in arm.types:
            return Call(ARM, row.pattern, method)
        return Call(ARM, row.name, method if row.pattern.endswith("}") else "LIST")

    def find(entry: Entry) -> Call | None:
        route = _match(arm.routes, entry)
        if not isinstance(route, ArmRoute):
            return None
        if route.row.handler is not resources.serve:
            return of_route(route, entry.method)
        identifier = parse(entry.path.partition("?")[0])
        if identifier is None or not identifier.types:
            return None
        if arm.front_door.serves(identifier):
            name = "/".join((SYSTEM_NAMESPACE, *arm.registration.canonical(identifier.types)))
            return Call(FORWARDED, name, _verb(identifier, entry.method))
        return Call(ARM, names.get(identifier.type.lower(), ""), _verb(identifier, entry.method))

    return Table({*_types(arm), *_rows(arm, of_route)}, find)


def _verb(identifier: ResourceId, method: str) -> str:
    is_list = method == "GET" and len(identifier.types) > len(identifier.names)
    return "LIST" if is_list else method


def _rows(arm: ArmModel, call: Callable[[ArmRoute, str], Call]) -> Iterator[Call]:
    for route in arm.routes:
        if isinstance(route, ArmRoute) and route.row.handler is not resources.serve:
            yield from (call(route, method) for method in route.row.methods.split())


def _types(arm: ArmModel) -> Iterator[Call]:
    for row in arm.types.values():
        yield from (Call(ARM, row.name, verb) for verb in (VERBS_OF_INLINE if row.inline_only else VERBS_OF_RESOURCES))
        yield from (Call(ARM, f"{row.name}/{action}", "POST") for action in row.actions)
        yield from (Call(ARM, f"{row.name}/{collection}", "LIST") for collection in row.collections)
    yield from (Call(ARM, action.name, "POST") for action in arm.provider_actions.values())


# Data planes


def _blobs() -> Table:
    # If an operation begins with two of the names, it means the longer one.
    names = sorted({row.name for row in OPERATIONS.values()}, key=len, reverse=True)

    def find(entry: Entry) -> Call | None:
        name = next((name for name in names if f"{entry.operation} ".startswith(f"{name} ")), None)
        return None if name is None else Call(BLOBS, name, entry.method)

    return Table({Call(BLOBS, row.name, method) for (_, method, _), row in OPERATIONS.items()}, find)


def _cosmos(service: Service) -> Table:
    def named(route: Route) -> set[str]:
        return {route.name} if route.name else set(POSTS)

    def find(entry: Entry) -> Call | None:
        route = _match(service.routes, entry)
        if route is None:
            return None
        # The journal adds the container to the name of an operation on its documents.
        return Call(COSMOS, route.name or entry.operation.partition(" ")[0], entry.method)

    calls = {
        Call(COSMOS, name, method)
        for route in service.routes
        for name in named(route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    return Table(calls, find)


# Clusters


def _kubernetes() -> Table:
    kinds = Kinds()
    for definition in definitions():
        kinds.define(definition)
    paths = {*discovery.FIXED, *discovery.HEALTH, *DISCOVERY}
    calls = {Call(KUBERNETES, path, "GET") for path in paths}
    for kind in kinds:
        calls |= {Call(KUBERNETES, kind.resource, verb.upper()) for verb in kind.verbs}
        for below in (*(("status",) if kind.has_status else ()), *kind.subresources):
            calls |= {Call(KUBERNETES, f"{kind.resource}/{below}", verb.upper()) for verb in STATUS_VERBS}
    return Table(calls, lambda entry: _of_cluster(entry, paths))


def _of_cluster(entry: Entry, paths: set[str]) -> Call:
    verb, _, resource = entry.operation.partition(" ")
    if not resource.startswith("/") or (resource := resource.rstrip("/") or "/") in paths:
        return Call(KUBERNETES, resource, verb)
    match resource.split("/"):
        case ["", "apis", _]:
            resource = "/apis/{group}"
        case ["", "apis", _, _]:
            resource = "/apis/{group}/{version}"
        case ["", "openapi", "v3", *_]:
            resource = "/openapi/v3/{path}"
    return Call(KUBERNETES, resource, verb)
