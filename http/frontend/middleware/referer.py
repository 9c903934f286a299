"""The address that the caller used, which ARM sends in `Referer`."""

from dataclasses import replace
from urllib.parse import SplitResult, quote, urlencode

from frontend.messages import Call, Handler, Reply
from shared.arm.links import public_url


def referer(call: Call, handle: Handler) -> Reply:
    """Pass on the public address. An invalid one is refused here, before anything is written.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    return handle(replace(call, public_url=public_url(call.request.headers.get("referer", ""), _own_address(call))))


def _own_address(call: Call) -> SplitResult:
    """Return the address where the request arrived, built from parts that were checked one by one."""
    request = call.request
    return SplitResult(request.scheme, request.headers.get("host", ""), quote(call.path), urlencode(request.query), "")
