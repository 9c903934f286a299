"""A request read, its template resolved and planned, and its nested templates with it: all that precedes a run."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from emulator.arm.groups import group_key
from emulator.arm.models import ArmModel
from emulator.core.clock import rfc3339
from emulator.core.store import Document
from emulator.deployments import exceptions
from emulator.deployments.groups_and_deployments import RESOURCE_GROUPS, identify, kind_of
from emulator.deployments.language.evaluation import Variables
from emulator.deployments.language.expression_error import UndeterminedError
from emulator.deployments.language.scope import Scope
from emulator.deployments.records import dependencies, deployment_id, providers, template_hash
from emulator.deployments.requests import Request, read_location, read_properties
from emulator.deployments.secure_values import Redaction
from emulator.deployments.templates.declarations import Declaration, declare, render
from emulator.deployments.templates.environment import environment_of
from emulator.deployments.templates.graph import Directory, Observer, Plan, make_plan
from emulator.deployments.templates.parameters import Parameter, read_given, resolve_parameters, to_external
from emulator.deployments.templates.template import Template, read_template

# By lower-case id, the groups that the templates of one request will make, as GET will answer them.
Planned = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Prepared:
    """A deployment that can begin."""

    record: Document
    request: Request
    template: Template
    parameters: Mapping[str, Parameter]
    plan: Plan
    scope: Scope
    nested: Mapping[str, "Prepared"]

    @property
    def secrets(self) -> tuple[Any, ...]:
        """The secure values of this template and of those around it."""
        return (*self.request.secrets, *(item.value for item in self.parameters.values() if item.secure))

    def with_nested(self) -> Iterator["Prepared"]:
        """Yield this deployment and all that are nested in it."""
        yield self
        for inner in self.nested.values():
            yield from inner.with_nested()

    def observer(self) -> Observer:
        """Return a runtime for evaluating bodies before the deployment runs."""
        return Observer(Directory([*self.plan.declarations.values(), *self.plan.skipped]))


def prepare(arm: ArmModel, request: Request, planned: Planned | None = None) -> Prepared:
    """Read a request and plan its deployment.

    Raises:
        ServiceError: 400 for what is wrong with the request, a template or a parameter; 404 for a group.
        UndeterminedError: the resources of a nested template are not known yet.
    """
    planned = {} if planned is None else planned
    properties = read_properties(request)
    template = read_template(properties.get("template"))
    given = read_given(properties.get("parameters"))
    record = _record(arm, request, template, planned)
    environment = environment_of(arm, record, arm.clock.now(), planned)
    parameters = resolve_parameters(template, given, environment)
    hidden = Redaction(request.secrets)
    record |= {"parameters": hidden.json(to_external(parameters)), "template": hidden.json(properties["template"])}
    values = {name: parameter.value for name, parameter in parameters.items()}
    prepared: Prepared
    with Redaction([*request.secrets, *(item.value for item in parameters.values() if item.secure)]):
        plan, scope = plan_of(arm, template, record, values, planned)
        prepared = Prepared(record, request, template, parameters, plan, scope, {})
        prepared = replace(prepared, nested=_expand(arm, prepared, planned))
    record |= {"providers": providers(plan), "dependencies": dependencies(plan)}
    return prepared


def plan_of(
    arm: ArmModel,
    template: Template,
    record: Document,
    values: Mapping[str, Any],
    planned: Planned | None = None,
) -> tuple[Plan, Scope]:
    """Return the plan of a deployment, and the scope of its outputs.

    Raises:
        ServiceError: 400 `InvalidTemplate`.
    """
    environment = environment_of(arm, record, datetime.fromisoformat(record["startTime"]), planned)
    variables = Variables(template.section("variables"))
    scope = Scope(environment, parameters=values, variables=variables)
    try:
        if problem := variables.check(scope):
            raise exceptions.INVALID_VARIABLE(name=problem[0], reason=problem[1])
        return make_plan(template, declare(template, scope, record["id"].partition("/providers/")[0])), scope
    except RecursionError as error:
        # The depth of values and of expressions is limited, but a chain of variables can be longer than the stack.
        raise exceptions.INVALID_TEMPLATE("The template's variables are nested too deep.") from error


def nested_request(outer: Request, declaration: Declaration, body: dict[str, Any]) -> Request:
    """Return the request for a nested deployment, whose secrets are still those of the outer one."""
    identifier = identify(declaration.id)
    return replace(
        outer,
        subscription_id=identifier.subscription_id,
        group=identifier.resource_group,
        name=declaration.name,
        body=body,
    )


def _record(arm: ArmModel, request: Request, template: Template, planned: Planned) -> Document:
    group: Mapping[str, Any] = {"name": "", "created": ""}
    if request.group:
        found = arm.groups.find(request.subscription_id, request.group)
        known = found or planned.get(group_key(request.subscription_id, request.group))
        if known is None:
            raise exceptions.RESOURCE_GROUP_NOT_FOUND(request.group)
        group = known
    now = rfc3339(arm.clock.now())
    return {
        "id": deployment_id(request.subscription_id, group["name"], request.name),
        "name": request.name,
        "subscriptionId": request.subscription_id,
        "resourceGroup": group["name"],
        "groupCreated": group.get("created", ""),
        "location": read_location(request),
        "runId": str(uuid4()),
        "parentRunId": request.parent_run_id,
        "caller": asdict(request.caller),
        "correlationId": request.correlation_id,
        "tags": request.body.get("tags"),
        "template": template.document,
        "templateHash": template_hash(template.document),
        "parameters": {},
        "provisioningState": "Accepted",
        "startTime": now,
        "timestamp": now,
    }


def _expand(arm: ArmModel, prepared: Prepared, planned: Planned) -> dict[str, Prepared]:
    """Prepare the nested deployments; those to subscriptions first, because they may make the others' groups."""
    observer = prepared.observer()
    bodies = {
        declaration.key: render(declaration, observer)
        for declaration in prepared.plan.declarations.values()
        if declaration.nested or kind_of(identify(declaration.id)) == RESOURCE_GROUPS
    }
    made = [prepared.plan.declarations[key] for key in bodies]
    for declaration in made:
        if not declaration.nested:
            planned[declaration.key] = bodies[declaration.key] | {
                "id": declaration.id,
                "name": declaration.name,
                "type": RESOURCE_GROUPS,
                "properties": {"provisioningState": "Succeeded"},
            }
    outer = replace(prepared.request, secrets=prepared.secrets)
    found: dict[str, Prepared] = {}
    nested = [declaration for declaration in made if declaration.nested]
    for declaration in sorted(nested, key=lambda item: bool(identify(item.id).resource_group)):
        inner = nested_request(outer, declaration, bodies[declaration.key])
        if arm.subscriptions.get(inner.subscription_id)["tenantId"] != inner.caller.tenant_id:
            raise exceptions.CROSS_TENANT(subscription_id=inner.subscription_id, tenant_id=inner.caller.tenant_id)
        try:
            found[declaration.key] = prepare(arm, inner, planned)
        except UndeterminedError:
            # As in Azure, what such a deployment makes is checked when its turn comes.
            continue
    return {declaration.key: found[declaration.key] for declaration in nested if declaration.key in found}
