"""A deployment template as a document: checks its members and their types, before any evaluation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emulator.deployments.exceptions import INVALID_CONTENT, INVALID_TEMPLATE, NOT_SUPPORTED
from emulator.deployments.language.values import Unknown, type_name

# Schemas of templates for resource groups and for subscriptions. ARM does not compare the schema with the scope; many
# templates for subscriptions contain nested ones with the schema for groups, and work.
# Source: Azure/deployment-stacks issue 33.
SCHEMA = re.compile(
    r"https?://schema\.management\.azure\.com/schemas/"
    r"((2014-04-01-preview|2015-01-01|2018-05-01|2019-04-01)/deploymentTemplate"
    r"|2018-05-01/subscriptionDeploymentTemplate)\.json#?",
    re.IGNORECASE,
)

ANY = (str, int, bool, float, list, dict, type(None))

# Members by kind of object, with the JSON types that each member may have.
MEMBERS: dict[str, dict[str, tuple[type, ...]]] = {
    "Template": {
        "$schema": (str,),
        "contentVersion": (str,),
        "apiProfile": (str,),
        "languageVersion": (str,),
        "definitions": (dict,),
        "functions": (list,),
        "metadata": ANY,
        "parameters": (dict,),
        "variables": (dict,),
        "resources": (list, dict),
        "outputs": (dict,),
    },
    "TemplateInputParameter": {
        "type": (str,),
        "defaultValue": ANY,
        "allowedValues": (list,),
        "minValue": (int,),
        "maxValue": (int,),
        "minLength": (int,),
        "maxLength": (int,),
        "metadata": ANY,
    },
    "TemplateOutputParameter": {
        "type": (str,),
        "value": ANY,
        "condition": (bool, str),
        "copy": (dict,),
        "metadata": ANY,
    },
    "TemplateResource": {
        "name": (str,),
        "type": (str,),
        "apiVersion": (str,),
        "location": (str,),
        "comments": (str,),
        "metadata": ANY,
        "dependsOn": (list,),
        "condition": (bool, str),
        "copy": (dict,),
        "scope": (str,),
        "resources": (list,),
        "tags": (dict, str),
        "sku": (dict, str),
        "kind": (str,),
        "plan": (dict, str),
        "identity": (dict, str),
        "zones": (list, str),
        "managedBy": (str,),
        "extendedLocation": (dict, str),
        "properties": (dict, str),
        "resourceGroup": (str,),
        "subscriptionId": (str,),
    },
    "TemplateResourceCopy": {
        "name": (str,),
        "count": (int, str),
    },
}


@dataclass(frozen=True)
class Template:
    """A template."""

    document: Mapping[str, Any]

    def section(self, name: str) -> Mapping[str, Any]:
        """Return `parameters`, `variables` or `outputs`, or {} if it is absent."""
        section: Mapping[str, Any] = self.document.get(name) or {}
        return section

    @property
    def resources(self) -> list[dict[str, Any]]:
        """The resources as written."""
        return list(self.document.get("resources") or [])


def read_template(document: Any) -> Template:
    """Check the structure of a template.

    Raises:
        ServiceError: 400 `InvalidRequestContent` for a member that is unknown or has a wrong type, `InvalidTemplate`
            for a missing or wrong value, `NotSupportedByLocalAzure` for parts of the language that are not emulated.
    """
    _check_members(document, "Template")
    document = _present(document)
    template = Template(document)
    for name in ("$schema", "contentVersion", "resources"):
        if document.get(name) is None:
            raise INVALID_TEMPLATE(f"The template property '{name}' is missing.")
    if not SCHEMA.fullmatch(document["$schema"]):
        raise NOT_SUPPORTED(f"templates with the schema '{document['$schema']}'")
    _refuse_absent_language(document)
    _check_section(template, "parameters", "TemplateInputParameter")
    _check_section(template, "outputs", "TemplateOutputParameter")
    for resource in template.resources:
        _check_resource(resource)
    return template


def _refuse_absent_language(document: Mapping[str, Any]) -> None:
    for name, what in (
        ("functions", "user-defined functions in templates"),
        ("definitions", "type definitions in templates"),
        ("languageVersion", "language version 2.0 (symbolic names) in templates"),
        ("apiProfile", "API profiles in templates"),
    ):
        if document.get(name) and not (name == "languageVersion" and document[name] == "1.0"):
            raise NOT_SUPPORTED(what)
    if isinstance(document["resources"], dict):
        raise NOT_SUPPORTED("symbolic names (resources as an object) in templates")


def _check_section(template: Template, section: str, kind: str) -> None:
    for name, definition in template.section(section).items():
        _check_members(definition, kind)
        if "type" not in definition:
            raise INVALID_TEMPLATE(
                f"The template {section.removesuffix('s')} '{name}' has no type. "
                f"Please see https://aka.ms/arm-syntax#{section} for usage details."
            )
        if section == "outputs" and not {"value", "copy"} & definition.keys():
            raise INVALID_TEMPLATE(
                f"The template output '{name}' is not valid. The value property cannot be null or empty. "
                "Please see https://aka.ms/arm-template/#outputs for usage details."
            )


def _check_resource(resource: Any) -> None:
    _check_members(resource, "TemplateResource")
    for name in ("type", "name", "apiVersion"):
        if not resource.get(name):
            raise INVALID_TEMPLATE(
                f"The template resource '{resource.get('name') or ''}' is not valid. The {name} property cannot be null "
                "or empty. Please see https://aka.ms/arm-template/#resources for usage details."
            )
    if "copy" in resource:
        _check_members(resource["copy"], "TemplateResourceCopy")
        missing = next((name for name in ("name", "count") if resource["copy"].get(name) in (None, "")), None)
        if missing:
            raise INVALID_TEMPLATE(f"The template copy definition has no '{missing}'.")
    for child in resource.get("resources") or []:
        if "copy" in resource:
            raise NOT_SUPPORTED("copy loops on resources that have child resources")
        _check_resource(child)


def _present(document: dict[str, Any]) -> dict[str, Any]:
    """Return a template without members that are null, which ARM regards as absent; nulls inside values stay."""
    template: dict[str, Any] = _without_null(document)
    for section in ("parameters", "outputs"):
        if section in template:
            template[section] = {name: _without_null(item) for name, item in template[section].items()}
    if isinstance(template.get("resources"), list):
        template["resources"] = [_present_resource(item) for item in template["resources"]]
    return template


def _present_resource(resource: Any) -> Any:
    found = _without_null(resource)
    if isinstance(found, dict) and isinstance(found.get("resources"), list):
        found["resources"] = [_present_resource(child) for child in found["resources"]]
    return found


def _without_null(item: Any) -> Any:
    return {name: value for name, value in item.items() if value is not None} if isinstance(item, dict) else item


def _check_members(value: Any, kind: str) -> None:
    if not isinstance(value, dict):
        raise INVALID_CONTENT(f"A value of type '{type_name(value)}' stands where '{kind}' belongs.")
    members = MEMBERS[kind]
    for name, item in value.items():
        if name not in members:
            raise INVALID_CONTENT(f"Could not find member '{name}' on object of type '{kind}'.")
        if type(item) not in members[name] and item is not None and not isinstance(item, Unknown):
            raise INVALID_CONTENT(
                f"Error converting a value of type '{type_name(item)}' to what member '{name}' of '{kind}' is."
            )
