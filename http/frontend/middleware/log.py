"""One log line for each request: what it asked for, how it ended, and whose it was.

Everything that the request causes has its correlation id.
"""

import logging
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

from frontend.messages import Call, Handler, Reply, new_id
from shared import tracing
from shared.arm.errors import shown
from shared.documents import CorrelationData
from shared.tracing import Correlation

# Callers' ids end up in headers and logs. Anything longer, or with other characters, is not accepted as an id.
_ID = re.compile(r"[A-Za-z0-9._:{}-]{1,128}")
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

_log = logging.getLogger("frontend.access")


def log(call: Call, handle: Handler) -> Reply:
    """Give the call its correlation data, and log how it ended: 4xx as info, 5xx as error."""
    correlation = _correlation(call)
    token = tracing.current.set(
        Correlation(
            correlation["correlationId"], correlation["clientRequestId"], correlation["traceparent"], operation_id=""
        )
    )
    begun = time.monotonic()
    try:
        reply = handle(replace(call, correlation=correlation))
        _log.log(
            logging.ERROR if reply.status >= 500 else logging.INFO,  # noqa: PLR2004 - ours to repair from here on
            # Azure's activity log does not see these requests, so this line is the record of who asked for what.
            "%s %s -> %d in %d ms%s%s",
            call.request.method,
            # Keep a line break in a name escaped.
            shown(quote(call.path)),
            reply.status,
            (time.monotonic() - begun) * 1000,
            f", by {call.identity.text}" if call.identity.text else "",
            f", {reply.error.code} at '{reply.error.target}'" if reply.error else "",
            extra=tracing.current.get().extra(),
        )
        return reply
    finally:
        tracing.current.reset(token)


def _correlation(call: Call) -> CorrelationData:
    headers, request_id = call.request.headers, new_id()
    traceparent = headers.get("traceparent", "")
    return CorrelationData(
        # If the caller sends no id, its request, its operation and every call to Azure still share one.
        correlationId=_id(headers.get(tracing.CORRELATION_HEADER, "")) or request_id,
        clientRequestId=_id(headers.get(tracing.CLIENT_REQUEST_HEADER, "")),
        requestId=request_id,
        requestTime=datetime.now(UTC).isoformat(),
        traceparent=traceparent if _TRACEPARENT.fullmatch(traceparent) else "",
    )


def _id(text: str) -> str:
    return text if _ID.fullmatch(text) else ""
