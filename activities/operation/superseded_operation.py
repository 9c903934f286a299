"""The end of an operation that a DELETE has superseded."""

from datetime import UTC, datetime

from azure.core.exceptions import HttpResponseError

from activities.azure import deployments, resource_group
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared import durations, remedies
from shared.arm.errors import ErrorCode, Owner
from shared.arm.operation_errors import operation_error
from shared.clusters import endings
from shared.clusters.states import ProvisioningState
from shared.documents import ClusterDocument, OperationDocument
from shared.steps import StepStatus, last_progress
from shared.store import NotFound, get_store, unreadable_documents

# A request sent before the fence moved may still take effect for as long as its sender would have waited.
_IN_FLIGHT = durations.ARM_CONNECTION + durations.ARM_READ


def _cancel_superseded(step: Step) -> Outcome | None:
    """End the superseded operation as `Canceled`, wait for what it has in flight, then cancel its deployments.

    The fence has moved, so the old operation begins nothing more. But a request that it sent before could still make
    something after the delete has looked for it. A call records that it is about to change something, and when it is
    over; a call that died is waited for as long as a request may take. Steps between two calls are not waited for:
    their next call finds the fence moved. A second run finds the operation ended, and what still runs. When nothing
    runs any more, the cluster's document drops the operation.
    """
    operation_id = step.document.get("supersededOperationId")
    if not operation_id:
        return None
    if in_flight := _end(step, operation_id):
        return wait(f"step '{in_flight[0]}' of the superseded operation is in flight")
    if running := _cancel_deployments(step):
        return running
    step.decide(_forget)
    return None


def _forget(document: ClusterDocument) -> bool:
    return document.pop("supersededOperationId", None) is not None


def _cancel_deployments(step: Step) -> Outcome | None:
    try:
        group = resource_group.find(step)
        if group is None or not resource_group.is_ours(step, group):
            return None
        return deployments.cancel_all(step)
    except HttpResponseError as error:
        # Without access, or without the group, nothing of ours can run there.
        if error.status_code not in (403, 404):
            raise
        return None


def _end(step: Step, operation_id: str) -> list[str]:
    """End the operation and its steps, except those that may still have a request in flight; return these."""
    store = get_store()
    message = f"The operation was canceled: the cluster is being deleted by operation {step.call['operationId']}."
    correlation_id = step.call["correlationId"]
    error = operation_error(ErrorCode.CANCELED, message, [], remedies.SUPERSEDED, correlation_id, Owner.CUSTOMER)

    def decide(document: OperationDocument) -> OperationDocument | None:
        return document if endings.end_operation_document(document, ProvisioningState.CANCELED, error) else None

    try:
        store.operations.update_by_id(operation_id, decide)
    except NotFound:
        return []
    except unreadable_documents.ERRORS as wrong:
        # Nobody can end it, and its steps are ended all the same.
        unreadable_documents.note(store.operations.name, operation_id, wrong)
    since = datetime.now(UTC) - _IN_FLIGHT
    in_flight = []
    for item in store.progress.list(operation_id):
        if item["status"] != StepStatus.RUNNING:
            continue
        if item.get("changing") and datetime.fromisoformat(last_progress(item)) >= since:
            in_flight.append(item["step"])
        else:
            store.progress.upsert(endings.canceled(item, message))
    return in_flight


cancel_superseded = Executor(run=_cancel_superseded, status=_cancel_superseded)
