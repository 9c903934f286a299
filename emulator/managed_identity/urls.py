"""The routes of the identity endpoint."""

from starlette.routing import Route

from emulator.managed_identity.responses import Responses


def routes(responses: Responses) -> list[Route]:
    """Return the routes."""
    return [Route("/msi/token", responses.token, methods=["GET"], name="GET token")]
