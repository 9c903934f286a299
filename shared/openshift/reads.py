"""Reads of several clusters at once during a request, all within one time limit.

They run in an event loop of their own, because cancelling ends a read wherever it waits. The time-outs of a blocking
client count only the pauses of a server, so one that sends a byte now and then would keep a thread for hours.

Clusters belong to customers, so no answer is trusted: its size is limited, redirects are not followed, and whatever it
makes the client library raise becomes the reason why nothing was found.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from shared import durations, tracing
from shared.openshift import client
from shared.openshift.client import Endpoint, NotDone, Read, Unreachable

# A list of 250 machine sets has less than this; a single object is larger only if somebody means harm.
MOST_BYTES = 2**20
_LATE = "the API server does not answer in time"


class Form(StrEnum):
    """The form of an answer, as the header `Accept` asks for it."""

    OBJECTS = "application/json"
    # Of each object it has only the metadata, so the keys in a Secret stay in the cluster.
    TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
    TEXT = "text/plain"


@dataclass(frozen=True)
class Ask:
    """One read.

    Attributes:
        endpoint: the cluster.
        what: an object, or a list with a limit.
        pick: takes the object, the list's items, the table or the text, and returns what to keep of it, because fifty
            whole answers would need much memory.
        most_bytes: how long the answer may be.
        form: the form of the answer.
    """

    endpoint: Endpoint
    what: Read
    pick: Callable[[Any], Any]
    most_bytes: int = MOST_BYTES
    form: Form = Form.OBJECTS


def read_all(asks: Sequence[Ask], seconds: float) -> list[Any]:
    """Return for each read, in order, what its `pick` returns, or a `NotDone` that says why there is nothing.

    Args:
        asks: the reads. They begin at the same time, each on a connection of its own.
        seconds: when to give up those that have not ended.
    """
    return asyncio.run(_read_all(asks, seconds)) if asks else []


async def _read_all(asks: Sequence[Ask], seconds: float) -> list[Any]:
    session, connected = _session(), [asyncio.Event() for _ in asks]
    reads = [asyncio.ensure_future(_answer_of(session, ask, event)) for ask, event in zip(asks, connected, strict=True)]
    try:
        await asyncio.wait(reads, timeout=max(0.0, seconds))
        return [read.result() if read.done() else Unreachable(_LATE) for read in reads]
    finally:
        # aiohttp forgets a connection that is being made when its session closes, so these end first. The others end by
        # the closing, which cuts them: cancelled, they would end TLS in good form, for which a server can keep clients
        # waiting.
        await _cancel([read for read, event in zip(reads, connected, strict=True) if not event.is_set()])
        await session.close()
        await _cancel(reads)


async def _cancel(reads: Sequence[asyncio.Future[Any]]) -> None:
    for read in reads:
        read.cancel()
    await asyncio.gather(*reads, return_exceptions=True)


async def _note_connection(_session: aiohttp.ClientSession, context: SimpleNamespace, _end: Any) -> None:
    context.trace_request_ctx.set()


def _session() -> aiohttp.ClientSession:
    connections = aiohttp.TraceConfig()
    connections.on_connection_create_end.append(_note_connection)
    return aiohttp.ClientSession(
        # Each read has a connection of its own: behind a load balancer, that may be to another API server.
        connector=aiohttp.TCPConnector(limit=0, force_close=True),
        trace_configs=[connections],
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=durations.REQUEST_CONNECTION.total_seconds()),
        # Unpacking could make a small answer large.
        auto_decompress=False,
        headers={
            "Accept-Encoding": "identity",
            "User-Agent": client.USER_AGENT,
            **tracing.headers(),
        },
    )


async def _answer_of(session: aiohttp.ClientSession, ask: Ask, connected: asyncio.Event) -> Any:
    try:
        return ask.pick(await _read(session, ask, connected))
    except NotDone as error:
        return error
    except TimeoutError:
        return Unreachable(_LATE)
    except (aiohttp.ClientError, OSError) as error:
        return client.failure(error)
    except Exception as error:  # noqa: BLE001 - a cluster cannot fail a request, whatever it answers
        return NotDone(f"the API server's answer is not understood: {type(error).__name__}")


async def _read(session: aiohttp.ClientSession, ask: Ask, connected: asyncio.Event) -> Any:
    async with session.get(
        ask.endpoint.url + ask.what.path,
        ssl=ask.endpoint.tls,
        server_hostname=ask.endpoint.server_name,
        proxy=_proxy(ask.endpoint.url),
        headers={"Accept": ask.form},
        allow_redirects=False,
        trace_request_ctx=connected,
    ) as answer:
        body = await _body(answer, ask.most_bytes)
    if answer.status != HTTPStatus.OK:
        raise client.refused(answer.status, f"the API server answers {client.status_line(answer.status, body)}")
    if ask.form is Form.TEXT:
        return body.decode(errors="replace")
    document = client.parsed(body)
    if not ask.what.is_list:
        return document
    if document["metadata"].get("continue"):
        raise NotDone(f"there are more than {ask.what.limit}")
    return document if ask.form is Form.TABLE else list(document["items"])


async def _body(answer: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in answer.content.iter_any():
        body += chunk
        if len(body) > most_bytes:
            if answer.connection and answer.connection.transport:
                answer.connection.transport.abort()
            raise client.too_long(most_bytes)
    return bytes(body)


def _proxy(url: str) -> str | None:
    """Return the proxy of the environment, by the rules that the other clients follow."""
    return None if proxy_bypass(urlsplit(url).hostname or "") else getproxies().get("https")
