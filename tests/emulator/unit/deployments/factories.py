"""Factories for the tests of deployments: environments, scopes, templates, plans."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from emulator.deployments.language.evaluation import Variables
from emulator.deployments.language.scope import Environment, Scope
from emulator.deployments.templates.declarations import declare
from emulator.deployments.templates.graph import Plan, make_plan
from emulator.deployments.templates.parameters import resolve_parameters
from emulator.deployments.templates.template import read_template

SUBSCRIPTION = "bbbbbbbb-0000-4000-8000-000000000001"
GROUP_ID = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"


def environment() -> Environment:
    """Return the environment of a deployment `d` to the group `rg` in eastus."""
    return Environment(
        subscription={"id": f"/subscriptions/{SUBSCRIPTION}", "subscriptionId": SUBSCRIPTION},
        resource_group={"id": GROUP_ID, "name": "rg", "location": "eastus"},
        deployment={"name": "d"},
        tenant_id="aaaaaaaa-0000-4000-8000-000000000001",
        cloud={"name": "AzureCloud"},
        utc_now=datetime(2020, 6, 7, 8, 9, 10, tzinfo=UTC),
        new_guid=lambda: "00000000-0000-4000-8000-000000000000",
    )


def scope(parameters: Mapping[str, Any] | None = None, variables: Mapping[str, Any] | None = None) -> Scope:
    """Return a scope with parameters and variables, without a runtime."""
    return Scope(environment(), parameters=parameters or {}, variables=Variables(variables or {}))


def template(*resources: Mapping[str, Any], **sections: Any) -> dict[str, Any]:
    """Return a template of these resources."""
    return {"$schema": SCHEMA, "contentVersion": "1.0.0.0", **sections, "resources": list(resources)}


def resource(name: str = "a", kind: str = "Microsoft.Network/networkSecurityGroups", **members: Any) -> dict[str, Any]:
    """Return a resource of a template.

    Args:
        name: resource name, or an expression for it.
        kind: resource type.
        members: members that are added or replaced.
    """
    return {"type": kind, "name": name, "apiVersion": "2019-07-01", "location": "eastus", **members}


def plan(document: Mapping[str, Any], **given: Any) -> Plan:
    """Make the plan of a template with these parameters."""
    checked = read_template(document)
    parameters = resolve_parameters(checked, given, environment())
    inside = Scope(
        environment(),
        parameters={name: parameter.value for name, parameter in parameters.items()},
        variables=Variables(checked.section("variables")),
    )
    return make_plan(checked, declare(checked, inside, GROUP_ID))


def nested(name: str, document: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    """Return a nested deployment that evaluates its own expressions.

    Args:
        name: its name, or an expression for it.
        document: its template.
        members: members that are added; those of `properties` are merged.
    """
    options = {"expressionEvaluationOptions": {"scope": "inner"}}
    properties = {"mode": "Incremental", "template": document} | options | members.pop("properties", {})
    kind = "Microsoft.Resources/deployments"
    return {"type": kind, "apiVersion": "2021-04-01", "name": name, "properties": properties, **members}


def new_group(name: str = "made", **members: Any) -> dict[str, Any]:
    """Return a resource group as a resource of a template."""
    kind = "Microsoft.Resources/resourceGroups"
    return {"type": kind, "apiVersion": "2021-04-01", "name": name, "location": "eastus", **members}
