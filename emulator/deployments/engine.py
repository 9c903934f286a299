"""Runs deployments: makes each resource as soon as those that it needs exist, and records every step.

A run is background work of the process. Its progress is in the store, so the process resumes it after a restart:
resources that have `Succeeded` stay as they are, and those that were under way get the same PUT again. If the resource
provider has accepted the PUT, its operation is polled further instead.
"""

import logging
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from emulator.arm.forwarding import provider_calls
from emulator.arm.models import ArmModel, ResourceOperation
from emulator.core.clock import rfc3339
from emulator.core.exceptions import CRASHED
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.store import Document
from emulator.deployments.exceptions import (
    RESOURCE_FAILED,
    deployment_failed,
    nested_failure,
)
from emulator.deployments.groups_and_deployments import identify
from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.records import ACTIVE, Records, is_child, operation_id
from emulator.deployments.runs import BeginNested, Run, put_resource
from emulator.deployments.runtime_answers import Facts
from emulator.deployments.secure_values import Sealed
from emulator.deployments.templates.declarations import Declaration, render
from emulator.deployments.templates.outputs import evaluate_output

logger = logging.getLogger(__name__)

# How long ARM itself takes, before the first resource and after the last one. These are estimates: an empty deployment
# takes a few seconds.
BEGIN_SECONDS = 2
END_SECONDS = 2


class Engine:
    """The deployments under way in this process."""

    def __init__(
        self, platform: Platform, arm: ArmModel, records: Records, sealed: Sealed, begin_nested: BeginNested
    ) -> None:
        self._platform = platform
        self._clock = platform.clock
        self._arm = arm
        self._records = records
        self._sealed = sealed
        self._begin_nested = begin_nested
        self._runs: dict[str, Run] = {}

    def begin(self, run: Run) -> None:
        """Run a deployment in the background."""
        self._runs[run.record["runId"]] = run
        self._platform.spawn(self._run(run), f"deployment {run.record['name']}")

    async def wait(self, record: Document) -> Document:
        """Wait until a deployment has ended; return its document."""
        run = self._runs.get(record["runId"])
        if run is not None:
            await run.over.wait()
        return self._records.get(record["id"]) or record

    def cancel(self, record: Document) -> None:
        """End a deployment: resources that have not begun are not made, those that have begun go on without it.

        Nested deployments that it has begun end too.
        """
        for child in self._children(record):
            if child["provisioningState"] in ACTIVE:
                self.cancel(child)
        record |= {"provisioningState": "Canceled", "timestamp": self._now()}
        self._records.put(record)
        for operation in self._records.operations(record):
            if operation["provisioningState"] in ACTIVE:
                operation |= {"provisioningState": "Canceled", "timestamp": self._now()}
                self._records.put_operation(record, operation)
        self._sealed.forget(record)
        run = self._runs.get(record["runId"])
        if run is not None:
            run.ended.put_nowait(None)

    async def _run(self, run: Run) -> None:
        try:
            if self._update(run, provisioningState="Running"):
                await self._clock.sleep(BEGIN_SECONDS)
                if await self._make_all(run):
                    await self._clock.sleep(END_SECONDS)
                    await self._finish(run)
        except Exception:
            logger.exception("deployment %s crashed", run.record["id"])
            self._update(run, provisioningState="Failed", error=CRASHED().body())
            self._sealed.forget(run.record)
        finally:
            self._runs.pop(run.record["runId"], None)
            run.over.set()

    def _children(self, record: Document) -> list[Document]:
        """Return the nested deployments that the current run of a deployment has begun."""
        keys = [operation["key"] for operation in self._records.operations(record)]
        found = [self._records.get(key) for key in keys if key]
        return [child for child in found if child is not None and is_child(child, record)]

    async def _make_all(self, run: Run) -> bool:
        """Make every resource whose needs are met, until none is left; tell whether the run is still active."""
        begun = [operation for operation in self._records.operations(run.record) if operation["key"]]
        succeeded = {operation["key"] for operation in begun if operation["provisioningState"] == "Succeeded"}
        failed = [operation for operation in begun if operation["provisioningState"] == "Failed"]
        run.errors |= {operation["key"]: operation["statusMessage"]["error"] for operation in failed}
        waiting = {
            key: set(needs) - succeeded
            for key, needs in run.plan.needs.items()
            if key not in succeeded and key not in run.errors
        }
        under_way: set[str] = set()
        while self._is_on(run):
            for key in [key for key, needs in waiting.items() if not needs]:
                del waiting[key]
                under_way.add(key)
                declaration = run.plan.declarations[key]
                self._platform.spawn(self._make(run, declaration), f"deployment {run.record['name']}: {declaration.id}")
            if not under_way:
                return True
            ended = await run.ended.get()
            if ended is None:
                return False
            under_way.discard(ended)
            if ended not in run.errors:
                for needs in waiting.values():
                    needs.discard(ended)
        return False

    async def _make(self, run: Run, declaration: Declaration) -> None:
        """Make one resource, and record how it ended."""
        try:
            await self._make_or_fail(run, declaration)
        except ServiceError as error:
            self._fail(run, declaration, error)
        except Exception:
            logger.exception("deployment %s crashed on %s", run.record["id"], declaration.id)
            self._fail(run, declaration, CRASHED())
        finally:
            run.ended.put_nowait(declaration.key)

    async def _make_or_fail(self, run: Run, declaration: Declaration) -> None:
        if not self._is_on(run):
            return
        self._note(run, declaration, provisioningState="Running")
        is_provided = not declaration.nested and self._arm.front_door.serves(identify(declaration.id))
        begun = self._begun_before(run, declaration)
        if begun is None:
            racing = run.plan.not_awaited(declaration.key)
            facts = Facts(self._arm, self._records, run.caller, run.directory, run.record, racing)
            body = await facts.evaluate(lambda runtime: render(declaration, runtime))
            begun = await put_resource(self._platform, run, declaration, body, self._begin_nested)
        status = HTTPStatus(begun.status_code).phrase.replace(" ", "")
        poll = begun.operation_id if is_provided else ""
        self._note(run, declaration, provisioningState="Running", statusCode=status, poll=poll)
        if declaration.nested:
            await self._wait_for_nested(begun)
        try:
            if is_provided:
                await provider_calls.wait(self._arm, run.caller, begun, run.record["correlationId"])
            elif not declaration.nested:
                await self._arm.wait(begun)
        except ServiceError as error:
            raise RESOURCE_FAILED(state="Failed", details=[error.body()]) from error
        # For ARM, a long operation that began with 201 or 202 ends with the 200 of its last poll.
        last = "OK" if begun.operation_id else status
        self._note(run, declaration, provisioningState="Succeeded", statusCode=last)

    async def _wait_for_nested(self, begun: ResourceOperation) -> None:
        record = self._records.get(begun.resource_id)
        ended = await self.wait(record) if record is not None else None
        if ended is not None and ended["provisioningState"] != "Succeeded":
            raise nested_failure(ended)

    def _begun_before(self, run: Run, declaration: Declaration) -> ResourceOperation | None:
        """Return the operation that an earlier process began with the resource provider, which refuses a second PUT."""
        operation = self._records.operation(run.record, operation_id(run.record, declaration.id)) or {}
        if not operation.get("poll"):
            return None
        return ResourceOperation(declaration.id, declaration.api_version, HTTPStatus.CREATED, {}, operation["poll"])

    def _fail(self, run: Run, declaration: Declaration, error: ServiceError) -> None:
        body = {"target": declaration.id} | run.redaction.error(error).body()
        run.errors[declaration.key] = body
        self._note(
            run,
            declaration,
            provisioningState="Failed",
            statusCode=HTTPStatus(error.status_code).phrase.replace(" ", ""),
            statusMessage={"status": "Failed", "error": body},
        )

    async def _finish(self, run: Run) -> None:
        """Write the result of a deployment, after all its resources have ended."""
        if run.errors:
            self._update(run, provisioningState="Failed", error=deployment_failed(list(run.errors.values())))
            self._sealed.forget(run.record)
            return
        outputs: dict[str, Any] = {}
        failures: list[dict[str, Any]] = []
        facts = Facts(self._arm, self._records, run.caller, run.directory, run.record)
        for name, definition in run.template.section("outputs").items():
            try:
                output = await facts.evaluate(
                    lambda runtime, name=name, definition=definition: evaluate_output(  # type: ignore[misc]  # mypy cannot tell a default's type
                        definition, name, run.scope, runtime
                    )
                )
            except (ServiceError, ExpressionError) as error:
                reason = error.message if isinstance(error, ServiceError) else str(error)
                message = f"The template output '{name}' is not valid: {run.redaction.text(reason)}."
                failures.append({"code": "DeploymentOutputEvaluationFailed", "target": name, "message": message})
                continue
            if output is not None:
                outputs[name] = output
        self._note_outputs(run, failures)
        if failures:
            error_body = {
                "code": "DeploymentOutputEvaluationFailed",
                "message": f"Unable to evaluate template outputs: '{','.join(item['target'] for item in failures)}'. "
                "Please see error details and deployment operations. Please see https://aka.ms/arm-debug for usage "
                "details.",
                "details": failures,
            }
            self._update(run, provisioningState="Failed", error=error_body)
        else:
            self._update(run, provisioningState="Succeeded", outputs=outputs, outputResources=self._made(run))
        self._sealed.forget(run.record)

    def _made(self, run: Run) -> list[dict[str, str]]:
        """Return the ids of all resources; those of a nested deployment in its place."""
        made: list[dict[str, str]] = []
        for declaration in run.plan.declarations.values():
            nested = self._records.get(declaration.id) if declaration.nested else None
            made += [{"id": declaration.id}] if nested is None else nested.get("outputResources", [])
        return made

    def _is_on(self, run: Run) -> bool:
        return self._current(run) is not None

    def _current(self, run: Run) -> Document | None:
        """Return the deployment's document if this run of it is still active, else None."""
        record = self._records.get(run.record["id"])
        if record is None or record["runId"] != run.record["runId"] or record["provisioningState"] not in ACTIVE:
            return None
        return record

    def _update(self, run: Run, **members: Any) -> bool:
        record = self._current(run)
        if record is None:
            return False
        self._records.put(record | members | {"timestamp": self._now()})
        return True

    def _note(self, run: Run, declaration: Declaration, **members: Any) -> None:
        """Record the progress of a resource, unless the run has ended."""
        if not self._is_on(run):
            return
        identifier = operation_id(run.record, declaration.id)
        parsed = identify(declaration.id)
        operation = self._records.operation(run.record, identifier) or {
            "operationId": identifier,
            "key": declaration.key,
            "provisioningOperation": "Create",
            "startTime": self._now(),
            "trackingId": str(uuid4()),
            "targetResource": {
                "id": declaration.id,
                "resourceType": parsed.type,
                "resourceName": parsed.full_name,
                "apiVersion": declaration.api_version,
            },
        }
        self._records.put_operation(run.record, operation | members | {"timestamp": self._now()})

    def _note_outputs(self, run: Run, failures: list[dict[str, Any]]) -> None:
        if not self._is_on(run):
            return
        operation: dict[str, Any] = {
            "operationId": operation_id(run.record, "outputs"),
            "key": "",
            "provisioningOperation": "EvaluateDeploymentOutput",
            "provisioningState": "Failed" if failures else "Succeeded",
            "startTime": self._now(),
            "timestamp": self._now(),
            "trackingId": str(uuid4()),
            "statusCode": "BadRequest" if failures else "OK",
        }
        if failures:
            operation["statusMessage"] = {"status": "Failed", "error": failures[0]}
        self._records.put_operation(run.record, operation)

    def _now(self) -> str:
        return rfc3339(self._clock.now())
