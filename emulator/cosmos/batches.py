"""Transactional batches: several operations on documents of one partition, of which all succeed or none."""

import json
from typing import Any

from emulator.core.errors import ServiceError
from emulator.core.store import Store
from emulator.cosmos import exceptions, wire
from emulator.cosmos.items import Items

MAX_OPERATIONS = 100
_FAILED_DEPENDENCY = 424
_MULTI_STATUS = 207

# The permission that each kind of operation needs, as a key of `ITEM_ACTIONS`.
ACTIONS = {
    "Create": "create",
    "Upsert": "upsert",
    "Read": "read",
    "Replace": "replace",
    "Patch": "replace",
    "Delete": "delete",
}


def checked(body: Any) -> list[dict[str, Any]]:
    """Return the operations of a batch, after checking its form.

    Raises:
        CosmosError: 400.
    """
    if not isinstance(body, list) or not body or not all(isinstance(one, dict) for one in body):
        raise exceptions.bad_request("A batch is a list of operations that is not empty.")
    if len(body) > MAX_OPERATIONS:
        raise exceptions.bad_request(f"A batch has {MAX_OPERATIONS} operations at most, not {len(body)}.")
    for number, operation in enumerate(body):
        if operation.get("operationType") not in ACTIONS:
            raise exceptions.bad_request(
                f"Operation {number} of the batch has no operationType out of {', '.join(ACTIONS)}."
            )
    return body


def names(operations: list[dict[str, Any]]) -> set[str]:
    """Return the kinds of operations in a batch."""
    return {operation["operationType"] for operation in operations}


def run(
    store: Store, items: Items, partition: Any, operations: list[dict[str, Any]]
) -> tuple[int, list[dict[str, Any]]]:
    """Run the operations in order; return the status of the batch, and one result per operation.

    If an operation fails, those before it are rolled back, and all others have the result 424.

    Args:
        store: the store, for the transaction.
        items: the container's documents.
        partition: the partition key of all operations.
        operations: as `checked` returns them.
    """
    results: list[dict[str, Any]] = []
    try:
        with store.transaction():
            for operation in operations:
                # If an operation fails, the number of results before it tells which one.
                results.append(_run_one(items, partition, operation))  # noqa: PERF401 - see above
    except ServiceError as error:
        failed = {
            "statusCode": error.status_code,
            "subStatusCode": error.substatus if isinstance(error, exceptions.CosmosError) else 0,
            "requestCharge": float(wire.charge("batch")),
            "message": error.message,
        }
        dependent = {"statusCode": _FAILED_DEPENDENCY, "requestCharge": 0.0}
        position = len(results)
        return _MULTI_STATUS, [failed if number == position else dependent for number in range(len(operations))]
    return 200, results


def _run_one(items: Items, partition: Any, operation: dict[str, Any]) -> dict[str, Any]:
    kind, name = operation["operationType"], str(operation.get("id", ""))
    body: Any = operation.get("resourceBody")
    if_match = operation.get("ifMatch")
    status, document = 200, None
    if kind == "Create":
        status, document = 201, items.create(body, partition)
    elif kind == "Upsert":
        document, created = items.upsert(body, partition, if_match)
        status = 201 if created else 200
    elif kind == "Read":
        document = items.read(name, partition)
        if operation.get("ifNoneMatch") in ("*", document["_etag"]):
            status, document = 304, None
    elif kind == "Replace":
        document = items.replace(name, body, partition, if_match)
    elif kind == "Patch":
        document = items.patch(name, body, partition, if_match)
    else:
        items.delete(name, partition, if_match)
        status = 204
    cost = float(wire.charge(kind.lower(), len(json.dumps(document)) if document else 0))
    result: dict[str, Any] = {"statusCode": status, "requestCharge": cost}
    return result if document is None else result | {"eTag": document["_etag"], "resourceBody": document}
