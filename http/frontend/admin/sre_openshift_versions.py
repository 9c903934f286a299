"""The catalogue of OpenShift versions, for operators. Nobody else can write it: the database takes no keys."""

from functools import partial

from frontend.messages import Call, Reply
from frontend.races import LOST, repeat_until_written
from shared.arm.errors import CloudError, ErrorCode, conflict, shown
from shared.arm.preconditions import require_match
from shared.clusters import catalogue, catalogue_changes
from shared.documents import CatalogueDocument
from shared.store import ensure_written


def list_all(call: Call) -> Reply:
    """Answer GET of the version catalogue: return every entry with its problems, also disabled and wrong ones."""
    documents = sorted(call.services.store.versions.all(), key=lambda document: document["id"])
    return Reply(200, {"value": [catalogue_changes.to_external(document) for document in documents]})


def get(call: Call) -> Reply:
    """Answer GET of a version in the catalogue: return its entry as operators see it.

    Raises:
        CloudError: 404 `ResourceNotFound`, listing the entries that exist.
    """
    documents, name = call.services.store.versions.all(), _name(call)
    document = catalogue_changes.find(documents, name)
    if document is None:
        known = ", ".join(sorted(each["id"] for each in documents)) or "none"
        raise CloudError(
            404, ErrorCode.RESOURCE_NOT_FOUND, f"The catalogue has no version '{shown(name)}'. It has: {known}."
        )
    return _reply(200, document)


def put(call: Call) -> Reply:
    """Answer PUT of a version in the catalogue: write its entry, 201 for a new one; `"enabled": false` withdraws it.

    An entry that becomes the default is written first, and the mark is taken from the former one afterwards. If this
    fails in between, two entries are marked, the later one counts, and the next PUT of any entry ends it.

    Raises:
        CloudError: 400 with every problem of the entry, 409 `Conflict`, 412 `PreconditionFailed`.
    """
    return repeat_until_written(_what(call), lambda: _put(call))


def _put(call: Call) -> Reply:
    versions, name = call.services.store.versions, _name(call)
    documents = versions.all()
    stored = catalogue_changes.find(documents, name)
    require_match(call.request.headers, stored["_etag"] if stored else "")
    wanted = catalogue_changes.requested_entry(documents, name, call.content, call.services.now())
    catalogue_changes.require_versions_left(documents, name, wanted)
    if stored and catalogue_changes.is_withdrawn(stored, wanted):
        _require_no_creates(call, name)
    ensure_written(partial(versions.put, wanted), partial(versions.says, wanted))
    return _reply(200 if stored else 201, _settled(call, wanted))


def delete(call: Call) -> Reply:
    """Answer DELETE of a version in the catalogue: 204, also if there is none. Clusters that have the version keep it.

    Raises:
        CloudError: 409 `Conflict`, 412 `PreconditionFailed`.
    """
    return repeat_until_written(_what(call), lambda: _delete(call))


def _delete(call: Call) -> Reply:
    versions, name = call.services.store.versions, _name(call)
    documents = versions.all()
    stored = catalogue_changes.find(documents, name)
    require_match(call.request.headers, stored["_etag"] if stored else "")
    if stored is None:
        return Reply(204)
    catalogue_changes.require_versions_left(documents, name)
    if catalogue_changes.is_withdrawn(stored):
        _require_no_creates(call, name)
    ensure_written(partial(versions.delete, stored), lambda: versions.read(name) is None)
    return Reply(204)


def _name(call: Call) -> str:
    return call.request.parameters["openShiftVersion"]


def _what(call: Call) -> str:
    return f"Version '{_name(call)}'"


def _reply(status: int, document: CatalogueDocument) -> Reply:
    return Reply(status, catalogue_changes.to_external(document), {"ETag": document["_etag"]})


def _require_no_creates(call: Call, name: str) -> None:
    """Refuse to take away a version that a running create still has to read.

    Raises:
        CloudError: 409 `Conflict`.
    """
    if running := sum(1 for _ in call.services.store.clusters.creating(name)):
        raise conflict(
            f"Clusters are being created with version '{name}' ({running} now), and would fail without its entry. "
            "Wait until they are created, or delete them. To stop further creates by default, make another version "
            "the default."
        )


def _settled(call: Call, wanted: CatalogueDocument) -> CatalogueDocument:
    """Take the mark of the default from all entries but one, and return the entry as it is then.

    Raises:
        CloudError: 409 `Conflict` if another request has made its version the default at the same time.
    """
    versions = call.services.store.versions
    documents = versions.all()
    for document in catalogue_changes.outdated_defaults(documents):
        try:
            versions.update(partial(versions.read, document["id"]), partial(_unmark, documents))
        except LOST:
            # Other requests change this entry, and end with the same step.
            continue
    current = catalogue.default_entry(documents)
    if wanted.get("default") and current is not None and current["id"] != wanted["id"]:
        raise conflict(
            f"Version '{wanted['id']}' was written, but another request made '{current['id']}' the default at the same "
            "time. Read the catalogue, and decide again."
        )
    entry = catalogue_changes.find(documents, wanted["id"])
    if entry is None:
        raise conflict(f"Version '{wanted['id']}' was written, and deleted by another request at the same time.")
    return entry


def _unmark(documents: list[CatalogueDocument], document: CatalogueDocument) -> CatalogueDocument | None:
    """Return an entry without the mark, or None if it was made the default meanwhile."""
    others = [each for each in documents if each["id"] != document["id"]]
    if document not in catalogue_changes.outdated_defaults([*others, document]):
        return None
    unmarked = document.copy()
    unmarked["default"] = False
    unmarked.pop("defaultSince", None)
    return unmarked
