"""Who creates and changes a cluster, by the caller's token."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply
from shared.clusters import system_data as data

_WRITES = ("PUT", "PATCH")


def token_system_data(call: Call, handle: Handler) -> Reply:
    """Pass on the members of `systemData` that the request gives a cluster."""
    if call.request.method not in _WRITES:
        return handle(call)
    by, now = call.principal, call.services.now()
    created, changed = data.creation_members(by.name, by.kind, now), data.change_members(by.name, by.kind, now)
    return handle(replace(call, first_system_data=created, system_data=changed))
