"""Where a resource of a template belongs: a resource group, a subscription, or the resource that it extends."""

from collections.abc import Mapping
from typing import Any

from emulator.deployments.exceptions import NOT_SUPPORTED
from emulator.deployments.groups_and_deployments import AT_SUBSCRIPTIONS, DEPLOYMENTS, RESOURCE_GROUPS
from emulator.deployments.language.evaluation import evaluate
from emulator.deployments.language.expression_error import ExpressionError, UndeterminedError
from emulator.deployments.language.scope import Scope
from emulator.deployments.language.values import Unknown, type_name


def text_of(resource: Mapping[str, Any], member: str, scope: Scope) -> str:
    """Return a member of a resource that must be a text.

    Raises:
        ExpressionError: it is empty or something else.
        UndeterminedError: in a nested template, it is not known yet.
    """
    value = evaluate(resource[member], scope)
    if isinstance(value, Unknown):
        raise UndeterminedError(member)
    if not isinstance(value, str) or not value:
        raise ExpressionError(f"The {member} property cannot be null or empty, nor of type '{type_name(value)}'.")
    return value


def scope_of(resource: Mapping[str, Any], resource_type: str, scope: Scope, scope_id: str) -> str:
    """Return the id of the scope that a resource belongs to: where the template deploys to, or what it names itself.

    Raises:
        ExpressionError: the type cannot be deployed there.
        ServiceError: the scope is not supported.
        UndeterminedError: in a nested template, the scope is not known yet.
    """
    kind = resource_type.lower()
    elsewhere = next((name for name in ("resourceGroup", "subscriptionId") if resource.get(name)), None)
    if kind == DEPLOYMENTS.lower():
        if resource.get("scope"):
            raise NOT_SUPPORTED("nested deployments with a `scope`; use `resourceGroup` and `subscriptionId`")
        return _target(resource, scope, scope_id)
    if elsewhere is not None:
        raise NOT_SUPPORTED(f"resources of a template in another scope (`{elsewhere}`)")
    if resource.get("scope"):
        return _extended_id(text_of(resource, "scope", scope), scope_id)
    in_group = "/resourcegroups/" in scope_id.lower()
    is_group = kind == RESOURCE_GROUPS.lower()
    if is_group if in_group else not is_group and kind.partition("/")[0] not in AT_SUBSCRIPTIONS:
        where = "resource group" if in_group else "subscription"
        raise ExpressionError(f"A resource of type '{resource_type}' cannot be deployed at {where} scope.")
    return scope_id


def _target(resource: Mapping[str, Any], scope: Scope, scope_id: str) -> str:
    """Return the id of the group or subscription that a nested deployment names; an empty name counts as absent."""
    group, subscription = (evaluate(resource.get(member), scope) for member in ("resourceGroup", "subscriptionId"))
    if isinstance(group, Unknown) or isinstance(subscription, Unknown):
        raise UndeterminedError(resource["name"])
    for member, value in (("resourceGroup", group), ("subscriptionId", subscription)):
        if value is not None and (not isinstance(value, str) or "/" in value):
            raise ExpressionError(f"The {member} property, of type '{type_name(value)}', is not a name.")
    if not group and not subscription:
        return scope_id
    place = f"/subscriptions/{subscription or scope_id.split('/')[2]}"
    return f"{place}/resourceGroups/{group}" if group else place


def _extended_id(extended: str, scope_id: str) -> str:
    """Return the id that a resource's `scope` names."""
    if extended == "/":
        raise NOT_SUPPORTED("resources of a template at tenant scope (`scope`)")
    if extended.startswith("/"):
        return extended.rstrip("/")
    # A relative scope is `{namespace}/{type}/{name}[/{type}/{name}…]`.
    return f"{scope_id}/providers/{extended}"
