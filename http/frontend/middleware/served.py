"""Routes that only some deployments serve, by who calls them."""

from frontend.messages import Call, Handler, Reply
from shared.arm.errors import path_not_found


def served(call: Call, handle: Handler) -> Reply:
    """Answer a route of other deployments like a path that is not served.

    Raises:
        CloudError: 404 `NotFound`.
    """
    if call.route.only is not None and call.route.only is not call.services.settings.callers:
        raise path_not_found(call.path)
    return handle(call)
