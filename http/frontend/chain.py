"""The chain that every request goes through, and the only place that knows its order."""

from collections.abc import Callable

from frontend.messages import Call, Handler, Middleware, Reply, Request
from frontend.middleware_api_version import api_version
from frontend.middleware_authentication import authenticate
from frontend.middleware_body import body
from frontend.middleware_headers import headers
from frontend.middleware_host import host
from frontend.middleware_log import log
from frontend.middleware_lowercase import lowercase
from frontend.middleware_method import method
from frontend.middleware_panic import panic
from frontend.middleware_path import path
from frontend.middleware_referer import referer
from frontend.middleware_subscription import subscription
from frontend.middleware_system_data import system_data
from frontend.routes import Route
from frontend.services import Services

CHAIN: tuple[Middleware, ...] = (
    # The first three look at nothing but ids in headers: they record and render what the others decide.
    log,
    headers,
    panic,
    authenticate,
    host,
    method,
    lowercase,
    path,
    referer,
    api_version,
    body,
    system_data,
    subscription,
)


def _dispatch(call: Call) -> Reply:
    verb = call.route.verbs.get(call.request.method)
    return (verb.handler if verb else call.route.otherwise)(call)


def _wrap(middleware: Middleware, inner: Handler) -> Handler:
    return lambda call: middleware(call, inner)


def _chain() -> Handler:
    handle: Handler = _dispatch
    for middleware in reversed(CHAIN):
        handle = _wrap(middleware, handle)
    return handle


_HANDLE = _chain()


def respond(route: Route, request: Request, get_services: Callable[[], Services]) -> Reply:
    """Answer a request: never raises, whatever the request is."""
    return _HANDLE(Call(request, route, get_services))
