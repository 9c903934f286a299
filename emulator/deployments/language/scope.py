"""What expressions can see: parameters, variables, copy indexes, and the deployment's surroundings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol


class Runtime(Protocol):
    """Answers `reference` and `list*`."""

    def reference(self, identifier: str, api_version: str | None, *, full: bool) -> Any:
        """Return a resource's properties, or an unknown value.

        Args:
            identifier: id of the resource, or its name in the template.
            api_version: may be None for a resource of the template.
            full: whether to return the resource instead of its properties.
        """

    def list_action(self, name: str, identifier: str, api_version: str, body: Any) -> Any:
        """Return the answer of a resource's `list*` action, or an unknown value."""


@dataclass(frozen=True)
class Environment:
    """The surroundings of a deployment."""

    subscription: Mapping[str, Any]
    resource_group: Mapping[str, Any] | None
    deployment: Mapping[str, Any]
    tenant_id: str
    cloud: Mapping[str, Any]
    utc_now: Any
    new_guid: Callable[[], str]


class Lookup(Protocol):
    """Looks up variables."""

    def get(self, name: str, scope: "Scope") -> Any:
        """Return the value of a variable.

        Raises:
            ExpressionError: there is no such variable, or its value depends on itself.
        """


@dataclass(frozen=True)
class Scope:
    """What the functions of one expression can see.

    Args:
        environment: the deployment's surroundings.
        parameters: values by name; None if parameters cannot be used.
        variables: evaluates each variable at its first use; None if variables cannot be used.
        loops: index of each enclosing copy loop by name; "" is the loop of the resource or output.
        runtime: answers `reference` and `list*`; None if these cannot be used.
        in_default: whether this is the default value of a parameter, the only place for `utcNow` and `newGuid`.
    """

    environment: Environment
    parameters: Mapping[str, Any] | None = None
    variables: Lookup | None = None
    loops: Mapping[str, int] = field(default_factory=dict)
    runtime: Runtime | None = None
    in_default: bool = False

    def in_loop(self, name: str, index: int, *, unnamed: bool) -> "Scope":
        """Return the scope of one round of a copy loop."""
        return replace(self, loops={**self.loops, name: index} | ({"": index} if unnamed else {}))
