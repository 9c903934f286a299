"""The chains of middleware that requests go through, by who calls. Only this module knows their order."""

from collections.abc import Callable

from frontend.messages import Call, Handler, Middleware, Reply, Request, Route, load
from frontend.middleware.api_version import api_version
from frontend.middleware.authentication import authenticate
from frontend.middleware.body import body
from frontend.middleware.cross_site import cross_site
from frontend.middleware.draining import draining
from frontend.middleware.entra.admission import admit
from frontend.middleware.entra.authorize import authorize
from frontend.middleware.entra.foreign_headers import foreign_headers
from frontend.middleware.entra.public_address import public_address
from frontend.middleware.entra.sign_in import sign_in
from frontend.middleware.entra.system_data import token_system_data
from frontend.middleware.headers import headers
from frontend.middleware.host import host
from frontend.middleware.log import log
from frontend.middleware.lowercase import lowercase
from frontend.middleware.method import method
from frontend.middleware.panic import panic
from frontend.middleware.path import path
from frontend.middleware.referer import referer
from frontend.middleware.served import served
from frontend.middleware.subscription import subscription
from frontend.middleware.system_data import system_data
from frontend.services import Services
from shared.settings import Callers, SettingsError

CHAINS: dict[Callers, tuple[Middleware, ...]] = {
    Callers.ARM: (
        # The first three look only at ids in headers: they record and render what the others decide.
        log,
        headers,
        panic,
        cross_site,
        authenticate,
        host,
        served,
        method,
        draining,
        lowercase,
        path,
        referer,
        api_version,
        body,
        system_data,
        subscription,
    ),
    # Here the service also does what ARM does in front of a provider.
    Callers.ENTRA: (
        foreign_headers,
        log,
        headers,
        panic,
        sign_in,
        served,
        method,
        lowercase,
        path,
        public_address,
        api_version,
        authorize,
        draining,
        body,
        token_system_data,
        admit,
    ),
}


def _dispatch(call: Call) -> Reply:
    verb = call.route.verbs.get(call.request.method)
    return (load(verb.handler) if verb else call.route.otherwise)(call)


def _wrap(middleware: Middleware, inner: Handler) -> Handler:
    return lambda call: middleware(call, inner)


def _chain(middlewares: tuple[Middleware, ...]) -> Handler:
    handle: Handler = _dispatch
    for middleware in reversed(middlewares):
        handle = _wrap(middleware, handle)
    return handle


_HANDLERS = {callers: _chain(middlewares) for callers, middlewares in CHAINS.items()}


def respond(route: Route, request: Request, get_services: Callable[[], Services]) -> Reply:
    """Answer a request. Never raises, whatever the request is.

    Args:
        route: the route that the host has matched.
        request: the request.
        get_services: returns the collaborators of this process.
    """
    return _HANDLERS[_callers(get_services)](Call(request, route, get_services))


def _callers(get_services: Callable[[], Services]) -> Callers:
    """Return who calls. With invalid settings nobody is let in, so no header counts."""
    try:
        return get_services().settings.callers
    except SettingsError:
        return Callers.ENTRA
