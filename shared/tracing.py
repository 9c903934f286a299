"""The correlation of the call that this thread serves: it ties a request to everything that it causes.

Every Azure call carries it in headers, every log record in `extra`. It is a context variable, because the clients live
as long as the process and serve many requests.
"""

import secrets
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy

CORRELATION_HEADER = "x-ms-correlation-request-id"
CLIENT_REQUEST_HEADER = "x-ms-client-request-id"
TRACEPARENT_HEADER = "traceparent"
# W3C Baggage: further members of a request, for readers of traces.
BAGGAGE_HEADER = "baggage"


@dataclass(frozen=True)
class Correlation:
    """The ids of the request that began everything, and the step that runs for it. Each may be empty."""

    correlation_id: str = ""
    client_request_id: str = ""
    traceparent: str = ""
    operation_id: str = ""
    step: str = ""

    def extra(self) -> dict[str, str]:
        """Return the correlation for a log record: `log.info(..., extra=correlation.extra())`."""
        return {"correlation_id": self.correlation_id, "operation_id": self.operation_id}


current: ContextVar[Correlation] = ContextVar("correlation", default=Correlation())  # noqa: B039 - it is frozen


# The address of this thread's last call, because an error of the connection does not always contain it.
address: ContextVar[str] = ContextVar("address", default="")


def headers() -> dict[str, str]:
    """Return the headers of one outgoing call: the same correlation and step, and its own span of the trace."""
    correlation = current.get()
    outgoing = {}
    if correlation.correlation_id:
        outgoing[CORRELATION_HEADER] = correlation.correlation_id
    if correlation.step:
        outgoing[BAGGAGE_HEADER] = f"step={correlation.step}"
    # W3C trace context: version, trace id, parent span id, flags.
    parts = correlation.traceparent.split("-")
    if len(parts) == 4:  # noqa: PLR2004 - as above
        outgoing[TRACEPARENT_HEADER] = f"{parts[0]}-{parts[1]}-{secrets.token_hex(8)}-{parts[3]}"
    return outgoing


class CorrelationPolicy(SansIOHTTPPolicy[Any, Any]):
    """Puts the correlation on every call of an Azure client."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        """Add the headers."""
        request.http_request.headers.update(headers())


def note_address(request: PipelineRequest[Any]) -> None:
    """Keep the address as a hook: the pipeline calls it last, after the fence and the token, which call as well."""
    address.set(str(request.http_request.url))


def add_headers(request: PipelineRequest[Any]) -> None:
    """Add the headers; a hook for clients that take no policies."""
    note_address(request)
    request.http_request.headers.update(headers())
