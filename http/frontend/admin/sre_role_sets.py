"""The role sets of workload identity, for operators. Nobody else can write them: the database takes no keys."""

from functools import partial

from frontend.messages import Call, Reply
from frontend.races import repeat_until_written
from shared.arm.errors import CloudError, ErrorCode, shown
from shared.arm.preconditions import require_match
from shared.clusters import role_sets
from shared.clusters.catalogue_changes import find
from shared.documents import RoleSetDocument
from shared.store import NotFound, ensure_written


def list_all(call: Call) -> Reply:
    """Answer GET of the role sets by an operator: return every entry with its problems, the oldest minor first."""
    documents = sorted(call.services.store.role_sets.all(), key=lambda document: role_sets.order(document["id"]))
    return Reply(200, {"value": [role_sets.to_operators(document) for document in documents]})


def get(call: Call) -> Reply:
    """Answer GET of a role set by an operator: return the entry of one minor version with its problems.

    Raises:
        CloudError: 404 `ResourceNotFound`, listing the entries that exist.
    """
    documents, minor = call.services.store.role_sets.all(), _minor(call)
    document = find(documents, minor)
    if document is None:
        known = ", ".join(sorted((each["id"] for each in documents), key=role_sets.order)) or "none"
        raise CloudError(
            404, ErrorCode.RESOURCE_NOT_FOUND, f"There is no role set for '{shown(minor)}'. There are: {known}."
        )
    return _reply(200, document)


def put(call: Call) -> Reply:
    """Answer PUT of a role set by an operator: write the entry of a minor version, 201 for a new one, otherwise 200.

    Raises:
        CloudError: 400 with every problem of the entry, 409 `Conflict`, 412 `PreconditionFailed`.
    """
    return repeat_until_written(_what(call), lambda: _put(call))


def _put(call: Call) -> Reply:
    store, minor = call.services.store.role_sets, _minor(call)
    documents = store.all()
    stored = find(documents, minor)
    require_match(call.request.headers, stored["_etag"] if stored else "")
    wanted = role_sets.requested_set(documents, minor, call.content)
    ensure_written(partial(store.put, wanted), partial(store.says, wanted))
    written = store.read(minor)
    if written is None:
        raise NotFound(minor)
    return _reply(200 if stored else 201, written)


def delete(call: Call) -> Reply:
    """Answer DELETE of a role set by an operator: 204, also if there is none.

    Raises:
        CloudError: 409 `Conflict`, 412 `PreconditionFailed`.
    """
    return repeat_until_written(_what(call), lambda: _delete(call))


def _delete(call: Call) -> Reply:
    store, minor = call.services.store.role_sets, _minor(call)
    stored = find(store.all(), minor)
    require_match(call.request.headers, stored["_etag"] if stored else "")
    if stored is not None:
        ensure_written(partial(store.delete, stored), lambda: store.read(minor) is None)
    return Reply(204)


def _minor(call: Call) -> str:
    return call.request.parameters["openShiftMinorVersion"]


def _what(call: Call) -> str:
    return f"The role set of '{shown(_minor(call))}'"


def _reply(status: int, document: RoleSetDocument) -> Reply:
    return Reply(status, role_sets.to_operators(document), {"ETag": document["_etag"]})
