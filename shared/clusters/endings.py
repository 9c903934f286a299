"""How an operation's end appears in its documents and progress items. Pure: the caller checks fence and ETag."""

import copy
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import cast

from shared.arm.async_operations import ENDED
from shared.arm.errors import CloudErrorBody
from shared.clusters import principals, worker_count
from shared.clusters.identities import known_identities
from shared.clusters.states import Event, ProvisioningState, apply_edge, find_edge
from shared.documents import Cluster, ClusterDocument, FencedDocument, OperationDocument
from shared.steps import ProgressItem, StepStatus


def has_ended(operation: OperationDocument) -> bool:
    """Tell whether an async operation has its result."""
    return operation["asyncOperation"]["status"] in ENDED


def end_operation_document(
    operation: OperationDocument,
    status: ProvisioningState,
    error: CloudErrorBody | None = None,
    snapshot: Cluster | None = None,
) -> bool:
    """Write status, end and error into an async operation's document in memory, unless it has ended; return whether.

    Args:
        operation: its document, changed in place.
        status: `Succeeded`, `Failed` or `Canceled`.
        error: why it failed.
        snapshot: the cluster at that time; None for a delete, and for a site.
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


def items_left_running(items: Iterable[ProgressItem], ending: str = "") -> list[ProgressItem]:
    """Return the progress items of an ended operation that are still `Running`, in the form in which to write them.

    They belong to attempts that died, and nothing else would end them. Call this once the cluster no longer names the
    operation: until then a DELETE may supersede it, and that DELETE waits for work that may still be in flight.

    Args:
        items: the operation's progress items.
        ending: id of the item of the step that writes the end.
    """
    message = "The operation ended without this step."
    return [canceled(item, message) for item in items if item["status"] == StepStatus.RUNNING and item["id"] != ending]


def end_owner(document: FencedDocument, *, failed: bool) -> None:
    """Write the end of an operation into the document that fences it: remove the members that belonged to it.

    A cluster also gets its terminal state. After a success of anything but an action it runs with its current principal
    and number of workers. If a delete fails before it has seen the end of the operation that it superseded, the
    document keeps that operation's id for the next delete.
    """
    if "openShiftCluster" in document:
        _end_cluster(cast("ClusterDocument", document), failed=failed)
    document.pop("asyncOperationId", None)
    document.pop("attempt", None)
    document.pop("stopping", None)
    document.pop("canceling", None)
    document.pop("restarts", None)
    document.pop("correlationData", None)


def is_deleted(document: FencedDocument) -> bool:
    """Tell whether the running operation removes the document itself: the cluster is being deleted."""
    cluster = cast("ClusterDocument", document).get("openShiftCluster")
    return cluster is not None and cluster["properties"]["provisioningState"] == ProvisioningState.DELETING


def snapshot(document: FencedDocument, *, failed: bool) -> Cluster | None:
    """Return what an ended operation keeps of its cluster: a copy in its terminal state; None for a site."""
    if "openShiftCluster" not in document:
        return None
    cluster = copy.deepcopy(cast("ClusterDocument", document)["openShiftCluster"])
    end_state(cluster, failed=failed)
    return cluster


def _end_cluster(document: ClusterDocument, *, failed: bool) -> None:
    end_state(document["openShiftCluster"], failed=failed)
    is_action = document.pop("isAction", False)
    if not failed and not is_action:
        principals.note_worked(document)
        known_identities.note_created(document)
        worker_count.note_scaled(document)
    if not document.get("supersededOperationId"):
        document.pop("supersededOperationId", None)


def end_state(cluster: Cluster, *, failed: bool) -> None:
    """Give a cluster the state after success or failure of its operation."""
    apply_edge(cluster, find_edge(cluster, Event.FAILURE if failed else Event.DONE))
