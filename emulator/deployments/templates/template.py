"""A deployment template as a document: checks its members and their types, before any evaluation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emulator.core.errors import ServiceError
from emulator.deployments.exceptions import (
    NOT_SUPPORTED,
    invalid_content,
    invalid_template,
    schema_not_supported,
    too_many,
)
from emulator.deployments.language.values import Unknown, type_name
from emulator.deployments.positions import Path, Position, locate

# Schemas of templates for resource groups and for subscriptions. ARM does not compare the schema with the scope; many
# templates for subscriptions contain nested ones with the schema for groups, and work.
# Source: Azure/deployment-stacks issue 33.
SCHEMA = re.compile(
    r"https?://schema\.management\.azure\.com/schemas/"
    r"((2014-04-01-preview|2015-01-01|2018-05-01|2019-04-01)/deploymentTemplate"
    r"|2018-05-01/subscriptionDeploymentTemplate)\.json#?",
    re.IGNORECASE,
)
_HIGHER = re.compile(r"/2019-08-01/(managementGroup|tenant)DeploymentTemplate\.json", re.IGNORECASE)
CONTENT_VERSION = re.compile(r"\d+\.\d+\.\d+\.\d+")

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
        "mode": (str,),
        "batchSize": (int, str),
    },
}

# Members that Azure has and the local Azure lacks: those of language version 2.0, and of extensions.
ABSENT: dict[str, frozenset[str]] = {
    "Template": frozenset({"extensions", "imports", "asserts"}),
    "TemplateInputParameter": frozenset(
        {"$ref", "additionalProperties", "discriminator", "items", "nullable", "prefixItems", "properties", "sealed"}
    ),
    "TemplateOutputParameter": frozenset(
        {"$ref", "additionalProperties", "discriminator", "items", "nullable", "prefixItems", "properties", "sealed"}
    ),
    "TemplateResource": frozenset(
        {"asserts", "eTag", "existing", "extension", "import", "managedByExtended", "scopes"}
    ),
}
# How many of each section a template can have, and what ARM's message calls them.
# Source: https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#template-limits
LIMITS = {
    "parameters": ("template parameters", 256),
    "variables": ("template variables", 256),
    "outputs": ("template output parameters", 64),
}

TEMPLATE_PATH: Path = ("properties", "template")


@dataclass(frozen=True)
class Template:
    """A template.

    Args:
        document: the template as JSON.
        source: text of the request, whose lines and columns messages name; "" after a restart.
        at: where the template is in the request.
    """

    document: Mapping[str, Any]
    source: str = ""
    at: Path = TEMPLATE_PATH

    def position(self, path: Path) -> Position:
        """Return the position in the request of a path in the template."""
        return locate(self.source, (*self.at, *path)) if self.source else Position()

    def violation(self, message: str, path: Path) -> ServiceError:
        """Return the error for a rule that the template breaks, with the position."""
        return invalid_template(message, self.position(path), (*self.at, *path))

    def section(self, name: str) -> Mapping[str, Any]:
        """Return `parameters`, `variables` or `outputs`, or {} if it is absent."""
        section: Mapping[str, Any] = self.document.get(name) or {}
        return section

    @property
    def resources(self) -> list[dict[str, Any]]:
        """The resources as written."""
        return list(self.document.get("resources") or [])


def read_template(document: Any, source: str = "", at: Path = TEMPLATE_PATH) -> Template:
    """Check the structure of a template.

    Args:
        document: the template as JSON.
        source: text of the request, for lines and columns.
        at: where the template is in the request.

    Raises:
        ServiceError: 400 `InvalidRequestContent` for a member that is unknown or has a wrong type, `InvalidTemplate`
            for a missing or wrong value, `NotSupportedByLocalAzure` for parts of the language that are not emulated.
    """
    if not isinstance(document, dict):
        raise invalid_content(f"The template is a value of type '{type_name(document)}', not an object.")
    _check_members(Template(document, source, at), document, "Template", ())
    document = _present(document)
    template = Template(document, source, at)
    for name in ("$schema", "contentVersion", "resources"):
        if document.get(name) is None:
            raise template.violation(f"The template property '{name}' is missing.", ())
    if _HIGHER.search(document["$schema"]):
        raise NOT_SUPPORTED("templates for management groups and tenants")
    if not SCHEMA.fullmatch(document["$schema"]):
        raise schema_not_supported(document["$schema"])
    if not CONTENT_VERSION.fullmatch(document["contentVersion"]):
        raise template.violation(
            f"The template content version '{document['contentVersion']}' is not of the form '1.0.0.0'.",
            ("contentVersion",),
        )
    _refuse_absent_language(document)
    _check_limits(template)
    _check_section(template, "parameters", "TemplateInputParameter")
    _check_section(template, "outputs", "TemplateOutputParameter")
    for index, resource in enumerate(template.resources):
        _check_resource(template, resource, ("resources", index))
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


def _check_limits(template: Template) -> None:
    for section, (what, limit) in LIMITS.items():
        if (count := len(template.section(section))) > limit:
            raise too_many(what, section, limit, count)


def _check_section(template: Template, section: str, kind: str) -> None:
    for name, definition in template.section(section).items():
        _check_members(template, definition, kind, (section, name))
        if "type" not in definition:
            raise template.violation(
                f"The template {section.removesuffix('s')} '{name}' has no type. "
                f"Please see https://aka.ms/arm-syntax#{section} for usage details.",
                (section, name),
            )
        if section == "outputs" and not {"value", "copy"} & definition.keys():
            raise template.violation(
                f"The template output '{name}' is not valid. The value property cannot be null or empty. "
                "Please see https://aka.ms/arm-template/#outputs for usage details.",
                (section, name),
            )


def _check_resource(template: Template, resource: Any, path: Path) -> None:
    _check_members(template, resource, "TemplateResource", path)
    for name in ("type", "name", "apiVersion"):
        if not resource.get(name):
            place = template.position(path)
            raise template.violation(
                f"The template resource '{resource.get('name') or ''}' at line '{place.line}' and column "
                f"'{place.column}' is not valid. The {name} property cannot be null or empty. "
                "Please see https://aka.ms/arm-template/#resources for usage details.",
                path,
            )
    if "copy" in resource:
        _check_members(template, resource["copy"], "TemplateResourceCopy", (*path, "copy"))
        missing = next((name for name in ("name", "count") if resource["copy"].get(name) in (None, "")), None)
        if missing:
            raise template.violation(f"The template copy definition has no '{missing}'.", (*path, "copy"))
    for index, child in enumerate(resource.get("resources") or []):
        if "copy" in resource:
            raise template.violation(
                "A copy loop cannot be on a resource that has child resources; define the child as a resource of its "
                "own. Please see https://aka.ms/arm-copy for usage details.",
                path,
            )
        _check_resource(template, child, (*path, "resources", index))


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


def _check_members(template: Template, value: Any, kind: str, path: Path) -> None:
    if not isinstance(value, dict):
        raise _misread(template, f"A value of type '{type_name(value)}' stands where '{kind}' belongs.", path)
    members = MEMBERS[kind]
    for name, item in value.items():
        if name in ABSENT.get(kind, ()):
            raise NOT_SUPPORTED(f"the member '{name}' of '{kind}' in templates")
        if name not in members:
            raise _misread(template, f"Could not find member '{name}' on object of type '{kind}'.", (*path, name))
        if type(item) not in members[name] and item is not None and not isinstance(item, Unknown):
            raise _misread(
                template,
                f"Error converting a value of type '{type_name(item)}' to what member '{name}' of '{kind}' is.",
                (*path, name),
            )


def _misread(template: Template, reason: str, path: Path) -> ServiceError:
    return invalid_content(reason, template.position(path), (*template.at, *path))
