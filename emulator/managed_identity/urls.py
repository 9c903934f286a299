"""What the identity endpoint answers."""

from starlette.routing import Route

from emulator.managed_identity.responses import Responses


def routes(responses: Responses) -> list[Route]:
    """Return the table."""
    return [Route("/msi/token", responses.token, methods=["GET"], name="GET token")]
