"""The caller's identity as ARM reports it."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply
from shared.clusters import system_data as data


def system_data(call: Call, handle: Handler) -> Reply:
    """Pass on the members of ARM's header about the caller. A header that cannot be read does not fail the request."""
    return handle(replace(call, system_data=data.parse(call.request.headers.get(data.HEADER, ""))))
