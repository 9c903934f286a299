"""Async operations: the document that a request begins, and what its client reads of it."""

from datetime import datetime
from typing import Any

ENDED = frozenset({"Succeeded", "Failed", "Canceled"})


def operation_path(subscription_id: str, namespace: str, location: str, operation_id: str) -> str:
    """Return the path under which a client polls."""
    return _path(subscription_id, namespace, location, "operationsstatus", operation_id)


def result_path(subscription_id: str, namespace: str, location: str, operation_id: str) -> str:
    """Return the path under which the client of a delete waits."""
    return _path(subscription_id, namespace, location, "operationresults", operation_id)


def _path(subscription_id: str, namespace: str, location: str, collection: str, operation_id: str) -> str:
    return (
        f"/subscriptions/{subscription_id}/providers/{namespace}/locations/{location.lower()}"
        f"/{collection}/{operation_id}"
    )


def new_operation(operation_id: str, path: str, initial_status: str, now: datetime) -> dict[str, Any]:
    """Return the members `id` and `asyncOperation` of a new operation's document."""
    return {
        "id": operation_id,
        "asyncOperation": {
            "id": path,
            "name": operation_id,
            "initialStatus": initial_status,
            "status": initial_status,
            "startTime": now.isoformat(),
        },
    }


def visible_status(operation: dict[str, Any], *, running: bool) -> dict[str, Any]:
    """Return what a client may see of an `asyncOperation`.

    An end is written to the operation before it is written to the cluster. Until both are, the client sees the
    operation running: who reads `Succeeded` must find a cluster that says the same.
    """
    if running:
        return {name: operation[name] for name in ("id", "name", "startTime")} | {"status": operation["initialStatus"]}
    names = ("id", "name", "status", "startTime", "endTime", "error")
    return {name: operation[name] for name in names if operation.get(name)}
