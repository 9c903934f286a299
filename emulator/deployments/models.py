"""The deployments of resource groups: begins, shows, cancels and deletes them, and checks whether the caller may."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel
from emulator.arm.provider.manifest import type_name
from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.deployments import exceptions
from emulator.deployments.declarations import declare, render
from emulator.deployments.engine import Engine
from emulator.deployments.environment import environment_of
from emulator.deployments.graph import Directory, Observer, Plan, make_plan
from emulator.deployments.language.evaluation import Variables
from emulator.deployments.language.scope import Scope
from emulator.deployments.parameters import Parameter, read_given, resolve_parameters, to_external
from emulator.deployments.records import (
    ACTIVE,
    Records,
    dependencies,
    deployment_id,
    providers,
    template_hash,
)
from emulator.deployments.requests import Request, read_properties
from emulator.deployments.runs import Run
from emulator.deployments.sealing import Redaction, SealedParameters
from emulator.deployments.template import Template, read_template
from emulator.entra.models import Principal

# Azure gives up a deployment that hangs after a week.
EXPIRES = timedelta(days=7)


@dataclass(frozen=True)
class Prepared:
    """A deployment that has been checked and can begin."""

    record: Document
    template: Template
    parameters: Mapping[str, Parameter]
    plan: Plan
    scope: Scope


class DeploymentsModel:
    """Deployments to resource groups, in mode Incremental."""

    def __init__(self, platform: Platform, arm: ArmModel) -> None:
        self._clock = platform.clock
        self._arm = arm
        self._records = Records(platform)
        self._sealed = SealedParameters(platform)
        self._engine = Engine(platform, arm, self._records, self._sealed)
        arm.on_start(self.resume)

    @property
    def arm(self) -> ArmModel:
        """The model that knows callers, groups and resources."""
        return self._arm

    def now(self) -> str:
        """Return the current time in the format of answers."""
        return rfc3339(self._clock.now())

    # What callers ask for

    def put(self, request: Request) -> tuple[Document, bool]:
        """Begin a deployment; return it, and whether its name is new.

        Raises:
            ServiceError: 400 for a bad template or bad parameters; 403 if the caller may not deploy, or may not write
                one of the resources; 404 for the group; 409 `DeploymentActive` if one with this name runs.
        """
        self._authorize(request, "write")
        self._arm.groups.require_writable(request.subscription_id, request.group)
        existing = self._find(request.subscription_id, request.group, request.name)
        if existing is not None and existing["provisioningState"] in ACTIVE:
            until = datetime.fromisoformat(existing["startTime"]) + EXPIRES
            raise exceptions.deployment_active(request.name, existing["startTime"], rfc3339(until))
        prepared = self._prepare(request)
        record = prepared.record
        if existing is not None:
            self._records.delete(existing, operations_only=True)
        secure = {name: item.value for name, item in prepared.parameters.items() if item.secure}
        self._sealed.put(record, secure)
        self._records.put(record)
        redaction = Redaction(secure)
        self._engine.begin(Run(record, request.caller, prepared.template, prepared.plan, prepared.scope, redaction))
        return record, existing is None

    def validate(self, request: Request) -> Document:
        """Return the deployment that a request would begin, without beginning it.

        Raises:
            ServiceError: as `put`, except for `DeploymentActive`.
        """
        self._authorize(request, "validate/action")
        self._arm.groups.require_writable(request.subscription_id, request.group)
        prepared = self._prepare(request)
        made = [{"id": declaration.id} for declaration in prepared.plan.declarations.values()]
        return prepared.record | {"provisioningState": "Succeeded", "validatedResources": made}

    def get(self, caller: Principal, subscription_id: str, group: str, name: str, action: str = "read") -> Document:
        """Return a deployment.

        Args:
            caller: who asks.
            subscription_id: subscription of the group.
            group: name of the resource group.
            name: name of the deployment.
            action: the action on `Microsoft.Resources/deployments` that the caller needs.

        Raises:
            ServiceError: 403, or 404 for the group or the deployment.
        """
        self._enter(caller, subscription_id, group, name, action)
        record = self._find(subscription_id, group, name)
        if record is None:
            raise exceptions.deployment_not_found(name)
        return record

    def list(self, caller: Principal, subscription_id: str, group: str) -> Sequence[Document]:
        """Return the deployments of a group, the newest first.

        Args:
            caller: who asks.
            subscription_id: subscription of the group.
            group: name of the resource group.
        """
        self._enter(caller, subscription_id, group, "", "read")
        found = self._records.scan(deployment_id(subscription_id, group, ""))
        kept = [record for record in found if self._belongs(record)]
        return sorted(kept, key=lambda record: str(record["startTime"]), reverse=True)

    def delete(self, caller: Principal, subscription_id: str, group: str, name: str) -> bool:
        """Delete a deployment and its operations, not its resources; tell whether it existed.

        Args:
            caller: who asks.
            subscription_id: subscription of the group.
            group: name of the resource group.
            name: name of the deployment.

        Raises:
            ServiceError: 409 while it runs.
        """
        self._enter(caller, subscription_id, group, name, "delete")
        record = self._find(subscription_id, group, name)
        if record is None:
            return False
        if record["provisioningState"] in ACTIVE:
            raise exceptions.cannot_be_deleted(name)
        self._records.delete(record)
        return True

    def cancel(self, caller: Principal, subscription_id: str, group: str, name: str) -> None:
        """Cancel a running deployment.

        Args:
            caller: who asks.
            subscription_id: subscription of the group.
            group: name of the resource group.
            name: name of the deployment.

        Raises:
            ServiceError: 409 if it does not run.
        """
        record = self.get(caller, subscription_id, group, name, "cancel/action")
        if record["provisioningState"] not in ACTIVE:
            raise exceptions.cannot_be_cancelled(name, record["provisioningState"])
        self._engine.cancel(record)

    def operations(self, record: Document) -> Sequence[Document]:
        """Return the operations of a deployment, in the order in which they began."""
        return self._records.operations(record)

    def operation(self, record: Document, operation_id: str) -> Document:
        """Return an operation of a deployment.

        Raises:
            ServiceError: 404.
        """
        found = self._records.operation(record, operation_id)
        if found is None:
            raise exceptions.operation_not_found(operation_id, record["name"])
        return found

    async def resume(self) -> None:
        """Resume the deployments that ran when the process last ended."""
        for record in list(self._records.scan()):
            if record["provisioningState"] in ACTIVE and self._belongs(record):
                self._resume(record)

    # Internals

    def _resume(self, record: Document) -> None:
        template = read_template(record["template"])
        secure = self._sealed.get(record)
        values = {
            name: secure[name] if name in secure else shown.get("value") for name, shown in record["parameters"].items()
        }
        plan, scope = self._plan(template, record, values)
        caller = Principal(**record["caller"])
        self._engine.begin(Run(record, caller, template, plan, scope, Redaction(secure)))

    def _prepare(self, request: Request) -> Prepared:
        """Check everything that can be checked before a deployment begins."""
        properties = read_properties(request)
        template = read_template(properties.get("template"), request.source)
        given = read_given(properties.get("parameters"))
        group = self._arm.groups.get(request.subscription_id, request.group)
        now = self.now()
        record: Document = {
            "id": deployment_id(request.subscription_id, group["name"], request.name),
            "name": request.name,
            "subscriptionId": request.subscription_id,
            "resourceGroup": group["name"],
            "groupCreated": group["created"],
            "runId": str(uuid4()),
            "caller": asdict(request.caller),
            "correlationId": request.correlation_id,
            "tags": request.body.get("tags"),
            "template": properties["template"],
            "templateHash": template_hash(template.document),
            "parameters": {},
            "provisioningState": "Accepted",
            "startTime": now,
            "timestamp": now,
        }
        parameters = resolve_parameters(template, given, environment_of(self._arm, record, self._clock.now()))
        record["parameters"] = to_external(parameters)
        values = {name: parameter.value for name, parameter in parameters.items()}
        with Redaction({name: item.value for name, item in parameters.items() if item.secure}):
            plan, scope = self._plan(template, record, values)
            self._check_resources(request.caller, plan)
            self._preflight(request.name, template, plan)
        record |= {"providers": providers(plan), "dependencies": dependencies(plan)}
        return Prepared(record, template, parameters, plan, scope)

    def _plan(self, template: Template, record: Document, values: Mapping[str, Any]) -> tuple[Plan, Scope]:
        environment = environment_of(self._arm, record, datetime.fromisoformat(record["startTime"]))
        scope = Scope(environment, parameters=values, variables=Variables(template.section("variables")))
        group_id = record["id"].partition("/providers/")[0]
        try:
            return make_plan(template, declare(template, scope, group_id), scope), scope
        except RecursionError as error:
            # The depth of values and of expressions is limited, but a chain of variables can be longer than the stack.
            raise exceptions.invalid_template("The template's variables are nested too deep.") from error

    def _check_resources(self, caller: Principal, plan: Plan) -> None:
        """Refuse unknown types and versions; then refuse, all at once, the resources that the caller may not write."""
        denied: list[ServiceError] = []
        for declaration in plan.declarations.values():
            identifier = parse_resource(declaration.id)
            location = self._arm.platform.world.location
            if self._arm.front_door.serves(identifier):
                name = type_name(identifier, declaration.api_version, location)
            else:
                name = self._arm.row(identifier, declaration.api_version, location=location).name
            try:
                self._arm.authorize(caller, f"{name}/write", declaration.id)
            except ServiceError as error:
                message = (
                    f"Authorization failed for template resource '{declaration.name}' of type '{name}'. {error.message}"
                )
                denied.append(ServiceError(error.status_code, error.code, message, target=declaration.id))
        if denied:
            raise exceptions.invalid_template_deployment(denied)

    def _preflight(self, name: str, template: Template, plan: Plan) -> None:
        """Run the preflight checks of the providers that have one; refuse the template if any of them fails."""
        observer = Observer(Directory([*plan.declarations.values(), *plan.skipped]))
        wanted: dict[str, list[tuple[str, Document]]] = {}
        for declaration in plan.declarations.values():
            row = self._arm.resource_type(declaration.type)
            if row is not None and row.preflight is not None:
                wanted.setdefault(row.name, []).append((declaration.id, render(template, declaration, observer)))
        failures: list[ServiceError] = []
        for kind, resources in wanted.items():
            preflight = self._arm.types[kind.lower()].preflight
            failures += preflight(self._arm, resources) if preflight is not None else []
        if failures:
            raise exceptions.preflight_failed(name, failures)

    def _authorize(self, request: Request, action: str) -> None:
        self._enter(request.caller, request.subscription_id, request.group, request.name, action)

    def _enter(self, caller: Principal, subscription_id: str, group: str, name: str, action: str) -> None:
        self._arm.subscriptions.for_caller(subscription_id, caller)
        scope = deployment_id(subscription_id, group, name).rstrip("/")
        self._arm.authorize(caller, f"Microsoft.Resources/deployments/{action}", scope)
        self._arm.groups.get(subscription_id, group)

    def _find(self, subscription_id: str, group: str, name: str) -> Document | None:
        record = self._records.get(deployment_id(subscription_id, group, name))
        return record if record is not None and self._belongs(record) else None

    def _belongs(self, record: Document) -> bool:
        """Tell whether a deployment's group still exists; remove the deployment if the group was deleted."""
        group = self._arm.groups.find(record["subscriptionId"], record["resourceGroup"])
        if group is not None and group["created"] == record["groupCreated"]:
            return True
        self._records.delete(record)
        self._sealed.forget(record)
        return False
