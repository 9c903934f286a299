"""The end of an operation by request: it changes nothing more, and what it has begun in Azure is canceled."""

from typing import cast

from frontend.messages import Call
from shared.arm.errors import conflict
from shared.documents import FencedDocument, OperationDocument
from shared.store import NotFound, PreconditionFailed
from shared.store.sites import key_of


def mark_canceling(call: Call, operation: OperationDocument, what: str) -> FencedDocument:
    """Mark the cluster or site of an operation as canceling, and return its document. A second time changes nothing.

    Args:
        call: the request.
        operation: the operation.
        what: the cluster or site, as the error calls it.

    Raises:
        CloudError: 409 `Conflict` if it no longer runs, or after five lost races.
    """
    store = call.services.store
    owners = store.fenced(operation.get("openShiftClusterKey") or key_of(operation["siteName"]))
    ended = conflict(f"The operation '{operation['id']}' no longer runs.")

    def decide(document: FencedDocument) -> FencedDocument | None:
        if document.get("asyncOperationId") != operation["id"]:
            raise ended
        if document.get("canceling"):
            return None
        return {**document, "stopping": True, "canceling": True}

    try:
        return cast("FencedDocument", owners.update(lambda: store.owner(operation), decide))
    except NotFound:
        raise ended from None
    except PreconditionFailed:
        raise conflict(f"{what} was changed at the same time. Try again.") from None
