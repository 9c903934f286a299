"""Who acts, as ARM says."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply
from shared.clusters import system_data as data


def system_data(call: Call, handle: Handler) -> Reply:
    """Hand on what ARM's header says of the caller; a header that cannot be read stops nobody."""
    return handle(replace(call, system_data=data.parse(call.request.headers.get(data.HEADER, ""))))
