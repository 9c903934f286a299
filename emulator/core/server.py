"""The HTTPS server of the local Azure: finds the service by host name, applies faults, keeps the journal."""

import asyncio
import contextlib
import logging
import re
import socket
import time
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from emulator.core import cut_answers
from emulator.core.certificate_authority import ServerNames
from emulator.core.clock import rfc3339
from emulator.core.exceptions import CRASHED, injected
from emulator.core.faults import CUTS, Fault
from emulator.core.journal import Entry, noting_actions
from emulator.core.platform import Platform, Service
from emulator.core.service_error import ServiceError

logger = logging.getLogger(__name__)

CORRELATION_HEADERS = ("x-ms-correlation-request-id", "x-ms-client-request-id", "x-ms-activity-id")
CHARGE_HEADER = "x-ms-request-charge"
STEP_IN_BAGGAGE = re.compile(r"(?:^|,)\s*step\s*=\s*([^\s,;]+)")
UNSUPPORTED = "NotSupportedByLocalAzure"
SECRET_IN_QUERY = re.compile(r"(?i)([?&](?:sig|code|client_secret)=)[^&]*")


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol, which also gives the application its transport, so that a fault can cut the connection."""

    def on_headers_complete(self) -> None:
        """Add the transport to the scope before the application sees it."""
        self.scope["extensions"] = {"transport": {"transport": self.transport}}
        super().on_headers_complete()


class Dispatcher:
    """The ASGI application in front of the services.

    Args:
        platform: has the services, the faults, the journal and the clock.
        only: the service that answers for every host name; without it, the host name selects the service.
    """

    def __init__(self, platform: Platform, only: Service | None = None) -> None:
        self._platform = platform
        self._only = only
        self._unsupported_hosts: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        service = self._only or self._service_for(request)
        if service is None:
            await self._unsupported(request)(scope, receive, send)
            return
        await self._serve(service, request, send)

    def _unsupported(self, request: Request) -> Response:
        """Return an ARM error for a host that is not emulated; log and journal get an entry once for each host."""
        host = request.headers.get("host", "").lower()
        message = f"The local Azure does not emulate '{host}', and no call leaves this machine."
        if host not in self._unsupported_hosts:
            self._unsupported_hosts.add(host)
            logger.warning("%s %s: %s", request.method, request.url.path, message)
            self._platform.journal.add(
                Entry(
                    time=rfc3339(self._platform.clock.now()),
                    service="unsupported",
                    operation=f"{request.method} {host}",
                    method=request.method,
                    path=_masked(request),
                    status=HTTPStatus.NOT_FOUND,
                    caller="",
                    correlation_id=_correlation_id(request),
                    fault="",
                    seconds=0,
                    error=UNSUPPORTED,
                    message=message,
                )
            )
        return JSONResponse({"error": {"code": UNSUPPORTED, "message": message}}, HTTPStatus.NOT_FOUND)

    def _service_for(self, request: Request) -> Service | None:
        host = request.headers.get("host", "").lower()
        return self._platform.service_for(host) or self._platform.service_for(host.partition(":")[0])

    async def _serve(self, service: Service, request: Request, send: Send) -> None:
        began, clock_began = time.perf_counter(), self._platform.clock.now()
        route = _match(service, request)
        operation = service.operation(request, route) if route else f"{request.method} unknown"
        correlation_id = _correlation_id(request)
        named = STEP_IN_BAGGAGE.search(request.headers.get("baggage", ""))
        step = named[1] if named else ""
        fault = self._platform.faults.take(service.name, operation, correlation_id, step)
        error: ServiceError | None = None
        response: Response | None = None
        actions: dict[str, None] = {}
        try:
            with noting_actions() as actions:
                response = await _answer(service, request, route, fault)
        except ServiceError as caught:
            error = caught
            response = service.render(request, caught)
        except ClientDisconnect:
            return
        except Exception:
            logger.exception("%s %s crashed", service.name, operation, extra={"path": request.url.path})
            error = CRASHED()
            response = service.render(request, error)
        cut = fault.kind if fault is not None and fault.kind in CUTS else None
        self._platform.journal.add(
            Entry(
                time=rfc3339(clock_began),
                service=service.name,
                operation=operation,
                method=request.method,
                path=_masked(request),
                status=0 if cut or response is None else response.status_code,
                caller=getattr(request.state, "caller", ""),
                correlation_id=correlation_id,
                step=step,
                fault=fault.id if fault else "",
                seconds=round(time.perf_counter() - began, 6),
                charge=float(response.headers.get(CHARGE_HEADER, 0)) if response is not None else 0,
                error=error.code if error else "",
                message=error.message if error else "",
                actions=tuple(actions),
            ),
            *_bodies(request, response),
        )
        transport = request.scope["extensions"]["transport"]["transport"]
        if response is None:
            transport.abort()
            return
        response.headers.setdefault(service.request_id_header, str(uuid4()))
        if cut:
            transport.write(cut_answers.sent(cut, request.method, response))
            transport.abort()
            return
        await response(request.scope, request.receive, send)


def _bodies(request: Request, response: Response | None) -> tuple[bytes, bytes]:
    """Return the bodies of a call; empty if they were not read, or are streamed."""
    # Starlette keeps a body that was read here. Its `body()` would read one that nobody has asked for.
    return vars(request).get("_body", b""), bytes(getattr(response, "body", b""))


async def _answer(service: Service, request: Request, route: Route | None, fault: Fault | None) -> Response | None:
    """Run the endpoint, or apply the fault instead; return None if the fault cuts the connection before the work."""
    if fault:
        await fault.pause()
    if fault and fault.kind == "status":
        raise _injected(fault)
    if fault and fault.kind in ("reset", "silence"):
        return None
    if route is None:
        raise service.not_found(request)
    request.state.fault = fault
    response: Response = await route.endpoint(request)
    return response


def _match(service: Service, request: Request) -> Route | None:
    for route in service.routes:
        match, child_scope = route.matches(request.scope)
        if match is Match.FULL:
            request.scope.update(child_scope)
            return route
    return None


def _injected(fault: Fault) -> ServiceError:
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    code = fault.code or ("TooManyRequests" if fault.status_code == 429 else "ServiceUnavailable")  # noqa: PLR2004 - HTTP
    error = injected(fault.status_code, code, fault.message)
    error.headers |= headers
    return error


def _correlation_id(request: Request) -> str:
    return next((request.headers[name] for name in CORRELATION_HEADERS if name in request.headers), "")


def _masked(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return SECRET_IN_QUERY.sub(r"\1***", request.url.path + query)


def protocol_config(application: ASGIApp) -> uvicorn.Config:
    """Return uvicorn's settings for HTTP."""
    config = uvicorn.Config(
        application,
        interface="asgi3",
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=2,
    )
    config.load()
    return config


class Server:
    """uvicorn on loopback with certificates of the local CA, inside the running event loop."""

    def __init__(self, platform: Platform) -> None:
        self._names = ServerNames(platform.authority)
        self._dispatcher = Dispatcher(platform)
        self._servers: list[tuple[uvicorn.Server, asyncio.Task[None], list[socket.socket]]] = []

    async def listen(self, port: int = 0, *, tls: bool = True) -> int:
        """Listen on a loopback port (a free one for 0), on IPv4 and, if available, on IPv6; return the port.

        Raises:
            OSError: the port is taken.
        """
        sockets = bind_loopback(port)
        config = protocol_config(self._dispatcher)
        if tls:
            config.ssl = self._names.context()
        server = _QuietServer(config)
        task = asyncio.get_running_loop().create_task(server.serve(sockets), name=f"server {port}")
        self._servers.append((server, task, sockets))
        while not server.started:
            if task.done():
                await task
            await asyncio.sleep(0.005)
        bound: int = sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Stop listening and close all connections."""
        for server, task, sockets in self._servers:
            server.should_exit = True
            with contextlib.suppress(asyncio.CancelledError):
                await task
            for bound in sockets:
                bound.close()


class _QuietServer(uvicorn.Server):
    """A uvicorn server that leaves signals to the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Leave signals alone."""
        yield


def bind_loopback(port: int) -> list[socket.socket]:
    """Bind a port on 127.0.0.1 and, if the machine has it, on ::1; return the sockets.

    Raises:
        OSError: the port is taken.
    """
    first = socket.create_server(("127.0.0.1", port))
    sockets = [first]
    with contextlib.suppress(OSError):
        sockets.append(socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6))
    for listener in sockets:
        # Connections inherit TCP_NODELAY. asyncio itself sets it only on sockets that were made with an explicit TCP
        # protocol number. Without it, the second packet of an answer waits 40 ms for the client's delayed
        # acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sockets
