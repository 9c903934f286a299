"""What expressions can see: parameters, variables, copy indexes, facts of the deployment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol


class Runtime(Protocol):
    """Where `reference` and `list*` get their answers."""

    def reference(self, identifier: str, api_version: str | None, *, full: bool) -> Any:
        """Return a resource's properties, or `UNKNOWN`."""

    def list_action(self, name: str, identifier: str, api_version: str, body: Any) -> Any:
        """Return the answer of a resource's `list*` action, or `UNKNOWN`."""


@dataclass(frozen=True)
class Environment:
    """What a deployment knows of its surroundings.

    Args:
        subscription: as `subscription()` answers.
        resource_group: as `resourceGroup()` answers.
        deployment: as `deployment()` answers.
        tenant_id: tenant of the subscription.
        cloud: as `environment()` answers.
        utc_now: when the deployment was accepted, for `utcNow()`.
        new_guid: draws a random id, for `newGuid()`.
    """

    subscription: Mapping[str, Any]
    resource_group: Mapping[str, Any]
    deployment: Mapping[str, Any]
    tenant_id: str
    cloud: Mapping[str, Any]
    utc_now: Any
    new_guid: Callable[[], str]


class Lookup(Protocol):
    """Where variables get their values."""

    def get(self, name: str, scope: "Scope") -> Any:
        """Return the value of a variable.

        Raises:
            ExpressionError: there is none of this name, or its value needs itself.
        """


@dataclass(frozen=True)
class Scope:
    """What the functions of one expression can see.

    Args:
        environment: the deployment's surroundings.
        parameters: values by name; None where parameters cannot be used.
        variables: raw values by name; each is evaluated at its first use. None where variables cannot be used.
        loops: index of each enclosing copy loop by name; "" is the innermost.
        runtime: answers `reference` and `list*`; None where these cannot be used.
        in_default: in the default value of a parameter, the one place for `utcNow` and `newGuid`.
    """

    environment: Environment
    parameters: Mapping[str, Any] | None = None
    variables: Lookup | None = None
    loops: Mapping[str, int] = field(default_factory=dict)
    runtime: Runtime | None = None
    in_default: bool = False

    def in_loop(self, name: str, index: int) -> "Scope":
        """Return the scope of one round of a copy loop."""
        return replace(self, loops={**self.loops, name: index, "": index})
