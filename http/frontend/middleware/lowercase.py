"""Casing: ARM ids are the same in any case, so everything below compares lower case alone."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply


def lowercase(call: Call, handle: Handler) -> Reply:
    """Lower the parameters of the path. The request keeps them as they were typed, for ids of new resources."""
    parameters = {name: value.lower() for name, value in call.request.parameters.items()}
    return handle(replace(call, parameters=parameters))
