"""Headers that only ARM or the platform may write. Where callers reach the service themselves, they mean nothing."""

import re
from collections.abc import Mapping
from dataclasses import replace

from frontend.messages import Call, Handler, Reply, new_id
from shared import tracing

# Names in lower case; `*` stands for the rest of a name. Links begin with the address in the settings, so `Host` is as
# foreign as the others.
FOREIGN = (
    "disguised-host",
    "host",
    "referer",
    "x-arr-clientcert",
    "x-forwarded-*",
    "x-ms-arm-*",
    "x-ms-client-*",
    "x-ms-client-principal*",
    "x-ms-home-tenant-id",
    "x-ms-identity-*",
)
_FOREIGN = re.compile("|".join(re.escape(name).replace(r"\*", ".*") for name in FOREIGN), re.DOTALL)


def foreign_headers(call: Call, handle: Handler) -> Reply:
    """Drop these headers unread, and give the request a correlation id of the service's own.

    The caller's own correlation id becomes the client request id, unless it sends one.
    """
    given = call.request.headers
    headers = {name: value for name, value in given.items() if not _FOREIGN.fullmatch(name)}
    headers |= _ids(given)
    return handle(replace(call, request=replace(call.request, headers=headers)))


def _ids(given: Mapping[str, str]) -> dict[str, str]:
    of_client = given.get(tracing.CLIENT_REQUEST_HEADER) or given.get(tracing.CORRELATION_HEADER, "")
    return {tracing.CLIENT_REQUEST_HEADER: of_client, tracing.CORRELATION_HEADER: new_id()}
