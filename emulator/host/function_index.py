"""The host's own checks of the functions that a worker reports, and the tables in which it looks functions up.

A function that fails a check is dropped, with an error in the log. The others are served.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from emulator.host.host_config import HostConfigurationError, resolve_settings
from emulator.host.route_templates import RouteTemplate, RouteTemplateError
from emulator.host.schedules import Schedule, parse_schedule

_FUNCTION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,127}")
_BINDING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,127}|\$return")
_RESERVED_ROUTES = ("admin", "runtime")
_ALL_METHODS = frozenset({"GET", "POST", "DELETE", "HEAD", "PATCH", "PUT", "OPTIONS", "TRACE", "CONNECT"})
_AUTH_LEVELS = frozenset({"anonymous", "function", "admin"})
_BINDINGS = frozenset(
    {"httpTrigger", "http", "timerTrigger", "orchestrationTrigger", "activityTrigger", "durableClient"}
)


class FunctionRefusedError(Exception):
    """The host refuses a function; the message says why."""


@dataclass(frozen=True)
class HTTPFunction:
    """An HTTP function: its template, methods and key level."""

    name: str
    template: RouteTemplate
    methods: frozenset[str]
    auth_level: str
    clients: tuple[str, ...]


@dataclass(frozen=True)
class TimerFunction:
    """A timer function and its schedule."""

    name: str
    schedule: Schedule
    run_on_startup: bool
    use_monitor: bool
    clients: tuple[str, ...]


@dataclass(frozen=True)
class DurableFunction:
    """An orchestrator or an activity; `clients` are the parameters bound to a durable client."""

    name: str
    clients: tuple[str, ...]


@dataclass
class FunctionIndex:
    """Every function that the host serves. Durable tables are keyed by the lower-cased name."""

    http: list[HTTPFunction] = field(default_factory=list)
    timers: list[TimerFunction] = field(default_factory=list)
    orchestrators: dict[str, DurableFunction] = field(default_factory=dict)
    activities: dict[str, DurableFunction] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of all functions served."""
        triggered = [function.name for function in self.http] + [function.name for function in self.timers]
        durable = [function.name for function in (*self.orchestrators.values(), *self.activities.values())]
        return sorted(triggered + durable, key=str.lower)


def build_index(functions: list[dict[str, Any]], route_prefix: str, disabled: frozenset[str]) -> FunctionIndex:
    """Check the functions that the worker reported, and put each into its table."""
    index = FunctionIndex()
    seen: set[str] = set()
    for function in sorted(functions, key=lambda one: str(one["name"]).lower()):
        name = function["name"]
        if name.lower() in disabled:
            continue
        try:
            _check_names(name, function["bindings"], seen)
            _file(index, name, function["bindings"], route_prefix)
        except (FunctionRefusedError, RouteTemplateError, HostConfigurationError, ValueError) as error:
            index.refused[name] = str(error)
            continue
        seen.add(name.lower())
    return index


def _check_names(name: str, bindings: list[dict[str, Any]], seen: set[str]) -> None:
    if not _FUNCTION_NAME.fullmatch(name) or name.lower() == "host":
        raise FunctionRefusedError(f"'{name}' is not a valid function name.")
    if name.lower() in seen:
        raise FunctionRefusedError(f"The function name '{name}' must be unique within the function app.")
    for binding in bindings:
        if not _BINDING_NAME.fullmatch(binding["name"]):
            raise FunctionRefusedError(
                f"The binding name {binding['name']} is invalid. Please assign a valid name to the binding."
            )
        if binding["type"] not in _BINDINGS:
            raise FunctionRefusedError(f"The binding type '{binding['type']}' is not available in the local host.")


def _file(index: FunctionIndex, name: str, bindings: list[dict[str, Any]], route_prefix: str) -> None:
    trigger = next(binding for binding in bindings if binding["type"].endswith("Trigger"))
    clients = tuple(binding["name"] for binding in bindings if binding["type"] == "durableClient")
    match trigger["type"]:
        case "httpTrigger":
            index.http.append(_http_function(index, name, trigger, clients, route_prefix))
        case "timerTrigger":
            schedule = parse_schedule(resolve_settings(str(trigger["schedule"])))
            index.timers.append(
                TimerFunction(
                    name=name,
                    schedule=schedule,
                    run_on_startup=bool(trigger.get("runOnStartup")),
                    use_monitor=trigger.get("useMonitor") is not False and schedule.is_monitored,
                    clients=clients,
                )
            )
        case "orchestrationTrigger":
            index.orchestrators[str(trigger.get("orchestration") or name).lower()] = DurableFunction(name, clients)
        case _:
            index.activities[str(trigger.get("activity") or name).lower()] = DurableFunction(name, clients)


def _http_function(
    index: FunctionIndex, name: str, trigger: dict[str, Any], clients: tuple[str, ...], route_prefix: str
) -> HTTPFunction:
    route = str(trigger.get("route") or name)
    if route.strip("/").lower().startswith(_RESERVED_ROUTES):
        raise FunctionRefusedError("The specified route conflicts with one or more built in routes.")
    auth_level = str(trigger.get("authLevel") or "function").lower()
    if auth_level not in _AUTH_LEVELS:
        raise FunctionRefusedError(f"'{auth_level}' is not an authorization level.")
    methods = frozenset(str(method).upper() for method in trigger.get("methods") or ()) or _ALL_METHODS
    template = RouteTemplate("/".join(part for part in (route_prefix, route.strip("/")) if part))
    for other in index.http:
        if other.template.shape == template.shape and other.methods & methods:
            raise FunctionRefusedError(
                f"The route specified conflicts with the route defined by function '{other.name}'."
            )
    return HTTPFunction(name=name, template=template, methods=methods, auth_level=auth_level, clients=clients)
