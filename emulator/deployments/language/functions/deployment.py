"""Functions that return what a deployment was given and where it runs."""

from collections.abc import Callable
from typing import Any

from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.scope import Scope
from emulator.deployments.language.values import find_key

# The parts of custom formats of utcNow that appear in templates, with their names in Python's strftime.
DATE_FORMATS = (
    ("yyyy", "%Y"),
    ("MM", "%m"),
    ("dd", "%d"),
    ("HH", "%H"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("fff", "%f"),
)


def _parameters(scope: Scope, _name: str, arguments: list[Any]) -> Any:
    if scope.parameters is None:
        raise not_here("parameters")
    key = find_key(scope.parameters, arguments[0])
    if key is None:
        raise ExpressionError(
            f"The template parameter '{arguments[0]}' is not found.", topic="arm-template/#parameters"
        )
    return scope.parameters[key]


def _variables(scope: Scope, _name: str, arguments: list[Any]) -> Any:
    if scope.variables is None:
        raise not_here("variables")
    return scope.variables.get(arguments[0], scope)


def _copy_index(scope: Scope, _name: str, arguments: list[Any]) -> int:
    loop = arguments.pop(0) if arguments and isinstance(arguments[0], str) else ""
    key = find_key(scope.loops, loop)
    if key is None:
        raise ExpressionError(
            "The template function 'copyIndex' is not expected at this location. The function can only be used in a "
            "resource with copy specified.",
            topic="arm-copy",
        )
    offset = arguments[0] if arguments else 0
    if not isinstance(offset, int) or len(arguments) > 1:
        raise failed("copyIndex", "it takes the name of a loop, an offset, or both in this order")
    return scope.loops[key] + offset


def _utc_now(scope: Scope, _name: str, arguments: list[Any]) -> str:
    if not scope.in_default:
        raise not_here("utcNow")
    moment = scope.environment.utc_now
    pattern = arguments[0] if arguments else "yyyyMMddTHHmmssZ"
    if pattern in ("u", "o"):
        return str(moment.strftime("%Y-%m-%d %H:%M:%SZ" if pattern == "u" else "%Y-%m-%dT%H:%M:%S.%f0Z"))
    if pattern == "d":
        return str(moment.strftime("%m/%d/%Y"))
    for ours, theirs in DATE_FORMATS:
        pattern = pattern.replace(ours, moment.strftime(theirs)[: len(ours)])
    return str(pattern)


def _new_guid(scope: Scope, _name: str, _arguments: list[Any]) -> str:
    if not scope.in_default:
        raise not_here("newGuid")
    return scope.environment.new_guid()


def _environment(member: str) -> Callable[[Scope, str, list[Any]], Any]:
    def answer(scope: Scope, name: str, _arguments: list[Any]) -> Any:
        found = getattr(scope.environment, member)
        if found is None:
            raise not_here(name)
        return dict(found)

    return answer


def _tenant(scope: Scope, _name: str, _arguments: list[Any]) -> dict[str, Any]:
    tenant_id = scope.environment.tenant_id
    return {"id": f"/tenants/{tenant_id}", "tenantId": tenant_id, "countryCode": "US", "displayName": tenant_id}


def not_here(function: str) -> ExpressionError:
    """Return the error for a function that cannot be used at its place."""
    return ExpressionError(
        f"The template function '{function}' is not expected at this location.",
        topic="arm-template-expressions",
    )


DEPLOYMENT = (
    Function("parameters", "string", _parameters, scoped=True),
    Function("variables", "string", _variables, scoped=True),
    Function("copyIndex", "string|int? int?", _copy_index, scoped=True),
    Function("utcNow", "string?", _utc_now, scoped=True),
    Function("newGuid", "", _new_guid, scoped=True),
    Function("resourceGroup", "", _environment("resource_group"), scoped=True),
    Function("subscription", "", _environment("subscription"), scoped=True),
    Function("deployment", "", _environment("deployment"), scoped=True),
    Function("environment", "", _environment("cloud"), scoped=True),
    Function("tenant", "", _tenant, scoped=True),
)
