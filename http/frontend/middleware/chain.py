"""The chain of middleware that every request goes through. Only this module knows its order."""

from collections.abc import Callable

from frontend.messages import Call, Handler, Middleware, Reply, Request
from frontend.middleware.api_version import api_version
from frontend.middleware.authentication import authenticate
from frontend.middleware.body import body
from frontend.middleware.headers import headers
from frontend.middleware.host import host
from frontend.middleware.log import log
from frontend.middleware.lowercase import lowercase
from frontend.middleware.method import method
from frontend.middleware.panic import panic
from frontend.middleware.path import path
from frontend.middleware.referer import referer
from frontend.middleware.subscription import subscription
from frontend.middleware.system_data import system_data
from frontend.routes import Route
from frontend.services import Services

CHAIN: tuple[Middleware, ...] = (
    # The first three look only at ids in headers: they record and render what the others decide.
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
    """Answer a request. Never raises, whatever the request is.

    Args:
        route: the route that the host has matched.
        request: the request.
        get_services: returns the collaborators of this process.
    """
    return _HANDLE(Call(request, route, get_services))
