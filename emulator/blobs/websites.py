"""Static websites of storage accounts: the blobs of the container `$web`, for everybody, at `<account>.z1.web.core.windows.net`."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.blobs.exceptions import NETWORK_NOT_ADMITTED, WEB_CONTENT_NOT_FOUND, Renderer
from emulator.blobs.models import WEB, BlobsModel
from emulator.blobs.operations import Target
from emulator.core.platform import Platform, Service

# Azure has a number for each stamp; it makes no difference.
SUFFIX = ".z1.web.core.windows.net"


def create(platform: Platform) -> Service:
    """Create the service."""
    model = platform.model(BlobsModel)

    async def content(request: Request) -> Response:
        account = request.headers["host"].partition(".")[0].lower()
        if not model.accounts.admits(account, model.source(request)):
            raise NETWORK_NOT_ADMITTED()
        path = request.scope["raw_path"].decode("ascii", "replace").partition("?")[0].lstrip("/")
        found = await model.read(Target(account, WEB, path)) if path and model.accounts.has_website(account) else None
        if found is None:
            raise WEB_CONTENT_NOT_FOUND()
        kept = {name: found.headers[name] for name in ("etag", "last-modified")}
        return Response(found.content, 200, kept, found.headers["content-type"])

    return Service(
        name="websites",
        hosts=(f"*{SUFFIX}",),
        resolves=lambda host: model.accounts.exists(host.removesuffix(SUFFIX)),
        routes=[Route("/{path:path}", content, methods=["GET", "HEAD"], name="GET website")],
        render=Renderer(platform.clock),
    )
