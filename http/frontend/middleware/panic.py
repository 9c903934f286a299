"""Turns errors into replies; no other module does."""

import logging
from http import HTTPStatus
from urllib.parse import quote

from azure.core.exceptions import AzureError

from frontend.messages import Call, Handler, Reply, error_reply
from frontend.retry_after import RETRY_AFTER_OUTAGE_SECONDS
from shared import tracing
from shared.arm.errors import CloudError, internal_server_error, service_unavailable
from shared.azure import dependencies
from shared.deadline import TimeIsUp
from shared.settings import SettingsError
from shared.store import OutcomeUnknown

_UNKNOWN = (
    "Whether this request was accepted is not known: a dependency of this service stopped answering while it was being "
    "written down. Repeat it; if it is refused because the cluster is in another state by then, it was accepted."
)
_UNCONFIGURED = "This deployment of the service is not configured correctly, and serves no request. Its log says why."
_LATE = "The service had no time left to answer this request. Nothing is wrong with the request: repeat it."

_log = logging.getLogger(__name__)


def panic(call: Call, handle: Handler) -> Reply:
    """Render an exception of a request as its reply.

    A `CloudError` has its own status and body, a dependency that is away becomes 503, and anything else becomes a bare
    500 with a trace in the log.
    """
    try:
        return _answered(call, handle)
    except CloudError as error:
        away = error.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        return error_reply(error, {"Retry-After": str(RETRY_AFTER_OUTAGE_SECONDS)} if away else None)
    except Exception:  # noqa: BLE001 - this is the guard
        _log.exception("%s %s failed", call.request.method, quote(call.path), extra=tracing.current.get().extra())
        return error_reply(internal_server_error())


def _answered(call: Call, handle: Handler) -> Reply:
    """Answer, or translate the failure of a dependency or of the configuration.

    Raises:
        CloudError: 503 `ServiceUnavailable`.
    """
    extra = tracing.current.get().extra()
    try:
        return handle(call)
    except SettingsError as error:
        _log.error("%s", error, extra=extra)
        raise service_unavailable(_UNCONFIGURED) from None
    except TimeIsUp:
        raise service_unavailable(_LATE) from None
    except OutcomeUnknown as error:
        _log.warning("whether %s %s was accepted is not known", call.request.method, quote(call.path), extra=extra)
        raise service_unavailable(_UNKNOWN) from error
    except AzureError as error:
        unavailable = dependencies.unavailable(error, call.services.settings)
        if unavailable is None:
            raise
        _log.error("%s", dependencies.explain(error, call.services.settings), extra=extra)
        raise unavailable from error
