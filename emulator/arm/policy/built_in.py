"""Built-in policy definitions, with Azure's public ids, names, parameters and rules.

Source: Azure/azure-policy, built-in-policies/policyDefinitions.
"""

from typing import Any

Json = dict[str, Any]

PREFIX = "/providers/Microsoft.Authorization/policyDefinitions/"
GROUP = "Microsoft.Resources/subscriptions/resourceGroups"
_TAG_FIELD = "[concat('tags[', parameters('tagName'), ']')]"
_IS_GROUP = {"field": "type", "equals": GROUP}
_TAG = {"tagName": {"type": "String", "metadata": {"displayName": "Tag Name"}}}
_VALUE = {"tagValue": {"type": "String", "metadata": {"displayName": "Tag Value"}}}
_LOCATIONS = {"listOfAllowedLocations": {"type": "Array", "metadata": {"strongType": "location"}}}
_LACKS_TAG = {"field": _TAG_FIELD, "exists": "false"}
_OTHER_VALUE = {"not": {"field": _TAG_FIELD, "equals": "[parameters('tagValue')]"}}
_DENY = {"effect": "deny"}


def _definition(name: str, category: str, mode: str, parameters: Json, rule: tuple[Json, Json]) -> Json:
    return {
        "displayName": name,
        "policyType": "BuiltIn",
        "mode": mode,
        "description": name,
        "metadata": {"version": "1.0.0", "category": category},
        "parameters": parameters,
        "policyRule": {"if": rule[0], "then": rule[1]},
    }


BUILT_IN: dict[str, Json] = {
    "871b6d14-10aa-478d-b590-94f262ecfa99": _definition(
        "Require a tag on resources", "Tags", "Indexed", _TAG, (_LACKS_TAG, _DENY)
    ),
    "96670d01-0a4d-4649-9c89-2d3abc0a5025": _definition(
        "Require a tag on resource groups", "Tags", "All", _TAG, ({"allOf": [_IS_GROUP, _LACKS_TAG]}, _DENY)
    ),
    "1e30110a-5ceb-460c-a204-c1c3969c6d62": _definition(
        "Require a tag and its value on resources", "Tags", "Indexed", _TAG | _VALUE, (_OTHER_VALUE, _DENY)
    ),
    "8ce3da23-7156-49e4-b145-24f95f9dcb46": _definition(
        "Require a tag and its value on resource groups",
        "Tags",
        "All",
        _TAG | _VALUE,
        ({"allOf": [_IS_GROUP, _OTHER_VALUE]}, _DENY),
    ),
    "e56962a6-4747-49cd-b67b-bf8b01975c4c": _definition(
        "Allowed locations",
        "General",
        "Indexed",
        _LOCATIONS,
        (
            {
                "allOf": [
                    {"field": "location", "notIn": "[parameters('listOfAllowedLocations')]"},
                    {"field": "location", "notEquals": "global"},
                    {"field": "type", "notEquals": "Microsoft.AzureActiveDirectory/b2cDirectories"},
                ]
            },
            _DENY,
        ),
    ),
    "e765b5de-1225-4ba3-bd56-1ac6695af988": _definition(
        "Allowed locations for resource groups",
        "General",
        "All",
        _LOCATIONS,
        ({"allOf": [_IS_GROUP, {"field": "location", "notIn": "[parameters('listOfAllowedLocations')]"}]}, _DENY),
    ),
    "6c112d4e-5bc7-47ae-a041-ea2d9dccd749": _definition(
        "Not allowed resource types",
        "General",
        "All",
        {
            "listOfResourceTypesNotAllowed": {"type": "Array", "metadata": {"strongType": "resourceTypes"}},
            "effect": {"type": "String", "allowedValues": ["Audit", "Deny", "Disabled"], "defaultValue": "Deny"},
        },
        (
            {
                "allOf": [
                    {"field": "type", "in": "[parameters('listOfResourceTypesNotAllowed')]"},
                    {"value": "[field('type')]", "exists": True},
                ]
            },
            {"effect": "[parameters('effect')]"},
        ),
    ),
    "a08ec900-254a-4555-9bf5-e42af04b5c5c": _definition(
        "Allowed resource types",
        "General",
        "Indexed",
        {"listOfResourceTypesAllowed": {"type": "Array", "metadata": {"strongType": "resourceTypes"}}},
        ({"not": {"field": "type", "in": "[parameters('listOfResourceTypesAllowed')]"}}, _DENY),
    ),
}
