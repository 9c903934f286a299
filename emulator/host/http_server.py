"""The host's ASGI applications: functions over HTTP, the public durable routes, and the worker's rpc routes."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from emulator.host.asgi import (
    BodyTooLargeError,
    Receive,
    Reply,
    Scope,
    Send,
    body_limit,
    header_values,
    query_values,
    read_body,
)
from emulator.host.durable.management import Management, ManagementRequest
from emulator.host.function_index import FunctionIndex, HTTPFunction
from emulator.host.host_config import HostConfig
from emulator.host.keys import HostKeys
from emulator.host.logs import log
from emulator.host.route_templates import split_path
from emulator.host.timers import TimerService
from emulator.host.worker.process import FunctionFailedError, Worker, WorkerDiedError, WorkerStoppedError

_PUBLIC_DURABLE = "/runtime/webhooks/durabletask"
_RPC_DURABLE = "/durabletask"
# Headers that only the platform's front end may set. On the plain listener, nobody has presented a certificate.
_PLATFORM_HEADERS = ("x-arr-clientcert", "x-forwarded-proto", "disguised-host")
_NOT_READY = Reply(503, b"Function host is not running.", [("Content-Type", "text/plain")])
_HOME_PAGE = b"<!DOCTYPE html><html><head><title>Functions</title></head><body>Your Functions host is up and running.</body></html>"
_HOP_BY_HOP = frozenset({"content-length", "transfer-encoding", "connection"})


@dataclass
class HostServices:
    """Everything the applications need to answer requests, once the worker has loaded the app."""

    index: FunctionIndex
    worker: Worker
    config: HostConfig
    keys: HostKeys
    management: Management
    timers: TimerService
    client_binding: Callable[[], str]


@dataclass
class HostState:
    """Has the services while the host is ready; before and after that, callers get 503, and the status says why."""

    services: HostServices | None = None
    keys: HostKeys | None = None
    errors: tuple[str, ...] = ()


class FunctionsApplication:
    """Answers requests on the host's port, and on the socket of the front end."""

    def __init__(self, state: HostState, *, trusts_platform_headers: bool) -> None:
        self._state = state
        self._trusts_platform_headers = trusts_platform_headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        services = self._state.services
        if services is None:
            await _answer_unready(self._state, scope).send(send)
            return
        try:
            reply = await self._answer(services, scope, receive)
        except BodyTooLargeError:
            reply = Reply(413)
        await reply.send(send)

    async def _answer(self, services: HostServices, scope: Scope, receive: Receive) -> Reply:
        headers = header_values(scope)
        if not self._trusts_platform_headers:
            for name in _PLATFORM_HEADERS:
                headers.pop(name, None)
        raw_path = scope["raw_path"].decode("latin-1")
        query = query_values(scope)
        key = _key(scope)
        if raw_path.lower().startswith(_PUBLIC_DURABLE + "/"):
            if not services.keys.permits_durable(key):
                return Reply(401)
            return await manage(services.management, scope, receive, raw_path[len(_PUBLIC_DURABLE) + 1 :])
        if raw_path.lower().startswith("/admin/"):
            return await _administer(services, scope["method"], raw_path, key)

        path = split_path(raw_path)
        found = _find_function(services.index, scope["method"], path) if path is not None else None
        if found is None:
            return _home_page() if raw_path == "/" and scope["method"] in ("GET", "HEAD") else Reply(404)
        function, values = found
        if not services.keys.permits(function.auth_level, key):
            return Reply(401)
        body = await read_body(receive, body_limit()) if int(headers.get("content-length") or 0) > 0 else b""
        request = {
            "method": scope["method"],
            "url": _url(scope, headers, raw_path),
            "headers": headers,
            "query": query,
            "params": values,
        }
        return await _invoke(services, function, request, body)


def _find_function(
    index: FunctionIndex, method: str, path: tuple[list[str], bool]
) -> tuple[HTTPFunction, dict[str, str]] | None:
    segments, trailing_slash = path
    for function in index.http:
        if method in function.methods:
            values = function.template.match(segments, trailing_slash=trailing_slash)
            if values is not None:
                return function, values
    return None


def _url(scope: Scope, headers: dict[str, str], raw_path: str) -> str:
    host = headers.get("disguised-host") or headers.get("host", "localhost")
    scheme = headers.get("x-forwarded-proto") or "http"
    query = scope["query_string"].decode("latin-1")
    return f"{scheme}://{host}{raw_path}{'?' + query if query else ''}"


def _home_page() -> Reply:
    if os.environ.get("AzureWebJobsDisableHomepage", "").lower() == "true":  # noqa: SIM112 - the platform's name
        return Reply(204)
    return Reply(200, _HOME_PAGE, [("Content-Type", "text/html")])


async def _invoke(services: HostServices, function: HTTPFunction, request: dict[str, Any], body: bytes) -> Reply:
    header = {"http": request, "inputs": {name: services.client_binding() for name in function.clients}}
    timeout = services.config.function_timeout_seconds
    try:
        result, payload = await services.worker.invoke(function.name, header, body, timeout)
    except FunctionFailedError as error:
        log("ERROR", f"Function.{function.name}", str(error), stack=error.error.stack)
        return Reply(500)
    except (WorkerDiedError, WorkerStoppedError) as error:
        log("ERROR", f"Function.{function.name}", f"The call was lost: {error}")
        return Reply(500)
    if "text" in result:
        return _text_reply(result["text"])
    if result["http"] is None:
        return Reply(500)
    headers = [(name, value) for name, value in result["http"]["headers"] if name.lower() not in _HOP_BY_HOP]
    return Reply(result["http"]["status"], payload, headers)


def _text_reply(text: str) -> Reply:
    """Make a reply of a returned string: JSON is reformatted, and an object with a body describes the whole reply."""
    try:
        value = json.loads(text)
    except ValueError:
        return Reply(200, text.encode(), [("Content-Type", "text/plain; charset=utf-8")])
    content_type = ("Content-Type", "application/json; charset=utf-8")
    if isinstance(value, dict) and "body" in value:
        body = value["body"]
        encoded = body.encode() if isinstance(body, str) else json.dumps(body, indent=2).encode()
        status = int(value.get("statusCode") or value.get("status") or 200)
        headers = [(str(name), str(content)) for name, content in (value.get("headers") or {}).items()]
        return Reply(status, encoded, headers or [content_type])
    return Reply(200, json.dumps(value, indent=2, ensure_ascii=False).encode(), [content_type])


def _answer_unready(state: HostState, scope: Scope) -> Reply:
    """Answer while no function can run: only the status, to callers with the master key."""
    path = scope["raw_path"].decode("latin-1").lower().strip("/")
    if state.keys is None or (scope["method"], path) != ("GET", "admin/host/status"):
        return _NOT_READY
    if not state.keys.permits("admin", _key(scope)):
        return Reply(401)
    return _status("Error" if state.errors else "Initialized", state.errors)


def _key(scope: Scope) -> str | None:
    """Return the key that a caller presents, in a header or in the query."""
    lowered = {name.lower(): value for name, value in query_values(scope).items()}
    return header_values(scope).get("x-functions-key") or lowered.get("code")


def _status(state: str, errors: tuple[str, ...] = ()) -> Reply:
    document: dict[str, Any] = {"state": state, "version": "4.1037", "processUptime": 0}
    if errors:
        document["errors"] = list(errors)
    return Reply(200, json.dumps(document).encode(), [("Content-Type", "application/json; charset=utf-8")])


async def _administer(services: HostServices, method: str, raw_path: str, key: str | None) -> Reply:
    """Answer the few routes of the host's own API that operators use, all of which require the master key."""
    if not services.keys.permits("admin", key):
        return Reply(401)
    match [method, *raw_path.lower().strip("/").split("/")]:
        case ["GET", "admin", "host", "status"]:
            return _status("Running")
        case ["GET" | "POST", "admin", "host", "ping"]:
            return Reply(200)
        case ["POST", "admin", "functions", name] if services.timers.trigger(name):
            return Reply(202)
        case _:
            return Reply(404)


async def manage(management: Management, scope: Scope, receive: Receive, path: str) -> Reply:
    """Pass a request to the management API."""
    segments = tuple(unquote(segment) for segment in path.split("/"))
    request = ManagementRequest(
        method=scope["method"],
        segments=segments,
        query={name.lower(): value for name, value in query_values(scope).items()},
        headers=header_values(scope),
        body=await read_body(receive, limit=None),
    )
    return await management.handle(request)


class RPCApplication:
    """Serves the worker's durable client: the management API without a key."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        services = self._state.services
        raw_path = scope["raw_path"].decode("latin-1")
        if services is None:
            reply = _NOT_READY
        elif raw_path.startswith(_RPC_DURABLE + "/"):
            reply = await manage(services.management, scope, receive, raw_path[len(_RPC_DURABLE) + 1 :])
        else:
            reply = Reply(404)
        await reply.send(send)
