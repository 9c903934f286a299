"""The address that the caller used, which ARM sends in `Referer`."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply
from shared.arm.links import public_url


def referer(call: Call, handle: Handler) -> Reply:
    """Hand on the public address, so that a bad one is refused before anything is written.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    return handle(replace(call, public_url=public_url(call.request.headers.get("referer", ""), call.request.url)))
