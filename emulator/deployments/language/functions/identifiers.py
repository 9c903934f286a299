"""Functions that build resource ids from types and names."""

import uuid
from typing import Any

from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.scope import Scope

# A resource group has an id of its own form: `/subscriptions/{id}/resourceGroups/{name}`.
RESOURCE_GROUPS = "microsoft.resources/resourcegroups"


def join_id(scope: str, resource_type: str, names: list[str]) -> str:
    """Return the resource id `{scope}/providers/{namespace}/{type}/{name}/…`."""
    if resource_type.lower() == RESOURCE_GROUPS and scope:
        return f"{scope}/resourceGroups/{names[0]}"
    namespace, *types = resource_type.split("/")
    pairs = [segment for pair in zip(types, names, strict=True) for segment in pair]
    return "/".join([scope, "providers", namespace, *pairs])


def _type_and_names(function: str, words: list[str]) -> tuple[str, list[str]]:
    resource_type, *names = words
    # The documentation itself writes `Microsoft.Resources/resourceGroups/`.
    resource_type = resource_type.rstrip("/")
    wanted = resource_type.count("/")
    names = [part for name in names for part in name.split("/")] if len(names) != wanted else names
    if len(names) != wanted:
        raise failed(function, f"the type '{resource_type}' requires '{wanted}' resource name argument(s)")
    return resource_type, names


def _type_position(function: str, words: list[str]) -> int:
    position = next((position for position, word in enumerate(words) if "/" in word), None)
    if position is None:
        raise failed(function, "one of the arguments must be a fully qualified resource type, with its namespace")
    return position


def _is_guid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _resource_id(scope: Scope, name: str, words: list[Any]) -> str:
    before = words[: _type_position(name, words)]
    resource_type, names = _type_and_names(name, words[len(before) :])
    if resource_type.lower() == RESOURCE_GROUPS:
        return _subscription_resource_id(scope, name, words)
    subscription = scope.environment.subscription["subscriptionId"]
    current = scope.environment.resource_group
    group = "" if current is None else current["name"]
    if before and _is_guid(before[0]):
        subscription, *before = before
    if before:
        group, *before = before
    if before:
        raise failed(name, "before the type come at most a subscription id and the name of a resource group")
    place = f"/subscriptions/{subscription}"
    return join_id(f"{place}/resourceGroups/{group}" if group else place, resource_type, names)


def _subscription_resource_id(scope: Scope, name: str, words: list[Any]) -> str:
    before = words[: _type_position(name, words)]
    if len(before) > 1:
        raise failed(name, "before the type comes at most a subscription id")
    subscription = before[0] if before else scope.environment.subscription["subscriptionId"]
    return join_id(f"/subscriptions/{subscription}", *_type_and_names(name, words[len(before) :]))


def _tenant_resource_id(_scope: Scope, name: str, words: list[Any]) -> str:
    return join_id("", *_type_and_names(name, words))


def _extension_resource_id(_scope: Scope, name: str, words: list[Any]) -> str:
    return join_id(words[0].rstrip("/"), *_type_and_names(name, words[1:]))


IDENTIFIERS = (
    Function("resourceId", "string string string*", _resource_id, scoped=True),
    Function("subscriptionResourceId", "string string string*", _subscription_resource_id, scoped=True),
    Function("tenantResourceId", "string string string*", _tenant_resource_id, scoped=True),
    Function("extensionResourceId", "string string string string*", _extension_resource_id, scoped=True),
)
