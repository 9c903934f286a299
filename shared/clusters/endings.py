"""How an operation's end appears in its documents and progress items. Pure: the caller checks fence and ETag."""

from collections.abc import Iterable
from datetime import UTC, datetime

from shared.arm.async_operations import ENDED
from shared.arm.errors import CloudErrorBody
from shared.clusters import principals, worker_count
from shared.clusters.states import Event, ProvisioningState, apply_edge, find_edge
from shared.documents import Cluster, ClusterDocument, OperationDocument
from shared.steps import ProgressItem, StepStatus


def has_ended(operation: OperationDocument) -> bool:
    """Tell whether an async operation has its result."""
    return operation["asyncOperation"]["status"] in ENDED


def end_operation(
    operation: OperationDocument,
    status: ProvisioningState,
    error: CloudErrorBody | None = None,
    snapshot: Cluster | None = None,
) -> bool:
    """Write the end into an async operation, unless it has ended already; return whether it was written.

    Args:
        operation: its document, changed in place.
        status: `Succeeded`, `Failed` or `Canceled`.
        error: why it failed.
        snapshot: the cluster at that time; None for a delete.
    """
    if has_ended(operation):
        return False
    operation["asyncOperation"] |= {"status": status, "endTime": datetime.now(UTC).isoformat()}
    if error:
        operation["asyncOperation"]["error"] = error
    if snapshot is not None:
        operation["openShiftCluster"] = snapshot
    return True


def canceled(item: ProgressItem, message: str) -> ProgressItem:
    """Return a progress item as it has to be written if its step will not continue."""
    now = datetime.now(UTC).isoformat()
    ended = item | {"status": StepStatus.CANCELED, "message": message, "endTime": now, "lastProgressTime": now}
    ended.pop("changing", None)
    return ended


def left_running(items: Iterable[ProgressItem], ending: str = "") -> list[ProgressItem]:
    """Return the progress items of an ended operation that are still `Running`, in the form in which to write them.

    They belong to attempts that died, and nothing else would end them. Call this once the cluster no longer names the
    operation: until then a DELETE may supersede it, and that DELETE waits for work that may still be in flight.

    Args:
        items: the operation's progress items.
        ending: id of the item of the step that writes the end.
    """
    message = "The operation ended without this step."
    return [canceled(item, message) for item in items if item["status"] == StepStatus.RUNNING and item["id"] != ending]


def end_cluster(document: ClusterDocument, *, failed: bool) -> None:
    """Give a cluster document its terminal state, and remove the members that belonged to the operation.

    After a success the cluster runs with its current principal and number of workers. If a delete fails before it has seen the end of the
    operation that it superseded, the document keeps that operation's id for the next delete.
    """
    end_state(document["openShiftCluster"], failed=failed)
    if not failed:
        principals.note_worked(document)
        worker_count.note_scaled(document)
    document.pop("asyncOperationId", None)
    document.pop("attempt", None)
    document.pop("stopping", None)
    document.pop("restarts", None)
    document.pop("correlationData", None)
    if not document.get("supersededOperationId"):
        document.pop("supersededOperationId", None)


def end_state(cluster: Cluster, *, failed: bool) -> None:
    """Give a cluster the state after success or failure of its operation."""
    apply_edge(cluster, find_edge(cluster, Event.FAILURE if failed else Event.DONE))
