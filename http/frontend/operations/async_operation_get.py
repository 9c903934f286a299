"""The paths that clients poll: the status of an operation, and its result."""

from frontend.messages import Call, Reply
from frontend.operations import operation_report
from frontend.operations.operation_report import CustomersProgress
from frontend.retry_after import RETRY_AFTER
from shared.arm.async_operations import visible_status
from shared.arm.errors import operation_not_found
from shared.clusters.convert import to_external
from shared.clusters.endings import has_ended
from shared.clusters.power.power_states import with_power_state
from shared.clusters.states import ProvisioningState
from shared.documents import OperationDocument
from shared.store import unreadable_documents


def get_status(call: Call) -> Reply:
    """Answer GET of an operation's status: return it with the progress, and `Retry-After` while the operation runs."""
    document, running = _find(call)
    headers = _retry_after(call) if running else {}
    status = visible_status(document["asyncOperation"], running=running)
    return Reply(200, {**status, **_progress(call, document, status["status"])}, headers)


def _progress(call: Call, document: OperationDocument, status: str) -> CustomersProgress:
    """Return the progress; nothing if the plan cannot be read, because the status alone tells a client what to do."""
    store, items = call.services.store, []
    if status != ProvisioningState.SUCCEEDED:
        document, items = store.operations.with_plan(document), store.polls.progress(document["id"])
    try:
        return operation_report.progress(document, items, status)
    except unreadable_documents.ERRORS as error:
        unreadable_documents.note(store.operations.name, document["id"], error)
        return {}


def get_result(call: Call) -> Reply:
    """Answer GET of an operation's result: 202 while it runs; then the cluster at its end, or 204 after a delete."""
    document, running = _find(call)
    if running:
        return Reply(202, headers={"Location": call.public_url.geturl(), **_retry_after(call)})
    if "openShiftCluster" not in document:
        return Reply(204)
    return Reply(200, to_external(with_power_state(document["openShiftCluster"]), call.version))


def _find(call: Call) -> tuple[OperationDocument, bool]:
    """Return an operation, and whether the client still sees it as running.

    It does until the cluster no longer names the operation: see `visible_status`. An operation that has not ended and
    that no cluster names was superseded, or its request died before it wrote the cluster. Its client sees it as running
    until the delete that superseded it ends it, or until it expires.

    Raises:
        CloudError: 404 `NotFound`, also for an operation of another subscription.
    """
    operation_id, store = call.parameters["operationId"], call.services.store
    document = store.polls.operation(operation_id)
    if document is None or document["openShiftClusterKey"].split("/")[2] != call.subscription_id:
        raise operation_not_found(operation_id)
    if not has_ended(document):
        # This covers nearly every poll, and needs no query for the cluster.
        return document, True
    cluster = store.clusters.get(document["openShiftClusterKey"])
    return document, cluster is not None and cluster.get("asyncOperationId") == operation_id


def _retry_after(call: Call) -> dict[str, str]:
    return {"Retry-After": str(call.services.settings.retry_after_seconds(RETRY_AFTER))}
