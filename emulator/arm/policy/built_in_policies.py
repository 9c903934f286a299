"""Built-in policy definitions, with Azure's public ids, names, parameters and rules.

Source: Azure/azure-policy, built-in-policies/policyDefinitions.
"""

from emulator.json_object import Json

PREFIX = "/providers/Microsoft.Authorization/policyDefinitions/"
GROUP = "Microsoft.Resources/subscriptions/resourceGroups"
_LACKS_TAG = {"field": "[concat('tags[', parameters('tagName'), ']')]", "exists": "false"}


def _required_tag(name: str, mode: str, condition: Json) -> Json:
    return {
        "displayName": name,
        "policyType": "BuiltIn",
        "mode": mode,
        "description": name,
        "metadata": {"version": "1.0.0", "category": "Tags"},
        "parameters": {"tagName": {"type": "String", "metadata": {"displayName": "Tag Name"}}},
        "policyRule": {"if": condition, "then": {"effect": "deny"}},
    }


BUILT_IN: dict[str, Json] = {
    "871b6d14-10aa-478d-b590-94f262ecfa99": _required_tag("Require a tag on resources", "Indexed", _LACKS_TAG),
    "96670d01-0a4d-4649-9c89-2d3abc0a5025": _required_tag(
        "Require a tag on resource groups", "All", {"allOf": [{"field": "type", "equals": GROUP}, _LACKS_TAG]}
    ),
}
