"""Answers of machines that somebody else controls: each is read within a number of bytes and a time, or is given up.

A cluster's administrator owns its API server, and anybody may run a registry. The time-outs of a blocking client count
only the pauses of a server, so one that sends a byte now and then would keep a thread forever. So the connections made
here also end with the deadline of the call (`shared/deadline.py`), in the handshake, the headers and the body alike.
`shared/openshift/reads.py` reads many clusters at once, in an event loop with limits of its own.
"""

import math
import ssl
from collections.abc import Iterator
from functools import partial
from typing import Any

import requests
from requests.adapters import DEFAULT_POOLSIZE, HTTPAdapter
from urllib3 import BaseHTTPResponse, Retry
from urllib3.exceptions import ProtocolError
from urllib3.util.ssl_ import create_urllib3_context

from shared import deadline
from shared.arm import json_body

_PIECE_BYTES = 1 << 16

MAX_DEPTH = json_body.MAX_DEPTH
parse = json_body.parse
TooDeep = json_body.TooDeep


class TooLong(ProtocolError):  # noqa: N818 - named by what the server did
    """The answer has more bytes than the caller reads. The connection is not used again."""


class _Connection(ssl.SSLSocket):
    """A connection that ends with the deadline of the call that uses it, however short the pauses of the server."""

    def do_handshake(self, block: bool = False) -> None:
        self._cap()
        super().do_handshake(block)

    def read(self, len: int = 1024, buffer: Any = None) -> Any:  # noqa: A002 - its name in the standard library
        self._cap()
        return super().read(len, buffer)

    def send(self, data: Any, flags: int = 0) -> int:
        self._cap()
        return super().send(data, flags)

    def _cap(self) -> None:
        left = deadline.seconds_left()
        if left <= 0:
            raise TimeoutError("The deadline of the call has passed.")
        if left < math.inf:
            own = self.gettimeout()
            self.settimeout(left if own is None else min(own, left))


def within_deadline(context: ssl.SSLContext) -> ssl.SSLContext:
    """Make the connections of a TLS context end with the deadline of the call that uses them."""
    context.sslsocket_class = _Connection
    return context


def pieces(answer: BaseHTTPResponse, most_bytes: int, piece_bytes: int = _PIECE_BYTES) -> Iterator[bytes]:
    """Read the body of an answer, as the server sent it, and close the answer.

    Args:
        answer: the answer, not yet read.
        most_bytes: how long the body may be.
        piece_bytes: how long a piece may be.

    Raises:
        TooLong: the body is longer.
        urllib3.exceptions.HTTPError: it broke off, or did not arrive in time.
    """
    try:
        yield from _counted(answer.stream, most_bytes, piece_bytes, decode_content=False)
    except BaseException:
        # The rest of the body is still on the connection.
        answer.close()
        raise
    answer.release_conn()


def read(answer: BaseHTTPResponse, most_bytes: int) -> bytes:
    """Return the body of an answer. The arguments and errors are those of `pieces`."""
    return b"".join(pieces(answer, most_bytes))


def _counted(stream: Any, most_bytes: float, piece_bytes: int, decode_content: bool | None = None) -> Iterator[bytes]:
    size = 0
    for piece in stream(piece_bytes, decode_content=decode_content):
        size += len(piece)
        if size > most_bytes:
            raise TooLong(f"The answer has more than {most_bytes} bytes.")
        yield piece


class _Adapter(HTTPAdapter):
    """Sends over connections that end with the deadline, and limits what is read of each answer."""

    def __init__(self, retries: Retry, most_bytes: float, hosts: int, connections: int) -> None:
        self._most_bytes = most_bytes
        super().__init__(pool_connections=hosts, pool_maxsize=connections, max_retries=retries)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, ssl_context=within_deadline(create_urllib3_context()), **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        return super().proxy_manager_for(proxy, **{"ssl_context": within_deadline(create_urllib3_context()), **options})

    def build_response(self, request: requests.PreparedRequest, answer: BaseHTTPResponse) -> requests.Response:
        # Every reader of a body, in `requests` and in Azure's SDKs, calls this method: unpacked bytes count, too.
        vars(answer)["stream"] = partial(_counted, answer.stream, self._most_bytes)
        return super().build_response(request, answer)


def session(
    retries: Retry, most_bytes: float = math.inf, hosts: int = DEFAULT_POOLSIZE, connections: int = DEFAULT_POOLSIZE
) -> requests.Session:
    """Return a session that uses only TLS, even after redirects.

    Args:
        retries: which requests it sends again.
        most_bytes: how long the body of an answer may be; without a limit, the caller reads it with `pieces`.
        hosts: how many hosts it keeps connections to.
        connections: how many connections it keeps to one of them.
    """
    made = requests.Session()
    made.adapters.clear()
    made.mount("https://", _Adapter(retries, most_bytes, hosts, connections))
    return made
