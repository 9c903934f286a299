"""Async operations: the document that a request begins, and the parts of it that its client reads."""

from datetime import datetime
from typing import TypedDict

from shared.arm import times
from shared.arm.errors import CloudErrorBody
from shared.arm.names import normal_location

# The statuses with which ARM ends operations and deployments.
ENDED = frozenset({"Succeeded", "Failed", "Canceled"})


class AsyncOperation(TypedDict, total=False):
    """`asyncOperation` of an operation's document, and the part of it that a client may see."""

    id: str
    name: str
    initialStatus: str
    status: str
    startTime: str
    endTime: str
    error: CloudErrorBody


def operation_path(subscription_id: str, namespace: str, location: str, operation_id: str) -> str:
    """Return the path that a client polls.

    Args:
        subscription_id: the cluster's subscription.
        namespace: the provider's namespace, as routed.
        location: the region.
        operation_id: the operation.
    """
    return _path(subscription_id, namespace, location, "operationsstatus", operation_id)


def result_path(subscription_id: str, namespace: str, location: str, operation_id: str) -> str:
    """Return the path that the client of a delete polls.

    Args:
        subscription_id: the cluster's subscription.
        namespace: the provider's namespace, as routed.
        location: the region.
        operation_id: the operation.
    """
    return _path(subscription_id, namespace, location, "operationresults", operation_id)


def _path(subscription_id: str, namespace: str, location: str, collection: str, operation_id: str) -> str:
    return (
        f"/subscriptions/{subscription_id}/providers/{namespace}/locations/{normal_location(location)}"
        f"/{collection}/{operation_id}"
    )


def new_operation(operation_id: str, path: str, initial_status: str, now: datetime) -> AsyncOperation:
    """Return the member `asyncOperation` of a new operation's document.

    Args:
        operation_id: id and name of the operation.
        path: the path that its client polls.
        initial_status: its status while it runs, such as `Creating`.
        now: the start time.
    """
    return {
        "id": path,
        "name": operation_id,
        "initialStatus": initial_status,
        "status": initial_status,
        "startTime": now.isoformat(),
    }


def visible_status(operation: AsyncOperation, *, running: bool) -> AsyncOperation:
    """Return the status of an `asyncOperation` that a client may see.

    The end of an operation is written to the operation before it is written to the cluster. Until both are written, the
    client sees the operation as running: a client that reads `Succeeded` must find a cluster that agrees.
    """
    begun = times.arm_time(operation["startTime"])
    visible: AsyncOperation = {"id": operation["id"], "name": operation["name"], "startTime": begun}
    if running:
        return visible | {"status": operation["initialStatus"]}
    visible["status"] = operation["status"]
    if operation.get("endTime"):
        visible["endTime"] = times.arm_time(operation["endTime"])
    if operation.get("error"):
        visible["error"] = operation["error"]
    return visible
