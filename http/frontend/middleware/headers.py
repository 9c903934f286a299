"""Headers that every reply has."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply
from shared import tracing


def headers(call: Call, handle: Handler) -> Reply:
    """Name the request in its reply, and echo the caller's ids as ARM's contract requires."""
    reply = handle(call)
    added = {"X-Ms-Request-Id": call.correlation["requestId"]}
    if call.request.headers.get(tracing.CORRELATION_HEADER):
        added[tracing.CORRELATION_HEADER] = call.correlation["correlationId"]
    wants_client_id = call.request.headers.get("x-ms-return-client-request-id", "").lower() == "true"
    if wants_client_id and call.correlation["clientRequestId"]:
        added[tracing.CLIENT_REQUEST_HEADER] = call.correlation["clientRequestId"]
    return replace(reply, headers={**reply.headers, **added})
