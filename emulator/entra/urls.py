"""The routes of the sign-in endpoints."""

from starlette.routing import Route

from emulator.entra.browser_sign_in import BrowserSignIn
from emulator.entra.responses import Responses


def routes(responses: Responses, browsers: BrowserSignIn) -> list[Route]:
    """Return the routes; their names are the names of operations in faults and the journal."""
    return [
        Route("/common/discovery/instance", responses.instance, methods=["GET"], name="GET discovery/instance"),
        Route("/common/userrealm/{name}", responses.user_realm, methods=["GET"], name="GET userrealm"),
        Route("/{tenant}/oauth2/v2.0/authorize", browsers.authorize, methods=["GET"], name="GET authorize"),
        Route("/{tenant}/oauth2/v2.0/token", responses.token, methods=["POST"], name="POST token"),
        Route("/{tenant}/oauth2/v2.0/token", responses.no_token, methods=["GET"], name="GET token"),
        Route(
            "/{tenant}/v2.0/.well-known/openid-configuration",
            responses.metadata,
            methods=["GET"],
            name="GET openid-configuration",
        ),
        Route("/{tenant}/discovery/v2.0/keys", responses.keys, methods=["GET"], name="GET keys"),
    ]
