"""One run of a deployment, and the calls on resources that it makes."""

import asyncio
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from emulator.arm.ids import parse_resource
from emulator.arm.models import ArmModel, ResourceOperation
from emulator.arm.provider import provided
from emulator.core.clock import rfc3339
from emulator.core.errors import ServiceError
from emulator.core.faults import Fault
from emulator.core.journal import Entry
from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.deployments.declarations import Declaration
from emulator.deployments.graph import Directory, Plan
from emulator.deployments.language.scope import Scope
from emulator.deployments.sealing import Redaction
from emulator.deployments.template import Template
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
    """

    record: Document
    caller: Principal
    template: Template
    plan: Plan
    scope: Scope
    redaction: Redaction
    ended: "asyncio.Queue[str | None]" = field(default_factory=asyncio.Queue)
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def directory(self) -> Directory:
        """The resources of the template, by id and name."""
        return Directory([*self.plan.declarations.values(), *self.plan.skipped])


async def put_resource(
    platform: Platform, run: Run, declaration: Declaration, body: dict[str, Any]
) -> ResourceOperation:
    """PUT a resource like a separate request: injected faults apply to it, and the journal has an entry for it.

    Args:
        platform: has the faults, the journal and the resources.
        run: the run of the deployment.
        declaration: the resource.
        body: the evaluated body.

    Raises:
        ServiceError: the resource's provider or an injected fault refuses the PUT.
    """
    operation = f"PUT {parse_resource(declaration.id).type}"
    began = platform.clock.now()
    fault = platform.faults.take("arm", operation, run.record["correlationId"])
    status, code, message = 0, "", ""
    try:
        await _meet(fault)
        arm = platform.model(ArmModel)
        identifier, version = declaration.id, declaration.api_version
        if arm.front_door.serves(parse_resource(identifier)):
            begun = await provided.put(
                arm, run.caller, identifier, version, body, correlation_id=run.record["correlationId"]
            )
        else:
            begun = await arm.put_resource(run.caller, identifier, version, body)
        status = begun.status_code
    except ServiceError as error:
        status, code, message = error.status_code, error.code, run.redaction.text(error.message)
        raise
    finally:
        platform.journal.add(
            Entry(
                time=rfc3339(began),
                service="arm",
                operation=operation,
                method="PUT",
                path=f"{declaration.id}?api-version={declaration.api_version}",
                status=status,
                caller=run.caller.name,
                correlation_id=run.record["correlationId"],
                fault=fault.id if fault else "",
                seconds=round((platform.clock.now() - began).total_seconds(), 6),
                error=code,
                message=message,
            )
        )
    return begun


async def _meet(fault: Fault | None) -> None:
    """Apply an injected fault to the PUT of a resource. A cut connection has no effect, as ARM itself would retry."""
    if fault is not None and fault.kind == "delay":
        await asyncio.sleep(fault.delay_seconds)
    if fault is not None and fault.kind == "status":
        raise ServiceError(fault.status_code, fault.code or "ServiceUnavailable", fault.message)
