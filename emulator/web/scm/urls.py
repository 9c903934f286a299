"""The addresses of the publishing site."""

from starlette.routing import Route

from emulator.web.scm.responses import Responses


def routes(responses: Responses) -> list[Route]:
    """Return the routes."""
    table = (
        ("POST", "/api/publish", responses.publish),
        ("POST", "/api/zipdeploy", responses.zip_deploy),
        ("GET", "/api/deployments/latest", responses.latest),
        ("GET", "/api/deployments/{id}/log", responses.log),
    )
    return [
        Route(path, endpoint, methods=[method], name=f"{method} {path.strip('/')}") for method, path, endpoint in table
    ]
