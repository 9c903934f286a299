"""The envelope of a body: its size, its type, and that it is JSON. The handler judges the content."""

from dataclasses import replace
from typing import Any

from frontend.messages import Call, Handler, Reply, Request
from shared.arm.errors import CloudError, ErrorCode, shown
from shared.arm.json_body import parse_json

MAX_BYTES = 1_048_576
_WITH_BODY = ("PUT", "PATCH", "POST")


def body(call: Call, handle: Handler) -> Reply:
    """Pass on the parsed body, or None if it is empty.

    Raises:
        CloudError: 400 `InvalidResource` or `InvalidRequestContent`, 415 `UnsupportedMediaType`, unless the verb has an
            answer of its own to such a body.
    """
    request, verb = call.request, call.route.verbs.get(call.request.method)
    if request.method not in _WITH_BODY:
        return handle(call)
    try:
        content = _content(request)
    except CloudError as error:
        if verb is None or verb.unreadable is None:
            raise
        return verb.unreadable(error)
    return handle(replace(call, content=content))


def _content(request: Request) -> Any:
    if len(request.body) > MAX_BYTES:
        raise CloudError(
            400,
            ErrorCode.INVALID_RESOURCE,
            f"The request body has {len(request.body)} bytes; at most {MAX_BYTES} are allowed.",
        )
    given = request.headers.get("content-type", "")
    media_type = given.partition(";")[0].strip().lower()
    if media_type != "application/json" and (given or request.body):
        raise CloudError(
            415,
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            f"The content type '{shown(given)}' of the request is not supported: it must be 'application/json'."
            if given
            else "The request has a body and no Content-Type: it must be 'application/json'.",
        )
    return parse_json(request.body) if request.body else None
