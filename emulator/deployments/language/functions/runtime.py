"""Functions that only a running deployment can answer: `reference`, and the `list*` actions of resources."""

from typing import Any

from emulator.deployments.language.functions.deployment import not_here
from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.scope import Scope


def _reference(scope: Scope, _name: str, arguments: list[Any]) -> Any:
    if scope.runtime is None:
        raise not_here("reference")
    identifier, api_version, full = [*arguments, None, None][:3]
    if full is not None and full.lower() != "full":
        raise failed("reference", f"the third argument is '{full}', and can only be 'Full'")
    return scope.runtime.reference(identifier, api_version, full=full is not None)


def _list(scope: Scope, name: str, arguments: list[Any]) -> Any:
    if scope.runtime is None:
        raise not_here(name)
    identifier, api_version, body = [*arguments, None][:3]
    return scope.runtime.list_action(name, identifier, api_version, body or {})


RUNTIME = (
    Function("reference", "string string? string?", _reference, scoped=True),
    # For every `list…`: calls the action with that name. Arguments: the resource, an api-version, the action's body.
    Function("list*", "string string object?", _list, scoped=True),
)
