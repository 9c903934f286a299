"""Whether an answer came whole, as far as its headers tell.

Python's HTTP client takes the end of a connection for the end of the headers. So an answer that was cut in its headers
looks like a success with an empty body: a blob of no bytes, a document that is not there. Every answer of HTTP/1.1 that
keeps its connection says how long its body is; one that does not is cut.

Source: RFC 9112, sections 6.3 and 8.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from azure.core.exceptions import ServiceResponseError
from azure.core.pipeline import PipelineResponse

_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


def is_whole(method: str, status: int, headers: Mapping[str, str]) -> bool:
    """Tell whether the headers of an answer say how long its body is.

    Args:
        method: method of the request.
        status: status of the answer.
        headers: its headers, with names in any case.
    """
    named = {name.lower(): value.lower() for name, value in headers.items()}
    return (
        method == "HEAD"
        or status in _BODILESS
        or "content-length" in named
        or "chunked" in named.get("transfer-encoding", "")
        # Its body ends with the connection.
        or "close" in named.get("connection", "")
    )


def expect_whole(response: PipelineResponse[Any, Any]) -> None:
    """Refuse an answer that was cut in its headers; a pipeline hook.

    Raises:
        azure.core.exceptions.ServiceResponseError: if it was.
    """
    answer = response.http_response
    if not is_whole(answer.request.method, answer.status_code, answer.headers):
        raise ServiceResponseError("the answer breaks off in its headers")
