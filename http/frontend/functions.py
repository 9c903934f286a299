"""Registers routes as functions of the host; the only asynchronous code of the frontend.

A handler runs in a thread, because everything below it is synchronous. Afterwards the wrapper does with the durable
client what the handler asks for. The deadline of a request begins here, so it includes the wait for a thread.
"""

import asyncio
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import azure.durable_functions as df
import azure.functions as func

from frontend import dry_run_result
from frontend.messages import Reply, Request, Route
from frontend.middleware.chain import respond
from frontend.routes import ROUTES
from frontend.services import get_services
from orchestrators.packed_inputs import pack_start
from orchestrators.plans import RUN_PLAN
from shared import deadline

# One function per path handles all verbs, because the host itself would answer a wrong verb with a bare 404.
METHODS = ["GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS"]
# Threads of requests only wait, most of all while a dependency is silent, and health must be answered even then.
_THREADS = ThreadPoolExecutor(64, thread_name_prefix="request")

_log = logging.getLogger(__name__)


def register(app: df.DFApp) -> None:
    """Register one function for each route."""
    for route in ROUTES:
        function: Callable[..., Any] = _with_client(route) if route.durable else _without_client(route)
        function.__name__ = route.name
        if route.durable:
            function = app.durable_client_input(client_name="client")(function)
        routed = app.route(route=route.template, methods=METHODS, auth_level=func.AuthLevel.ANONYMOUS)
        app.function_name(route.name)(routed(function))


def _without_client(route: Route) -> Callable[..., Any]:
    async def answer(req: func.HttpRequest) -> func.HttpResponse:
        with deadline.request(route.seconds):
            return _response(await _respond(route, req))

    return answer


def _with_client(route: Route) -> Callable[..., Any]:
    # The binding passes a DurableOrchestrationClient; the worker's check accepts only the declared type.
    async def answer(req: func.HttpRequest, client: str) -> func.HttpResponse:
        durable: Any = client
        with deadline.request(route.seconds):
            reply = await _respond(route, req)
            if reply.start is not None:
                await _start(durable, reply)
        if reply.trial is not None:
            reply = reply.trial.answer(*await dry_run_result.result(durable, reply.trial))
        if reply.durable_instance:
            reply = Reply(reply.status, durable.create_http_management_payload(reply.durable_instance), reply.headers)
        return _response(reply)

    return answer


async def _respond(route: Route, req: func.HttpRequest) -> Reply:
    context, loop = contextvars.copy_context(), asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, context.run, respond, route, _request(req), get_services)


async def _start(client: df.DurableOrchestrationClient, reply: Reply) -> None:
    """Start the orchestration of a reply. The documents are written, so the watchdog starts it if this fails."""
    start = reply.start
    if start is None:
        return
    try:
        async with asyncio.timeout(deadline.aftermath_left()):
            await client.start_new(RUN_PLAN, start.instance_id, pack_start(start.input))
    except Exception:  # noqa: BLE001 - whatever it was, the answer stands
        extra = {"operation_id": start.input["operationId"], "correlation_id": start.input["correlationId"]}
        _log.exception("the orchestration %s was not started; the watchdog will", start.instance_id, extra=extra)


def _request(req: func.HttpRequest) -> Request:
    return Request(
        method=(req.method or "GET").upper(),
        scheme=req.url.partition("://")[0],
        headers={name.lower(): value for name, value in req.headers.items()},
        query={name.lower(): value for name, value in req.params.items()},
        parameters=dict(req.route_params),
        body=req.get_body() or b"",
    )


def _response(reply: Reply) -> func.HttpResponse:
    return func.HttpResponse(
        reply.content or reply.text(),
        status_code=reply.status,
        headers=dict(reply.headers),
        mimetype="application/json",
    )
