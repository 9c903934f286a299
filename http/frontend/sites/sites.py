"""Sites: their names, and the bundle that each has now."""

from functools import partial

from frontend.messages import Call, Reply
from frontend.races import repeat_until_written
from frontend.sites import requested_site
from shared.arm.errors import CloudError, conflict
from shared.arm.preconditions import require_match
from shared.documents import SiteDocument
from shared.json_object import Json
from shared.phase_documents.schemas import SITE
from shared.store import ensure_written
from shared.store.sites import key_of

METADATA = "metadata.yaml"


def list_all(call: Call) -> Reply:
    """Answer GET of the sites: return each by name, with the bundle that it has now."""
    documents = sorted(call.services.store.sites.all(), key=lambda document: document["id"])
    return Reply(200, {"value": [_shown(document) for document in documents]})


def get(call: Call) -> Reply:
    """Answer GET of a site: return it with its bundle.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    return _reply(200, requested_site.document(call))


def put(call: Call) -> Reply:
    """Answer PUT of a site: give it a bundle that can be read, 201 for a new site, otherwise 200.

    Operations keep the bundle with which they began, but a resume goes on only with the same one. So while an operation
    runs, the site keeps its bundle.

    Raises:
        CloudError: 400 `InvalidParameter` with every problem; 409 `Conflict` while an operation runs, or after five
            lost races; 412 `PreconditionFailed`.
    """
    wanted = _wanted(call)
    requested_site.site(call, wanted)
    return repeat_until_written(requested_site.title(call), lambda: _put(call, wanted))


def _put(call: Call, wanted: SiteDocument) -> Reply:
    store = call.services.store.sites
    stored = store.read(wanted["id"])
    require_match(call.request.headers, stored["_etag"] if stored else "")
    _require_rest(stored)
    written: SiteDocument = {**(stored or {}), **wanted}
    ensure_written(partial(store.replace if stored else store.create, written), partial(_is_written, call, wanted))
    return _reply(200 if stored else 201, requested_site.document(call))


def delete(call: Call) -> Reply:
    """Answer DELETE of a site: 204, also if there is none. What its phases applied stays in the clusters.

    Raises:
        CloudError: 409 `Conflict` while an operation runs, or after five lost races; 412 `PreconditionFailed`.
    """
    return repeat_until_written(requested_site.title(call), lambda: _delete(call))


def _delete(call: Call) -> Reply:
    store, name = call.services.store.sites, call.parameters["siteName"]
    stored = store.read(name)
    require_match(call.request.headers, stored["_etag"] if stored else "")
    if stored is not None:
        _require_rest(stored)
        ensure_written(partial(store.delete, stored), lambda: store.read(name) is None)
    return Reply(204)


def _wanted(call: Call) -> SiteDocument:
    """Return what the body says about the site.

    Raises:
        CloudError: 400 `InvalidParameter` with every problem.
    """
    content = requested_site.request_body(call, SITE)
    name = call.parameters["siteName"]
    return {
        "id": name,
        "key": key_of(name),
        "bundle": content["bundle"],
        "metadata": content.get("metadata", METADATA),
    }


def _require_rest(stored: SiteDocument | None) -> None:
    operation_id = (stored or {}).get("asyncOperationId")
    if operation_id:
        raise busy(str(operation_id))


def busy(operation_id: str) -> CloudError:
    """Return the refusal of a request for a site on which an operation runs."""
    return conflict(f"The operation '{operation_id}' runs on this site. Wait for its end, or cancel it.")


def _is_written(call: Call, wanted: SiteDocument) -> bool:
    document = call.services.store.sites.read(wanted["id"])
    return document is not None and {**document, **wanted} == document


def _reply(status: int, document: SiteDocument) -> Reply:
    return Reply(status, _shown(document), {"ETag": document["_etag"]})


def _shown(document: SiteDocument) -> Json:
    """Return a site as operators see it."""
    members = {
        "name": document["id"],
        "bundle": document["bundle"],
        "metadata": document["metadata"],
        "runningOperationId": document.get("asyncOperationId"),
        "lastOperationId": document.get("lastAsyncOperationId"),
        "lastOperationIdByPlan": document.get("runs"),
        "etag": document["_etag"],
    }
    return {name: value for name, value in members.items() if value is not None}
