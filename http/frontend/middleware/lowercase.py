"""Casing: ARM ids are case-insensitive, so everything below compares in lower case."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply


def lowercase(call: Call, handle: Handler) -> Reply:
    """Convert the path's parameters to lower case. The request keeps the original casing, for ids of new resources."""
    parameters = {name: value.lower() for name, value in call.request.parameters.items()}
    return handle(replace(call, parameters=parameters))
