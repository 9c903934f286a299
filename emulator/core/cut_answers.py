"""What is sent of an answer whose connection is cut: nothing, a part of its headers, or a part of its body."""

from http import HTTPStatus

from starlette.responses import Response

from emulator.core.faults import Cut

# A socket's buffer takes this much at once, so it is sent although the connection is cut right away.
LONGEST = 32 * 1024
_FRAMING = ("content-length", "transfer-encoding")
_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_CHUNKED = b"transfer-encoding: chunked\r\n\r\n"


def sent(kind: Cut, method: str, response: Response) -> bytes:
    """Return the part of an answer that is sent before the cut.

    Args:
        kind: where the answer is cut: before it, in its headers, in its body, in a chunk of its body, or after all
            chunks but the empty one that ends them. An answer without a body is cut in its headers, and so is a stream.
        method: method of the request.
        response: the answer.
    """
    if kind == "lost-response":
        return b""
    bodiless = method == "HEAD" or response.status_code in _BODILESS
    body = b"" if bodiless else bytes(getattr(response, "body", b""))[:LONGEST]
    if kind == "cut-headers" or not body:
        # HTTP clients take the end of the connection for the end of the headers. The header that says how long the body
        # is comes last here, so it is the one that they miss.
        return _head(response) + b"x-cut-"
    half = body[: len(body) // 2]
    if kind == "cut-body":
        return _head(response) + b"content-length: %d\r\n\r\n" % len(body) + half
    if kind == "cut-chunk":
        return _head(response) + _CHUNKED + b"%x\r\n" % len(body) + half
    return _head(response) + _CHUNKED + b"%x\r\n%b\r\n" % (len(body), body)


def _head(response: Response) -> bytes:
    headers = [(name, value) for name, value in response.raw_headers if name.decode().lower() not in _FRAMING]
    return b"HTTP/1.1 %d \r\n" % response.status_code + b"".join(b"%b: %b\r\n" % pair for pair in headers)
