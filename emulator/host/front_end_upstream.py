"""The front end's side towards the host: connections over its Unix socket, and one request with its answer."""

import asyncio
from collections import deque
from pathlib import Path
from typing import Any, Protocol

import httptools

_CONNECT_SECONDS = 3.0
_CONNECT_PAUSE_SECONDS = 0.05
_LARGE_BUFFER_BYTES = 1024 * 1024
_FIRST_FINAL_STATUS = 200  # What comes before is informational, and another answer follows.

_REPLIES = {
    400: "Bad Request",
    403: "Forbidden",
    413: "Payload Too Large",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway",
    503: "Service Unavailable",
}
_EXPLANATIONS = {
    403: "The page you are trying to access requires a client certificate.",
    502: "The host went away while it answered this request.",
    503: "The service is unavailable.",
}


def canned_reply(status: int, *, close: bool) -> bytes:
    """Return a whole response of the front end's own."""
    reason = _REPLIES[status]
    body = (
        f"<!DOCTYPE html><html><head><title>{status} {reason}</title></head>"
        f"<body><h1>{status} - {reason}</h1><p>{_EXPLANATIONS.get(status, reason)}</p></body></html>"
    ).encode()
    head = (
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n"
        f"{'Connection: close' + chr(13) + chr(10) if close else ''}\r\n"
    )
    return head.encode() + body


class Caller(Protocol):
    """The connection that a request came in on."""

    def write(self, data: bytes) -> None:
        """Send to the caller."""

    def pause_reading(self) -> None:
        """Take no more of the request for now."""

    def resume_reading(self) -> None:
        """Take more of the request again."""

    def exchange_ended(self, exchange: "Exchange", *, keep_alive: bool) -> None:
        """Go on with the next request, or close."""


class Upstream(asyncio.Protocol):
    """One connection to the host; serves one exchange at a time."""

    def __init__(self, pool: "UpstreamPool") -> None:
        self._pool = pool
        self._parser: Any = None
        self.transport: asyncio.Transport | None = None
        self.exchange: Exchange | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = transport  # type: ignore[assignment]  # a stream socket has a stream transport

    def begin(self, exchange: "Exchange") -> None:
        """Serve an exchange from now on."""
        self.exchange = exchange
        self._parser = httptools.HttpResponseParser(self)

    def write(self, data: bytes) -> None:
        """Send to the host."""
        if self.transport is not None:
            self.transport.write(data)

    def data_received(self, data: bytes) -> None:
        """Pass the answer on as it came, and watch for its end."""
        exchange = self.exchange
        if exchange is None:
            self.discard()
            return
        exchange.answer(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            exchange.fail()

    def on_headers_complete(self) -> None:
        """See whether the answer ends with its headers."""
        # A reply to HEAD announces a body that never comes; the parser would wait for it.
        if (
            self.exchange is not None
            and self.exchange.is_head
            and self._parser.get_status_code() >= _FIRST_FINAL_STATUS
        ):
            self._finish(reusable=False)

    def on_message_complete(self) -> None:
        """End the exchange."""
        if self._parser.get_status_code() >= _FIRST_FINAL_STATUS:
            self._finish(reusable=self._parser.should_keep_alive())

    def connection_lost(self, _error: Exception | None) -> None:
        """Leave the pool; an exchange in flight has failed."""
        self._pool.forget(self)
        if self.exchange is not None:
            exchange, self.exchange = self.exchange, None
            exchange.fail()

    def pause_writing(self) -> None:
        """The host reads too slowly."""
        if self.exchange is not None:
            self.exchange.client.pause_reading()

    def resume_writing(self) -> None:
        """The host has caught up."""
        if self.exchange is not None:
            self.exchange.client.resume_reading()

    def discard(self) -> None:
        """Close without ceremony."""
        self._pool.forget(self)
        if self.transport is not None:
            self.transport.abort()

    def _finish(self, *, reusable: bool) -> None:
        exchange, self.exchange = self.exchange, None
        if exchange is None:
            return
        if reusable and exchange.is_sent:
            self._pool.give_back(self)
        elif self.transport is not None:
            self.transport.close()
        exchange.finish()


class UpstreamPool:
    """Idle connections to the host."""

    def __init__(self, socket_path: Path) -> None:
        self._socket_path = str(socket_path)
        self._idle: deque[Upstream] = deque()

    async def connect(self) -> Upstream:
        """Return an idle connection or a new one.

        Raises:
            OSError: the host did not come back in time.
        """
        if self._idle:
            return self._idle.pop()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _CONNECT_SECONDS
        while True:
            try:
                _, upstream = await loop.create_unix_connection(lambda: Upstream(self), self._socket_path)
            except OSError:
                if loop.time() > deadline:
                    raise
                await asyncio.sleep(_CONNECT_PAUSE_SECONDS)
            else:
                return upstream

    def give_back(self, upstream: Upstream) -> None:
        """Keep a connection for the next exchange."""
        self._idle.append(upstream)

    def forget(self, upstream: Upstream) -> None:
        """Drop a connection that has ended."""
        if upstream in self._idle:
            self._idle.remove(upstream)

    def close(self) -> None:
        """Close every idle connection."""
        while self._idle:
            self._idle.pop().discard()


class Exchange:
    """One request and its answer. Bytes wait in `_pending` until the host can be reached."""

    def __init__(self, client: Caller, *, is_head: bool, keep_alive: bool, canned: int | None) -> None:
        self.client = client
        self.is_head = is_head
        self.is_sent = False
        self._keep_alive = keep_alive
        self._canned = canned
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._upstream: Upstream | None = None
        self._has_answered = False
        self._is_over = False
        self._connecting: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        """Send bytes of the request, or keep them until there is a connection."""
        if self._canned is not None or self._is_over:
            return
        if self._upstream is not None:
            self._upstream.write(data)
        else:
            self._pending.append(data)
            self._pending_bytes += len(data)
            if self._pending_bytes > _LARGE_BUFFER_BYTES:
                self.client.pause_reading()

    def start(self, pool: UpstreamPool) -> None:
        """Begin, once every earlier exchange of the connection has ended."""
        if self._canned is None:
            self._connecting = asyncio.get_running_loop().create_task(self._connect(pool))
        elif self.is_sent:
            self._reply(self._canned)

    def end_of_request(self) -> None:
        """The whole request has been read."""
        self.is_sent = True

    def answer_if_canned(self) -> None:
        """Send the front end's own reply, now that the request is over."""
        if self._canned is not None and not self._is_over:
            self._reply(self._canned)

    async def _connect(self, pool: UpstreamPool) -> None:
        try:
            upstream = await pool.connect()
        except OSError:
            self._reply(503)
            return
        if self._is_over:
            pool.give_back(upstream)
            return
        upstream.begin(self)
        self._upstream = upstream
        upstream.write(b"".join(self._pending))
        self._pending.clear()
        self.client.resume_reading()

    def answer(self, data: bytes) -> None:
        """Pass bytes of the answer on."""
        self._has_answered = True
        self.client.write(data)

    def finish(self) -> None:
        """The answer is complete."""
        if not self._is_over:
            self._is_over = True
            self.client.exchange_ended(self, keep_alive=self._keep_alive and self.is_sent)

    def fail(self) -> None:
        """The host went away: 502, or a cut connection when the answer has begun."""
        if self._is_over:
            return
        if self._has_answered:
            self._is_over = True
            self.client.exchange_ended(self, keep_alive=False)
        else:
            self._reply(502)

    def cancel(self) -> None:
        """The caller went away."""
        self._is_over = True
        if self._connecting is not None and self._upstream is None:
            self._connecting.cancel()
        if self._upstream is not None:
            self._upstream.exchange = None
            self._upstream.discard()

    def pause(self, *, paused: bool) -> None:
        """Stop or go on reading the answer."""
        if self._upstream is not None and self._upstream.transport is not None:
            if paused:
                self._upstream.transport.pause_reading()
            else:
                self._upstream.transport.resume_reading()

    def _reply(self, status: int) -> None:
        self._is_over = True
        keep_alive = self._keep_alive and self.is_sent
        self.client.write(canned_reply(status, close=not keep_alive))
        self.client.exchange_ended(self, keep_alive=keep_alive)
