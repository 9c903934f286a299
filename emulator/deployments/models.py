"""The deployments: begins, shows, cancels and deletes them, and checks whether the caller may.

A deployment belongs to a resource group, or to a subscription; the group is then "".
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from emulator.arm.models import ArmModel, ResourceOperation
from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.deployments import exceptions
from emulator.deployments.checks import check
from emulator.deployments.engine import Engine
from emulator.deployments.groups_and_deployments import DEPLOYMENTS
from emulator.deployments.preparation import Prepared, nested_request, plan_of, prepare
from emulator.deployments.records import ACTIVE, Records, deployment_id, render_deployment
from emulator.deployments.requests import Request
from emulator.deployments.runs import Run
from emulator.deployments.secure_values import Redaction, Sealed
from emulator.deployments.templates.declarations import Declaration
from emulator.deployments.templates.template import read_template
from emulator.entra.models import Principal

# Azure gives up a deployment that hangs after a week.
EXPIRES = timedelta(days=7)


class DeploymentsModel:
    """Deployments to resource groups and subscriptions, in mode Incremental."""

    def __init__(self, platform: Platform, arm: ArmModel) -> None:
        self._clock = platform.clock
        self._arm = arm
        self._records = Records(platform)
        self._sealed = Sealed(platform)
        self._engine = Engine(platform, arm, self._records, self._sealed, self._begin_nested)
        arm.on_start(self.resume)
        arm.activity.enders.append(self.ended)

    @property
    def arm(self) -> ArmModel:
        """The model that knows callers, groups and resources."""
        return self._arm

    def now(self) -> str:
        """Return the current time in the format of answers."""
        return rfc3339(self._clock.now())

    def ended(self, poll: str) -> Document | None:
        """Return when the run with a poll address ended, and its error; None if it goes on, or there is none."""
        record = self._records.get(poll.rpartition("/operationStatuses/")[0])
        if record is None or record["provisioningState"] in ACTIVE:
            return None
        return {"time": record["timestamp"], "error": record.get("error")}

    # What callers ask for

    async def put(self, request: Request) -> tuple[Document, bool]:
        """Begin a deployment; return it, and whether its name is new.

        A nested deployment that the same run has begun before is returned as it is, because a run that was interrupted
        begins it again.

        Raises:
            ServiceError: 400 for a bad template or bad parameters; 403 if the caller may not deploy, or may not write
                one of the resources; 404 for the group; 409 `DeploymentActive` if one with this name runs,
                `InvalidDeploymentLocation` if it exists elsewhere, `MissingSubscriptionRegistration` for a provider
                that the caller may not register.
        """
        self._enter_request(request, "write")
        existing = self._replaceable(request)
        if existing is not None and _is_of_same_run(existing, request):
            return existing, False
        prepared = prepare(self._arm, request)
        record = prepared.record
        if existing is not None and existing.get("location", "") != record["location"]:
            raise exceptions.LOCATION_CHANGED(
                name=request.name, wanted=record["location"], current=existing["location"]
            )
        missing = await self._check(prepared)
        # While the resource provider was asked, another request may have begun a deployment with this name.
        existing = self._replaceable(request)
        self._register(missing)
        if existing is not None:
            self._records.delete(existing, operations_only=True)
        self._sealed.put(record, _secret_content(prepared))
        self._records.put(record)
        redaction = Redaction(prepared.secrets)
        self._engine.begin(Run(record, request.caller, prepared.template, prepared.plan, prepared.scope, redaction))
        return record, existing is None

    async def wait(self, record: Document) -> Document:
        """Wait until a deployment that `put` returned has ended; return its document.

        `provisioningState` tells how it ended; `error` and `outputs` are as GET shows them.
        """
        return await self._engine.wait(record)

    async def validate(self, request: Request) -> Document:
        """Return the deployment that a request would begin, without beginning it.

        Raises:
            ServiceError: as `put`, except for `DeploymentActive`.
        """
        prepared = await self.prepared(request, "validate/action")
        made = [
            {"id": declaration.id}
            for part in prepared.with_nested()
            for declaration in part.plan.declarations.values()
            if declaration.key not in part.nested
        ]
        return prepared.record | {"provisioningState": "Succeeded", "validatedResources": made}

    async def prepared(self, request: Request, action: str) -> Prepared:
        """Return a deployment that has passed every check that precedes its run.

        Raises:
            ServiceError: as `put`, except for `DeploymentActive`.
        """
        self._enter_request(request, action)
        prepared = prepare(self._arm, request)
        await self._check(prepared)
        return prepared

    def get(self, caller: Principal, subscription_id: str, group: str, name: str, action: str = "read") -> Document:
        """Return a deployment.

        Raises:
            ServiceError: 403, or 404 for the group or the deployment.
        """
        self.enter(caller, subscription_id, group, name, action)
        record = self._find(subscription_id, group, name)
        if record is None:
            raise exceptions.DEPLOYMENT_NOT_FOUND(name)
        return record

    def list(self, caller: Principal, subscription_id: str, group: str) -> Sequence[Document]:
        """Return the deployments of a group or subscription, the newest first."""
        self.enter(caller, subscription_id, group, "", "read")
        found = self._records.scan(deployment_id(subscription_id, group, ""))
        kept = [record for record in found if self._belongs(record)]
        return sorted(kept, key=lambda record: str(record["startTime"]), reverse=True)

    def delete(self, caller: Principal, subscription_id: str, group: str, name: str) -> bool:
        """Delete a deployment and its operations, not its resources; tell whether it existed.

        Raises:
            ServiceError: 409 while it runs.
        """
        self.enter(caller, subscription_id, group, name, "delete")
        record = self._find(subscription_id, group, name)
        if record is None:
            return False
        if record["provisioningState"] in ACTIVE:
            raise exceptions.CANNOT_BE_DELETED(name)
        self._records.delete(record)
        return True

    def cancel(self, caller: Principal, subscription_id: str, group: str, name: str) -> None:
        """Cancel a running deployment.

        Raises:
            ServiceError: 409 if it does not run.
        """
        record = self.get(caller, subscription_id, group, name, "cancel/action")
        if record["provisioningState"] not in ACTIVE:
            raise exceptions.CANNOT_BE_CANCELLED(name=name, state=record["provisioningState"])
        self._engine.cancel(record)

    def operations(self, record: Document) -> Sequence[Document]:
        """Return the operations of a deployment, in the order in which they began."""
        return self._records.operations(record)

    def enter(self, caller: Principal, subscription_id: str, group: str, name: str, action: str) -> None:
        """Check that the caller may act on a deployment, and that its group exists.

        Args:
            caller: who asks.
            subscription_id: the subscription.
            group: name of the resource group, or "".
            name: name of the deployment, or "" for all.
            action: the action on `Microsoft.Resources/deployments`.

        Raises:
            ServiceError: 403, or 404 for the subscription or group.
        """
        self._arm.subscriptions.for_caller(subscription_id, caller)
        scope = deployment_id(subscription_id, group, name).rstrip("/")
        self._arm.authorize(caller, f"{DEPLOYMENTS}/{action}", scope)
        if group:
            self._arm.groups.get(subscription_id, group)

    async def resume(self) -> None:
        """Resume the deployments that ran when the process last ended."""
        for record in list(self._records.scan()):
            if record["provisioningState"] in ACTIVE and self._belongs(record):
                self._resume(record)

    # Internals

    def _resume(self, record: Document) -> None:
        shown = {name: parameter.get("value") for name, parameter in record["parameters"].items()}
        content = self._sealed.get(record) or {"template": record["template"], "values": shown, "secrets": []}
        template = read_template(content["template"])
        plan, scope = plan_of(self._arm, template, record, content["values"])
        caller = Principal(**record["caller"])
        self._engine.begin(Run(record, caller, template, plan, scope, Redaction(content["secrets"])))

    async def _begin_nested(self, run: Run, declaration: Declaration, body: dict[str, Any]) -> ResourceOperation:
        outer = Request(run.caller, "", "", "", {}, run.record["correlationId"], run.record["runId"])
        request = nested_request(replace(outer, secrets=run.redaction.values), declaration, body)
        record, created = await self.put(request)
        shown = render_deployment(record, self.now())
        status = 201 if created else 200
        return ResourceOperation(record["id"], declaration.api_version, status, shown, record["runId"])

    def _replaceable(self, request: Request) -> Document | None:
        """Return the deployment with the name of a request, unless it is another one that still runs.

        Raises:
            ServiceError: 409 `DeploymentActive`.
        """
        existing = self._find(request.subscription_id, request.group, request.name)
        if existing is None or _is_of_same_run(existing, request) or existing["provisioningState"] not in ACTIVE:
            return existing
        until = datetime.fromisoformat(existing["startTime"]) + EXPIRES
        raise exceptions.DEPLOYMENT_ACTIVE(name=request.name, since=existing["startTime"], until=rfc3339(until))

    async def _check(self, prepared: Prepared) -> set[tuple[str, str]]:
        with Redaction(prepared.secrets):
            return await check(self._arm, prepared.request.caller, prepared)

    def _register(self, missing: set[tuple[str, str]]) -> None:
        for subscription_id, namespace in missing:
            self._arm.subscriptions.register(subscription_id, namespace)
        if missing:
            self._arm.front_door.announce()

    def _enter_request(self, request: Request, action: str) -> None:
        self.enter(request.caller, request.subscription_id, request.group, request.name, action)
        if request.group:
            self._arm.groups.require_writable(request.subscription_id, request.group)

    def _find(self, subscription_id: str, group: str, name: str) -> Document | None:
        record = self._records.get(deployment_id(subscription_id, group, name))
        return record if record is not None and self._belongs(record) else None

    def _belongs(self, record: Document) -> bool:
        """Tell whether a deployment's group still exists; remove the deployment if the group was deleted."""
        if not record["resourceGroup"]:
            return True
        group = self._arm.groups.find(record["subscriptionId"], record["resourceGroup"])
        if group is not None and group["created"] == record["groupCreated"]:
            return True
        self._records.delete(record)
        self._sealed.forget(record)
        return False


def _is_of_same_run(existing: Document, request: Request) -> bool:
    """Tell whether the run that sends a request has begun the deployment before."""
    return bool(request.parent_run_id) and existing.get("parentRunId") == request.parent_run_id


def _secret_content(prepared: Prepared) -> dict[str, Any] | None:
    """Return what a deployment needs to go on after a restart, if the record cannot show it."""
    if not prepared.secrets:
        return None
    return {
        "template": prepared.template.document,
        "values": {name: parameter.value for name, parameter in prepared.parameters.items()},
        "secrets": list(prepared.secrets),
    }
