"""The operations of a cluster: all of them, or one, for whoever may read it; and the end of one by request."""

from functools import partial
from typing import Any, cast

from frontend.at_once import at_once
from frontend.clusters.cluster_lookup import cluster_document
from frontend.messages import Call, Reply
from frontend.operations import cancellation, operation_report
from frontend.operations.operation_report import Report, StepReport
from frontend.paged import continuation, next_link
from frontend.retry_after import RETRY_AFTER
from orchestrators.plans import NOT_CANCELABLE
from shared.arm import links
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE, conflict, operation_not_found
from shared.clusters.endings import has_ended
from shared.documents import ClusterDocument, OperationDocument
from shared.json_object import Json
from shared.steps import StepStatus
from shared.store import unreadable_documents

TYPE = f"{NAMESPACE}/{RESOURCE_TYPE}/operations"
# Each costs two reads, which the page makes at the same time.
_MOST = 10
# What customers see of an operation, and of its steps. Operators also see what Azure and the cluster have answered, and
# why the deployment skips rows: both may name internals of the service.
MEMBERS = (
    *("status", "plan", "startTime", "endTime", "durationSeconds", "percentComplete", "attempt", "begunBy"),
    *("correlationId", "currentSteps", "phases", "steps", "error"),
)
STEP_MEMBERS = (
    *("name", "phase", "kind", "status", "attempt", "startTime", "endTime", "durationSeconds", "needs", "waitsFor"),
    *("polls", "deadline", "lastProgressTime", "error"),
)


def list_all(call: Call) -> Reply:
    """Answer GET of a cluster's operations: return them, the newest first, in pages of ten.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `InvalidParameter` for a page that this list has not given.
    """
    cluster = cluster_document(call)
    # A later cluster of the same name has operations of its own.
    scope = f"{call.key}/operations/{cluster['id']}"
    after = continuation(call, scope)
    operations = call.services.store.operations
    begun = [each for each in operations.begun_on(cluster["id"]) if not after or _place(each) < after]
    listed = begun[:_MOST]
    shown = at_once([partial(_listed, call, cluster, operation_id) for _, operation_id in listed])
    following = _place(listed[-1]) if len(begun) > _MOST else None
    value = [each for each in shown if each is not None]
    return Reply(200, {"value": value} | next_link(call, scope, following))


def get(call: Call) -> Reply:
    """Answer GET of a cluster's operation: return it with its steps and who began it.

    Raises:
        CloudError: 404 `ResourceNotFound` or `NotFound`.
    """
    cluster = cluster_document(call)
    return Reply(200, resource(call, cluster, operation(call, cluster)))


def cancel(call: Call) -> Reply:
    """Answer POST of cancel on a cluster's operation: let it change nothing more, and end; also if canceled before.

    Its cluster is then as after a failure: a create can be resumed by its PUT, and an update repeated.

    Raises:
        CloudError: 404 `ResourceNotFound` or `NotFound`; 409 `Conflict` if its plan cannot be canceled, if it no longer
            runs, or after five lost races.
    """
    cluster = cluster_document(call)
    found = call.services.store.operations.with_plan(operation(call, cluster))
    plan = found.get("plan", {}).get("name", "")
    if plan in NOT_CANCELABLE and not has_ended(found):
        raise conflict(f"An operation with the plan '{plan}' cannot be canceled: {NOT_CANCELABLE[plan]}.")
    document = cast("ClusterDocument", cancellation.mark_canceling(call, found, f"The cluster '{call.resource_id}'"))
    # The operation itself is one segment above, for customers and for operators.
    address = links.with_path(call.public_url, call.public_url.path.rstrip("/").rpartition("/")[0])
    seconds = call.services.settings.retry_after_seconds(RETRY_AFTER)
    return Reply(202, resource(call, document, found), {"Location": address, "Retry-After": str(seconds)})


def operation(call: Call, cluster: ClusterDocument) -> OperationDocument:
    """Return the operation in the path.

    Raises:
        CloudError: 404 `NotFound`, also for an operation on another cluster.
    """
    operation_id = call.parameters["operationId"]
    found = call.services.store.operations.of_cluster(operation_id)
    if found is None or found.get("clusterDocumentId") != cluster["id"]:
        raise operation_not_found(operation_id)
    return found


def resource(call: Call, cluster: ClusterDocument, found: OperationDocument) -> Json:
    """Return an operation as a resource below its cluster."""
    store = call.services.store
    items = store.progress.list(found["id"])
    report = operation_report.report(store.operations.with_plan(found), cluster, items, call.services.now())
    return {
        "id": f"{cluster['openShiftCluster']['id']}/operations/{report['name']}",
        "name": report["name"],
        "type": TYPE,
        "properties": _properties(report),
    }


def _properties(report: Report) -> Json:
    steps = [_step(step) for step in report["steps"]]
    return {**_only(report, MEMBERS), "steps": steps}


def _step(step: StepReport) -> Json:
    """Return a step. While it is tried again, its error is not yet the one that customers get."""
    ended = step["status"] == StepStatus.FAILED
    return _only(step, STEP_MEMBERS if ended else tuple(name for name in STEP_MEMBERS if name != "error"))


def _only(members: Any, names: tuple[str, ...]) -> Json:
    return {name: members[name] for name in names if name in members}


def _listed(call: Call, cluster: ClusterDocument, operation_id: str) -> Json | None:
    """Return an operation for a list; None if it has expired, or cannot be read, so that the others are seen."""
    operations = call.services.store.operations
    found = operations.of_cluster(operation_id)
    if found is None:
        return None
    try:
        return resource(call, cluster, found)
    except unreadable_documents.ERRORS as error:
        unreadable_documents.note(operations.name, operation_id, error)
        return None


def _place(begun: tuple[str, str]) -> str:
    """Return what a page ends with: the start of its last operation, and the id, because two may start at once."""
    return " ".join(begun)
