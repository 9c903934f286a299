"""The `Host` of a request."""

from frontend.messages import Call, Handler, Reply
from shared.arm.errors import invalid_parameter, shown
from shared.arm.links import is_host


def host(call: Call, handle: Handler) -> Reply:
    """Refuse a `Host` that is more than a name and a port, because links in replies may begin with it.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    given = call.request.headers.get("host", "")
    if given and not is_host(given):
        raise invalid_parameter(
            "Host", f"The header 'Host' is '{shown(given)}': it must be a host name, with a port where it needs one."
        )
    return handle(call)
