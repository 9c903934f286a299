"""Begins an operation on a cluster, in the same way for PUT, PATCH, DELETE and actions."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import TypeVar

from frontend.clusters.begun_by import begun_by
from frontend.clusters.undo import attempt, undoing
from frontend.messages import Call, Reply, Start, error_reply, new_id
from frontend.retry_after import RETRY_AFTER
from orchestrators import plans
from orchestrators.plans.operation_start import OperationRequest, begin_operation
from shared import tracing
from shared.arm import async_operations, links
from shared.arm.errors import CloudError
from shared.clusters.states import Edge
from shared.documents import ClusterDocument, FencedDocument, OperationDocument
from shared.store import OutcomeUnknown, ensure_written

Subject = TypeVar("Subject", bound=FencedDocument)

_ADDRESS = "Azure-AsyncOperation"


def new_request(call: Call) -> OperationRequest:
    """Return the id, caller and time of a new operation. From now on traces carry the id."""
    operation_id = new_id()
    tracing.current.set(replace(tracing.current.get(), operation_id=operation_id))
    namespace = call.request.parameters["resourceProviderNamespace"]
    return OperationRequest(operation_id, namespace, call.correlation, call.services.now(), begun_by(call))


def write_operation(
    call: Call,
    document: Subject,
    operation: OperationDocument,
    write_owner: Callable[[Subject], Subject],
    undo: ExitStack,
) -> None:
    """Write an operation, then the document of the cluster or site that names it. Then the request is accepted.

    Args:
        call: the request.
        document: the document of the cluster or site, as the beginning of the operation left it. It gets the ETag of
            what is written.
        operation: the operation.
        write_owner: creates or replaces the document of the cluster or site.
        undo: receives the function that deletes the operation, which nobody may see if the request is not accepted.

    Raises:
        Conflict, NotFound, PreconditionFailed: another request was faster.
        OutcomeUnknown: it may be accepted.
    """
    store, operation_id = call.services.store, operation["id"]
    undo.callback(attempt, "delete its operation", lambda: store.operations.discard(operation_id))
    ensure_written(lambda: store.operations.create(operation), lambda: store.operations.read(operation_id) is not None)

    def write() -> None:
        document["_etag"] = write_owner(document)["_etag"]

    def names_it() -> bool:
        owner = store.owner(operation)
        # This name stays after the operation has ended, which a watchdog may cause before we read.
        if owner is None or owner.get("lastAsyncOperationId") != operation_id:
            return False
        document["_etag"] = owner["_etag"]
        return True

    try:
        ensure_written(write, names_it)
    except OutcomeUnknown:
        # The document that names all this may exist. The sweep removes what it does not name.
        undo.pop_all()
        raise


def accepted_reply(
    call: Call, status: int, body: object, document: ClusterDocument, operation: OperationDocument
) -> Reply:
    """Return the reply to a request whose operation continues, with the address to poll and how often.

    Args:
        call: the request.
        status: the HTTP status.
        body: the body, or None.
        document: the cluster document.
        operation: the async operation.
    """
    return Reply(
        status,
        body,
        _polling(call, operation["id"]),
        start=Start(
            plans.instance_id(operation["id"], document["attempt"]),
            plans.start_input(operation, document, operation["plan"].get("done")),
        ),
    )


def begin_without_body(call: Call, document: ClusterDocument, edge: Edge) -> Reply:
    """Begin an operation that a DELETE or an action asks for; return 202 with both addresses that clients poll.

    Args:
        call: the request.
        document: the cluster document, changed as the request wants it, except for the operation.
        edge: the edge of the state machine that is taken.

    Raises:
        NotFound, PreconditionFailed: another request was faster.
        OutcomeUnknown: it may be accepted.
    """
    operation = begin_operation(new_request(call), document, edge, call.services.settings)
    with undoing() as undo:
        write_operation(call, document, operation, call.services.store.clusters.replace, undo)
    reply = accepted_reply(call, 202, None, document, operation)
    location = links.with_path(call.public_url, async_operations.result_path(*_place(call), operation["id"]))
    return replace(reply, headers={**reply.headers, "Location": location})


def refused_reply(call: Call, document: ClusterDocument, error: CloudError) -> Reply:
    """Return the reply to a request that the cluster's state does not allow.

    If an operation runs, the reply has its address, in the header for clients and in the message for people, so that
    both can wait for its end.

    Args:
        call: the request.
        document: the cluster document.
        error: the refusal.
    """
    operation_id = document.get("asyncOperationId")
    if not operation_id:
        return error_reply(error)
    headers = _polling(call, operation_id)
    message = f"{error.message} The operation's status is at {headers[_ADDRESS]}"
    return error_reply(CloudError(error.status_code, error.code, message), headers)


def _polling(call: Call, operation_id: str) -> dict[str, str]:
    """Return the headers that say where to poll an operation, and how often."""
    path = async_operations.operation_path(*_place(call), operation_id)
    seconds = call.services.settings.retry_after_seconds(RETRY_AFTER)
    return {_ADDRESS: links.with_path(call.public_url, path), "Retry-After": str(seconds)}


def _place(call: Call) -> tuple[str, str, str]:
    namespace = call.request.parameters["resourceProviderNamespace"]
    return call.subscription_id, namespace, call.services.settings.location
