"""The `api-version` of a request."""

from dataclasses import replace

from frontend.callers.caller import Caller
from frontend.messages import Call, Handler, Reply
from frontend.middleware.authentication import required_caller
from shared.clusters.api_versions import find_api_version


def api_version(call: Call, handle: Handler) -> Reply:
    """Find the row of the request's `api-version`, on routes that have one.

    Raises:
        CloudError: 400 `InvalidResourceType`, listing the versions that serve the route.
    """
    if not call.route.versioned:
        return handle(call)
    name = call.request.query.get("api-version", "")
    version = find_api_version(name, call.route.feature, for_operators=required_caller(call) is Caller.ADMIN)
    return handle(replace(call, version=version))
