"""The address that callers use, where it is not ARM who calls."""

from dataclasses import replace
from urllib.parse import quote, urlencode, urlsplit

from frontend.callers.caller import Caller
from frontend.messages import Call, Handler, Reply


def public_address(call: Call, handle: Handler) -> Reply:
    """Pass on the public address of the request: that of the settings, with the path and the query of the caller."""
    if call.route.caller is Caller.ANY:
        # Probes are answered even without the settings that have the address.
        return handle(call)
    address = urlsplit(call.services.settings.public_url)
    url = address._replace(path=quote(call.path), query=urlencode(call.request.query))
    return handle(replace(call, public_url=url))
