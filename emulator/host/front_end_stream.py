"""HTTP inside one TLS connection of the front end: parses requests, sets the platform's headers, keeps their order."""

from collections import deque

import httptools

from emulator.core.tls import TLSConnection
from emulator.host.front_end_upstream import Exchange, UpstreamPool, canned_reply

_MAX_HEADER_BYTES = 32 * 1024
_MAX_BODY_BYTES = 100 * 1024 * 1024

# The platform's own, and what concerns one hop only.
_DROPPED_HEADERS = frozenset(
    {
        b"x-arr-clientcert",
        b"x-forwarded-proto",
        b"x-forwarded-for",
        b"disguised-host",
        b"connection",
        b"keep-alive",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)


class ClientStream:
    """HTTP inside one TLS connection: parses requests, queues their exchanges."""

    def __init__(self, connection: TLSConnection, pool: UpstreamPool, streams: set["ClientStream"]) -> None:
        self._connection = connection
        self._pool = pool
        self._streams = streams
        self._parser = httptools.HttpRequestParser(self)
        self._exchanges: deque[Exchange] = deque()
        self._current: Exchange | None = None
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_bytes = 0
        self._body_bytes = 0
        self._is_chunked = False
        self._is_broken = False
        streams.add(self)

    # What the connection calls.

    def data_received(self, data: bytes) -> None:
        """Parse; what is no HTTP gets 400 and the end of the connection."""
        if self._is_broken:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._refuse(400)

    def connection_lost(self) -> None:
        """Give up what is in flight."""
        self._streams.discard(self)
        for exchange in self._exchanges:
            exchange.cancel()
        self._exchanges.clear()

    def pause_writing(self) -> None:
        """Read no more of the answer."""
        if self._exchanges:
            self._exchanges[0].pause(paused=True)

    def resume_writing(self) -> None:
        """Read the answer again."""
        if self._exchanges:
            self._exchanges[0].pause(paused=False)

    # What the parser calls.

    def on_message_begin(self) -> None:
        """Forget the request before."""
        self._target, self._headers, self._header_bytes, self._body_bytes = b"", [], 0, 0
        self._is_chunked = False

    def on_url(self, url: bytes) -> None:
        """Keep the target as it was written."""
        self._target += url
        self._count_header(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self._headers.append((name, value))
        self._count_header(len(name) + len(value) + 4)

    def on_headers_complete(self) -> None:
        """Begin the exchange."""
        if self._is_broken:
            return
        method = self._parser.get_method()
        values = {name.lower(): value for name, value in self._headers}
        self._is_chunked = b"chunked" in values.get(b"transfer-encoding", b"").lower()
        length = values.get(b"content-length", b"0")
        if length.isdigit() and int(length) > _MAX_BODY_BYTES:
            self._refuse(413)
            return
        exchange = Exchange(
            self,
            is_head=method == b"HEAD",
            keep_alive=self._parser.should_keep_alive(),
            canned=None if self._connection.client_certificate else 403,
        )
        self._current = exchange
        exchange.send(self._request_head(method, values))
        self._exchanges.append(exchange)
        if len(self._exchanges) == 1:
            exchange.start(self._pool)

    def on_body(self, data: bytes) -> None:
        """Pass the body on, chunked again when it came so."""
        self._body_bytes += len(data)
        if self._current is None or self._is_broken:
            return
        if self._body_bytes > _MAX_BODY_BYTES:
            self._refuse(413)
        elif self._is_chunked:
            self._current.send(b"%x\r\n%b\r\n" % (len(data), data))
        else:
            self._current.send(data)

    def on_message_complete(self) -> None:
        """Read no further request until this one is answered."""
        exchange, self._current = self._current, None
        if exchange is None or self._is_broken:
            return
        if self._is_chunked:
            exchange.send(b"0\r\n\r\n")
        exchange.end_of_request()
        self._connection.pause_reading()
        if self._exchanges and self._exchanges[0] is exchange:
            exchange.answer_if_canned()

    # What the exchanges call.

    def write(self, data: bytes) -> None:
        """Send to the caller."""
        self._connection.write(data)

    def pause_reading(self) -> None:
        """The host takes the request too slowly."""
        self._connection.pause_reading()

    def resume_reading(self) -> None:
        """The host has caught up; a request that is complete waits for its answer all the same."""
        if self._current is not None:
            self._connection.resume_reading()

    def exchange_ended(self, exchange: Exchange, *, keep_alive: bool) -> None:
        """Go on with the next request, or close."""
        if self._exchanges and self._exchanges[0] is exchange:
            self._exchanges.popleft()
        if not keep_alive:
            self._is_broken = True
            self._connection.close()
        elif self._exchanges:
            self._exchanges[0].start(self._pool)
        else:
            self._connection.resume_reading()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _count_header(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > _MAX_HEADER_BYTES and not self._is_broken:
            self._refuse(431)

    def _refuse(self, status: int) -> None:
        """Answer with an error and close; what was in flight is given up."""
        self._is_broken = True
        for exchange in self._exchanges:
            exchange.cancel()
        self._exchanges.clear()
        self._connection.write(canned_reply(status, close=True))
        self._connection.close()

    def _request_head(self, method: bytes, values: dict[bytes, bytes]) -> bytes:
        lines = [b"%b %b HTTP/1.1" % (method, self._target)]
        lines += [b"%b: %b" % header for header in self._headers if header[0].lower() not in _DROPPED_HEADERS]
        if self._is_chunked:
            lines.append(b"Transfer-Encoding: chunked")
        lines.append(b"X-ARR-ClientCert: " + (self._connection.client_certificate or "").encode())
        lines.append(b"X-Forwarded-Proto: https")
        lines.append(b"Disguised-Host: " + values.get(b"host", b""))
        if self._connection.peer:
            lines.append("X-Forwarded-For: {}:{}".format(*self._connection.peer[:2]).encode())
        return b"\r\n".join(lines) + b"\r\n\r\n"
