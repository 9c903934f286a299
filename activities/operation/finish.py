"""The end of an operation.

The end is written to the async operation first, then to the document of its cluster or site. A client sees it only
after the second write, because the status route asks that document whether it still names the operation.
"""

from typing import Any

from activities.runtime.executor import Executor
from activities.runtime.fenced_call import FencedCall
from activities.runtime.step import Step
from shared import remedies, settings
from shared.arm.errors import CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error
from shared.clusters import cluster_names, endings
from shared.clusters.states import ProvisioningState
from shared.documents import Cluster, FencedDocument, OperationDocument
from shared.store import UPDATE_TRIES, PreconditionFailed, get_store


def _finish_operation(step: FencedCall[Any]) -> None:
    """Write the result into the async operation and then into the document of its cluster or site.

    A second run finds the operation ended and follows the stored result, whatever this attempt came to.
    """
    error = _explained(step.call.get("error"), step.call["correlationId"])
    operation = store_end(
        step, _status(step.document, error), error, endings.snapshot(step.document, failed=bool(error))
    )
    failed = operation["asyncOperation"]["status"] != ProvisioningState.SUCCEEDED

    def change(document: FencedDocument) -> bool:
        endings.end_owner(document, failed=failed)
        return True

    step.decide(change)
    _cancel_left_running(step)


def _explained(error: CloudErrorBody | None, correlation_id: str) -> CloudErrorBody | None:
    """Return an error with what a person needs. The engine's for a stopped operation has only the correlation id."""
    if error is None or error["code"] != ErrorCode.CANCELED:
        return error
    return operation_error(error["code"], error["message"], [], remedies.CANCELED, correlation_id, Owner.CUSTOMER)


def _status(document: FencedDocument, error: CloudErrorBody | None) -> ProvisioningState:
    """Return how an operation has ended: whether its error is the end that somebody asked for."""
    if error is None:
        return ProvisioningState.SUCCEEDED
    return ProvisioningState.CANCELED if document.get("canceling") else ProvisioningState.FAILED


def store_end(
    step: FencedCall[Any], status: ProvisioningState, error: CloudErrorBody | None, snapshot: Cluster | None
) -> OperationDocument:
    """Store the end of the step's operation in the database, unless it has ended. Each try checks the fence.

    Args:
        step: the step that ends it.
        status: `Succeeded`, `Failed` or `Canceled`.
        error: why it failed, or None.
        snapshot: the cluster at that time, or None.
    """
    store = get_store()

    def decide(document: OperationDocument) -> OperationDocument | None:
        store.fenced(step.fence.key).fenced_read(step.fence)
        return document if endings.end_operation_document(document, status, error, snapshot) else None

    return store.operations.update_by_id(step.call["operationId"], decide)


def _finish_delete(step: Step) -> None:
    """Free the cluster's domain, write `Succeeded` into the async operation, then remove the cluster document.

    The operation gets no snapshot of the cluster, which marks its result as that of a delete.
    """
    store = get_store()
    _free_domain(step)
    store_end(step, ProvisioningState.SUCCEEDED, None, None)
    for tries_left in reversed(range(UPDATE_TRIES)):
        try:
            store.clusters.delete(store.clusters.fenced_read(step.fence))
        except PreconditionFailed:
            if not tries_left:
                raise
        else:
            break
    _cancel_left_running(step)


def _cancel_left_running(step: FencedCall[Any]) -> None:
    """End the progress items of attempts that died."""
    store, call = get_store(), step.call
    for item in endings.items_left_running(
        store.progress.list(call["operationId"]), f"{call['step']}-{call['attempt']}"
    ):
        store.progress.upsert(item)


def _free_domain(step: Step) -> None:
    domain = cluster_names.managed_name(step.properties["clusterProfile"]["domain"], settings.load().domain)
    if domain is not None:
        get_store().domains.free(domain, step.document["key"])


finish_operation = Executor(run=_finish_operation, control=True, settles=True)
finish_delete = Executor(run=_finish_delete, settles=True)
