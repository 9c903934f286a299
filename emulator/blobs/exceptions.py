"""Errors of the blob service, in its XML."""

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
    """Writes errors; it needs the time."""

    def __init__(self, clock: Clock) -> None:
        """Set the clock."""
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
        # The answer to HEAD has the code in its header only.
        return Response("" if request.method == "HEAD" else body, error.status_code, headers, "application/xml")


def server_busy() -> ServiceError:
    """Build the error of a request that Azurite does not answer, because it starts again."""
    return ServiceError(503, "ServerBusy", "The server is busy: Azurite does not answer.")


def authentication_failed(detail: str) -> ServiceError:
    """Return the 403 of a signature or token that is not accepted, with the reason."""
    return ServiceError(
        403,
        "AuthenticationFailed",
        "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
        "including the signature.",
        extra={DETAIL: detail},
    )


def signature_mismatch(string_to_sign: str) -> ServiceError:
    """Return the 403 of a wrong signature, with the text that it has to be made of."""
    return authentication_failed(f"Signature did not match. String to sign used was {string_to_sign}")


def out_of_time(start: datetime | None, expiry: datetime, now: datetime) -> ServiceError:
    """Return the 403 of a SAS that is not valid yet or any more."""
    begins = f"Start [{format_datetime(start, usegmt=True)}] - " if start else ""
    return authentication_failed(
        f"Signature not valid in the specified time frame: {begins}Expiry [{format_datetime(expiry, usegmt=True)}] - "
        f"Current [{format_datetime(now, usegmt=True)}]"
    )


def no_credential(tenant_id: str) -> ServiceError:
    """Return the 401 of a request without any credential: it says where tokens come from."""
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
    """Return the 403 of a SAS for other services than blobs."""
    return ServiceError(403, "AuthorizationServiceMismatch", f"{_NOT_AUTHORIZED} service.")


def resource_type_mismatch() -> ServiceError:
    """Return the 403 of a SAS for other levels than the operation's."""
    return ServiceError(403, "AuthorizationResourceTypeMismatch", f"{_NOT_AUTHORIZED} resource type.")


def permission_mismatch() -> ServiceError:
    """Return the 403 of a SAS or a principal without the permission."""
    return ServiceError(403, "AuthorizationPermissionMismatch", f"{_NOT_AUTHORIZED} permission.")


def protocol_mismatch() -> ServiceError:
    """Return the 403 of a SAS for HTTPS only."""
    return ServiceError(403, "AuthorizationProtocolMismatch", f"{_NOT_AUTHORIZED} protocol.")


def address_mismatch(address: str) -> ServiceError:
    """Return the 403 of a SAS for other addresses."""
    return ServiceError(403, "AuthorizationSourceIPMismatch", f"{_NOT_AUTHORIZED} source IP {address}.")


def public_access_not_permitted() -> ServiceError:
    """Return the 409 of anonymous access, which no account here allows."""
    return ServiceError(409, "PublicAccessNotPermitted", "Public access is not permitted on this storage account.")


def not_offered(what: str) -> ServiceError:
    """Refuse what Azure has and the local Azure has not."""
    return ServiceError(501, "NotImplemented", f"The local Azure does not offer {what}.")


def invalid_input(message: str) -> ServiceError:
    """Return the 400 of a malformed request."""
    return ServiceError(400, "InvalidInput", message)
