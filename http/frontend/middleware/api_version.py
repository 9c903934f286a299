"""The `api-version` of a request."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply
from shared.clusters.api_versions import find_api_version


def api_version(call: Call, handle: Handler) -> Reply:
    """Find the row of the version, on routes that have one.

    Raises:
        CloudError: 400 `InvalidResourceType`, listing the versions that serve the route.
    """
    if not call.route.versioned:
        return handle(call)
    name = call.request.query.get("api-version", "")
    return handle(replace(call, version=find_api_version(name, call.route.feature)))
