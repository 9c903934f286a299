"""The envelope of a body: that it came, its size, its type, and that it is JSON unless the verb takes an archive.

The handler judges the content. The Functions host drops a body that has no length, so a missing one never counts as one
without options.
"""

from dataclasses import replace
from typing import Any

from frontend.bodies import Body
from frontend.messages import Call, Handler, Reply, Request
from shared.arm.errors import CloudError, ErrorCode, invalid_request_content, shown
from shared.arm.json_body import parse_request_body

MAX_BYTES = 1_048_576
JSON, ARCHIVE = "application/json", "application/gzip"
_WITH_BODY = ("PUT", "PATCH", "POST")


def body(call: Call, handle: Handler) -> Reply:
    """Pass on the parsed body, if the verb takes one. An archive stays in the request as it is.

    Raises:
        CloudError: 400 `InvalidResource` or `InvalidRequestContent`, 411 `LengthRequired`, 415 `UnsupportedMediaType`,
            unless the verb has an answer of its own to such a body.
    """
    request, verb = call.request, call.route.verbs.get(call.request.method)
    if request.method not in _WITH_BODY:
        return handle(call)
    takes = verb.takes if verb else Body.NONE
    try:
        content = _content(request, verb.most_bytes if verb else 0)
        if takes and not request.body:
            raise _missing(request, takes)
    except CloudError as error:
        if verb is None or verb.unreadable is None:
            raise
        return verb.unreadable(error)
    return handle(replace(call, content=content) if takes else call)


# What to send, by the body that a verb takes; a JSON object for all others.
_WANTED = {
    Body.ARCHIVE: "the archive",
    Body.OPTIONS: "a JSON object with the options, {} for none",
}


def _missing(request: Request, takes: Body) -> CloudError:
    """Return the refusal of a request without the body that its verb requires."""
    missing = f"The request has no body: send {_WANTED.get(takes, 'a JSON object')}"
    if "transfer-encoding" in request.headers:
        chunks = f"{missing}. A body in chunks (Transfer-Encoding) does not arrive here: send its Content-Length."
        return CloudError(411, ErrorCode.LENGTH_REQUIRED, chunks)
    return invalid_request_content(f"{missing}.")


def _content(request: Request, most_bytes: int) -> Any:
    most, wanted = (most_bytes, ARCHIVE) if most_bytes else (MAX_BYTES, JSON)
    if len(request.body) > most:
        raise CloudError(
            400,
            ErrorCode.INVALID_RESOURCE,
            f"The request body has {len(request.body)} bytes; at most {most} are allowed.",
        )
    coding = request.headers.get("content-encoding", "").strip().lower()
    if request.body and coding not in ("", "identity"):
        raise CloudError(
            415,
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            f"The content encoding '{shown(coding)}' of the request is not supported. Send the body as it is.",
        )
    given = request.headers.get("content-type", "")
    media_type = given.partition(";")[0].strip().lower()
    if media_type != wanted and (given or request.body):
        raise CloudError(
            415,
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            f"The content type '{shown(given)}' of the request is not supported: it must be '{wanted}'."
            if given
            else f"The request has a body and no Content-Type: it must be '{wanted}'.",
        )
    return parse_request_body(request.body) if request.body and not most_bytes else None
