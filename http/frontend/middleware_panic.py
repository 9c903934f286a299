"""The one place that turns errors into replies."""

import logging
from urllib.parse import quote

from frontend.messages import Call, Handler, Reply, error_reply
from shared import tracing
from shared.arm.errors import CloudError, internal_server_error

_log = logging.getLogger(__name__)


def panic(call: Call, handle: Handler) -> Reply:
    """Render what is raised: a `CloudError` as it says, anything else as a bare 500 with a trace in the log."""
    try:
        return handle(call)
    except CloudError as error:
        return error_reply(error)
    except Exception:  # noqa: BLE001 - this is the guard
        _log.exception("%s %s failed", call.request.method, quote(call.path), extra=tracing.current.get().extra())
        return error_reply(internal_server_error())
