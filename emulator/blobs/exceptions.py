"""Errors of the blob service, and their XML."""

from datetime import datetime
from email.utils import format_datetime
from uuid import uuid4
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.clock import Clock, rfc3339
from emulator.core.errors import ServiceError

DETAIL = "AuthenticationErrorDetail"
_NOT_AUTHORIZED = "This request is not authorized to perform this operation using this"


class Renderer:
    """Writes errors in the service's wire format."""

    def __init__(self, clock: Clock) -> None:
        """Set the clock for the time in messages."""
        self._clock = clock

    def __call__(self, request: Request, error: ServiceError) -> Response:
        """Write an error: code, message with request id and time, and the detail of a failed authentication."""
        request_id = str(uuid4())
        message = f"{error.message}\nRequestId:{request_id}\nTime:{rfc3339(self._clock.now())}"
        detail = f"<{DETAIL}>{escape(error.extra[DETAIL])}</{DETAIL}>" if DETAIL in error.extra else ""
        body = (
            '<?xml version="1.0" encoding="utf-8"?>'
            f"<Error><Code>{escape(error.code)}</Code><Message>{escape(message)}</Message>{detail}</Error>"
        )
        headers = {**error.headers, "x-ms-error-code": error.code, "x-ms-request-id": request_id}
        if "x-ms-version" in request.headers:
            headers["x-ms-version"] = request.headers["x-ms-version"]
        # The answer to a HEAD request carries the code only in its header.
        return Response("" if request.method == "HEAD" else body, error.status_code, headers, "application/xml")


def server_busy() -> ServiceError:
    """Return the 503 for a request that Azurite does not answer because it is restarting."""
    return ServiceError(503, "ServerBusy", "The server is busy: Azurite does not answer.")


def authentication_failed(detail: str) -> ServiceError:
    """Return the 403 for a signature or token that is not accepted, with the reason."""
    return ServiceError(
        403,
        "AuthenticationFailed",
        "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
        "including the signature.",
        extra={DETAIL: detail},
    )


def signature_mismatch(string_to_sign: str) -> ServiceError:
    """Return the 403 for a wrong signature, with the string that should have been signed."""
    return authentication_failed(f"Signature did not match. String to sign used was {string_to_sign}")


def out_of_time(start: datetime | None, expiry: datetime, now: datetime) -> ServiceError:
    """Return the 403 for a SAS that is not valid yet, or has expired.

    Args:
        start: when the SAS becomes valid, or None.
        expiry: when it expires.
        now: the current time.
    """
    begins = f"Start [{format_datetime(start, usegmt=True)}] - " if start else ""
    return authentication_failed(
        f"Signature not valid in the specified time frame: {begins}Expiry [{format_datetime(expiry, usegmt=True)}] - "
        f"Current [{format_datetime(now, usegmt=True)}]"
    )


def keys_not_permitted() -> ServiceError:
    """Return the 403 for a key, or a SAS signed with one, of an account that allows no keys."""
    return ServiceError(
        403,
        "KeyBasedAuthenticationNotPermitted",
        "Key based authentication is not permitted on this storage account.",
    )


def no_credential(tenant_id: str) -> ServiceError:
    """Return the 401 for a request without a credential; its header says where to get a token."""
    return ServiceError(
        401,
        "NoAuthenticationInformation",
        "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
        headers={
            "WWW-Authenticate": f"Bearer authorization_uri=https://login.microsoftonline.com/{tenant_id}/oauth2/"
            "authorize resource_id=https://storage.azure.com"
        },
    )


def service_mismatch() -> ServiceError:
    """Return the 403 for a SAS that does not include the blob service."""
    return ServiceError(403, "AuthorizationServiceMismatch", f"{_NOT_AUTHORIZED} service.")


def resource_type_mismatch() -> ServiceError:
    """Return the 403 for a SAS that does not include the operation's level: service, container or blob."""
    return ServiceError(403, "AuthorizationResourceTypeMismatch", f"{_NOT_AUTHORIZED} resource type.")


def permission_mismatch() -> ServiceError:
    """Return the 403 for a SAS or a principal without the permission."""
    return ServiceError(403, "AuthorizationPermissionMismatch", f"{_NOT_AUTHORIZED} permission.")


def protocol_mismatch() -> ServiceError:
    """Return the 403 for an HTTPS-only SAS that is used over HTTP."""
    return ServiceError(403, "AuthorizationProtocolMismatch", f"{_NOT_AUTHORIZED} protocol.")


def address_mismatch(address: str) -> ServiceError:
    """Return the 403 for a SAS that does not allow the caller's IP address."""
    return ServiceError(403, "AuthorizationSourceIPMismatch", f"{_NOT_AUTHORIZED} source IP {address}.")


def public_access_not_permitted() -> ServiceError:
    """Return the 409 for a request to allow anonymous access, which no account here permits."""
    return ServiceError(409, "PublicAccessNotPermitted", "Public access is not permitted on this storage account.")


def not_offered(what: str) -> ServiceError:
    """Return the 501 for a part of Azure that the local Azure does not offer."""
    return ServiceError(501, "NotImplemented", f"The local Azure does not offer {what}.")


def invalid_input(message: str) -> ServiceError:
    """Return the 400 for a malformed request."""
    return ServiceError(400, "InvalidInput", message)
