"""One run of a deployment, and the calls on resources that it makes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from emulator.arm.activity import Deed
from emulator.arm.forwarding import provider_calls
from emulator.arm.groups import normal_location, render_group
from emulator.arm.models import ArmModel, ResourceOperation
from emulator.arm.policy import policies
from emulator.core.exceptions import injected, repeated
from emulator.core.faults import Fault
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.store import Document
from emulator.deployments.groups_and_deployments import ACTIONS, DEPLOYMENTS, RESOURCE_GROUPS, identify, kind_of
from emulator.deployments.journal_entries import journaled
from emulator.deployments.language.scope import Scope
from emulator.deployments.secure_values import Redaction
from emulator.deployments.templates.declarations import Declaration
from emulator.deployments.templates.graph import Directory, Plan
from emulator.deployments.templates.template import Template
from emulator.entra.models import Principal


@dataclass
class Run:
    """A deployment under way.

    Args:
        record: document of the deployment, for its ids; its state is read from the store.
        caller: who deploys.
        template: the checked template.
        plan: the resources to make, and their order.
        scope: the scope of the outputs.
        redaction: removes secure values from errors.
        ended: keys of resources that have ended; None if the deployment was cancelled.
        errors: errors of the resources that failed, by key.
        over: set when the run has ended.
    """

    record: Document
    caller: Principal
    template: Template
    plan: Plan
    scope: Scope
    redaction: Redaction
    ended: "asyncio.Queue[str | None]" = field(default_factory=asyncio.Queue)
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @cached_property
    def directory(self) -> Directory:
        """The resources of the template, by id and name."""
        return Directory([*self.plan.declarations.values(), *self.plan.skipped])


# Begins a nested deployment: takes the outer run, the resource of its template, and the evaluated body.
BeginNested = Callable[[Run, Declaration, dict[str, Any]], Awaitable[ResourceOperation]]


async def put_resource(
    platform: Platform, run: Run, declaration: Declaration, body: dict[str, Any], begin_nested: BeginNested
) -> ResourceOperation:
    """PUT a resource like a separate request: injected faults apply to it, and the journal has an entry for it.

    Raises:
        ServiceError: the resource's provider or an injected fault refuses the PUT.
    """
    operation = f"PUT {identify(declaration.id).type}"
    correlation_id: str = run.record["correlationId"]
    path = f"{declaration.id}?api-version={declaration.api_version}"
    fault = platform.faults.take("arm", operation, correlation_id)
    with journaled(
        platform, operation, path, caller=run.caller.name, correlation_id=correlation_id, redact=run.redaction.text
    ) as answer:
        answer.fault = fault.id if fault else ""
        answer.request = body
        await _meet(fault)
        begun = await _noted(platform.model(ArmModel), run, declaration, body, begin_nested)
        answer.status, answer.reply = begun.status_code, begun.body
    return begun


async def _noted(
    arm: ArmModel, run: Run, declaration: Declaration, body: dict[str, Any], begin_nested: BeginNested
) -> ResourceOperation:
    """Send a PUT, and record it in the activity log."""
    identifier, correlation_id = identify(declaration.id), run.record["correlationId"]
    deed = Deed(run.caller, "PUT", identifier.type, declaration.id, correlation_id, 0)
    try:
        begun = await _send(arm, run, declaration, body, begin_nested)
    except ServiceError as error:
        refused = repeated(error.status_code, {"code": error.code, "message": run.redaction.text(error.message)})
        arm.activity.add(replace(deed, status=error.status_code, error=refused))
        raise
    operation = begun.operation_id
    poll = operation if not operation or "/" in operation else f"{begun.resource_id}/operationStatuses/{operation}"
    arm.activity.add(replace(deed, status=begun.status_code, headers={"Location": poll}))
    return begun


async def _send(
    arm: ArmModel, run: Run, declaration: Declaration, body: dict[str, Any], begin_nested: BeginNested
) -> ResourceOperation:
    identifier, version = identify(declaration.id), declaration.api_version
    kind = kind_of(identifier)
    if kind == DEPLOYMENTS:
        return await begin_nested(run, declaration, body)
    if kind == RESOURCE_GROUPS:
        return _put_group(arm, run, declaration, body)
    if arm.front_door.serves(identifier):
        return await provider_calls.put(
            arm, run.caller, declaration.id, version, body, correlation_id=run.record["correlationId"]
        )
    return await arm.put_resource(run.caller, declaration.id, version, body)


def _put_group(arm: ArmModel, run: Run, declaration: Declaration, body: dict[str, Any]) -> ResourceOperation:
    identifier, kind = identify(declaration.id), ACTIONS[RESOURCE_GROUPS]
    arm.subscriptions.for_caller(identifier.subscription_id, run.caller)
    arm.authorize(run.caller, f"{kind}/write", declaration.id)
    location, tags = normal_location(str(body.get("location") or "")), body.get("tags") or {}
    policies.check(arm, policies.Write(kind, declaration.id, location, tags, indexed=False, body=body))
    document, created = arm.groups.put(identifier.subscription_id, identifier.name, body)
    return ResourceOperation(document["id"], declaration.api_version, 201 if created else 200, render_group(document))


async def _meet(fault: Fault | None) -> None:
    """Apply an injected fault to the PUT of a resource. A cut connection has no effect, as ARM itself would retry."""
    if fault is not None:
        await fault.pause()
    if fault is not None and fault.kind == "status":
        raise injected(fault.status_code, fault.code, fault.message)
