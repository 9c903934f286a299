"""An operation with its steps, for operators, and the addresses at which its orchestration can be inspected."""

from frontend.messages import Call, Reply
from frontend.operations import operation_report
from orchestrators import plans
from shared.arm.errors import operation_not_found
from shared.documents import ClusterDocument, OperationDocument


def get(call: Call) -> Reply:
    """Answer GET of an operation by an operator: return it with phases and steps, see `operation_report.py`."""
    (operation, cluster), store = _find(call), call.services.store
    items = store.progress.list(operation["id"])
    report = operation_report.report(store.operations.with_plan(operation), cluster, items, call.services.now())
    return Reply(200, report)


def get_durable(call: Call) -> Reply:
    """Answer GET of an operation's Durable status addresses: those of its latest attempt, with a key of the host."""
    operation, cluster = _find(call)
    attempt = operation_report.current_attempt(operation, cluster, call.services.store.progress.list(operation["id"]))
    return Reply(200, durable_instance=plans.instance_id(operation["id"], attempt))


def _find(call: Call) -> tuple[OperationDocument, ClusterDocument | None]:
    """Return an operation of the cluster in the path, and the cluster document if it exists.

    Raises:
        CloudError: 404 `NotFound`.
    """
    operation_id, store = call.parameters["operationId"], call.services.store
    operation = store.operations.of_cluster(operation_id)
    if operation is None or operation["openShiftClusterKey"] != call.key:
        raise operation_not_found(operation_id)
    return operation, store.clusters.get(call.key)
