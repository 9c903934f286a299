"""The wire format of all of Graph's answers: collections, entities, request bodies, references."""

import json
from collections.abc import Callable, Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.store import Document
from emulator.graph.exceptions import BAD_REQUEST, NOT_SUPPORTED
from emulator.graph.odata import Item, query, select

CONTEXT = "https://graph.microsoft.com/v1.0/$metadata#"


def page(request: Request, collection: str, found: Iterable[Document], show: Callable[[Document], Item]) -> Response:
    """Answer a collection."""
    value = query((show(document) for document in found), request.query_params)
    return JSONResponse({"@odata.context": f"{CONTEXT}{collection}", "value": value})


def entity(request: Request, collection: str, item: Item, status_code: int = 200) -> Response:
    """Answer one item of a collection."""
    members = [member.strip() for member in request.query_params.get("$select", "").split(",") if member.strip()]
    body = {"@odata.context": f"{CONTEXT}{collection}/$entity"} | select(item, members)
    return JSONResponse(body, status_code=status_code)


async def body_of(request: Request, members: Collection[str]) -> dict[str, Any]:
    """Return the request's JSON object without its nulls; an empty body is an empty object.

    Raises:
        ServiceError: 400 if it is not a JSON object, or has a member that the local Microsoft Graph lacks.
    """
    raw = await request.body()
    try:
        body = json.loads(raw) if raw.strip() else {}
        # JSON can escape half a surrogate pair, but no answer could contain it.
        json.dumps(body, ensure_ascii=False).encode()
    except ValueError as error:
        raise BAD_REQUEST(f"Unable to read JSON request payload: {error}") from error
    if not isinstance(body, dict):
        raise BAD_REQUEST("Unable to read JSON request payload: an object is expected.")
    # The CLI sends null for members that it was not given.
    known = {name: value for name, value in body.items() if value is not None and not name.startswith("@odata.")}
    if unknown := sorted(known.keys() - set(members)):
        raise NOT_SUPPORTED(f"the property {', '.join(unknown)} in bodies of Microsoft Graph")
    return known


def by_app_id(request: Request) -> bool:
    """Tell whether a path names an object by its application id, in parentheses, and not by its object id."""
    return request.url.path.endswith("')")


async def referred(request: Request) -> str:
    """Return the object id to which the body `{"@odata.id": "https://graph.microsoft.com/v1.0/directoryObjects/{id}"}` refers.

    Raises:
        ServiceError: 400 if it does not.
    """
    try:
        url = json.loads(await request.body())["@odata.id"]
        path = urlsplit(url).path
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BAD_REQUEST("Unable to read JSON request payload: '@odata.id' is expected.") from error
    return str(path.rsplit("/", 1)[-1])
