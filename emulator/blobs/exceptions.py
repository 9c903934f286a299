"""Errors of the blob service, and their XML."""

from datetime import datetime
from email.utils import format_datetime
from uuid import uuid4
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.clock import Clock, rfc3339
from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output

DETAIL = "AuthenticationErrorDetail"


class Renderer:
    """Writes errors in the service's wire format."""

    def __init__(self, clock: Clock) -> None:
        """Set the clock for the time in messages."""
        self._clock = clock

    def __call__(self, request: Request, error: ServiceError) -> Response:
        """Write an error: code, message with request id and time, and the elements that some errors add."""
        request_id = str(uuid4())
        message = f"{error.message}\nRequestId:{request_id}\nTime:{rfc3339(self._clock.now())}"
        elements = {"Code": error.code, "Message": message} | error.extra
        inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in elements.items())
        body = f'<?xml version="1.0" encoding="utf-8"?><Error>{inner}</Error>'
        headers = {**error.headers, "x-ms-error-code": error.code, "x-ms-request-id": request_id}
        if "x-ms-version" in request.headers:
            headers["x-ms-version"] = request.headers["x-ms-version"]
        # The answer to a HEAD request carries the code only in its header.
        return Response("" if request.method == "HEAD" else body, error.status_code, headers, "application/xml")


# fmt: off
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
WEB_CONTENT_NOT_FOUND = Refusal(404, "WebContentNotFound",
    public_output("https://github.com/MicrosoftDocs/azure-docs/issues/66218"), "The requested content does not exist.")
ACCOUNT_NOT_FOUND = Refusal(404, "ResourceNotFound", OWN, "The account '{account}' does not exist.")
SERVER_BUSY = Refusal(503, "ServerBusy", OWN, "The server is busy: Azurite does not answer.")

# The caller's network
NETWORK_NOT_ADMITTED = Refusal(403, "AuthorizationFailure",
    public_output("https://github.com/microsoft/AzureStorageExplorer/issues/9006"),
    "This request is not authorized to perform this operation.")

# Credentials
_NOT_AUTHENTICATED = (
    "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.")
_CHALLENGE = {"WWW-Authenticate": "Bearer authorization_uri=https://login.microsoftonline.com/{tenant_id}/oauth2/authorize "
    "resource_id=https://storage.azure.com"}
WRONG_AUDIENCE = Refusal(401, "InvalidAuthenticationInfo",
    public_output("https://github.com/Azure/AzureStor/issues/119"), _NOT_AUTHENTICATED, headers=_CHALLENGE,
    extra={DETAIL: "Audience validation failed. Audience did not match."})
NO_CREDENTIAL = Refusal(401, "NoAuthenticationInformation",
    documentation("https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes"),
    _NOT_AUTHENTICATED, headers=_CHALLENGE)
AUTHENTICATION_FAILED = Refusal(403, "AuthenticationFailed",
    public_output("https://github.com/Azure/AzureStor/issues/140"),
    "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
    "including the signature.", extra={DETAIL: "{detail}"})
MALFORMED_AUTHORIZATION = Refusal(400, "InvalidAuthenticationInfo",
    documentation("https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes"),
    "Authentication information is not given in the correct format. Check the value of Authorization header.")
KEYS_NOT_PERMITTED = Refusal(403, "KeyBasedAuthenticationNotPermitted", MEMORY,
    "Key based authentication is not permitted on this storage account.")
SERVICE_MISMATCH = Refusal(403, "AuthorizationServiceMismatch", MEMORY,
    "This request is not authorized to perform this operation using this service.")
RESOURCE_TYPE_MISMATCH = Refusal(403, "AuthorizationResourceTypeMismatch", MEMORY,
    "This request is not authorized to perform this operation using this resource type.")
PERMISSION_MISMATCH = Refusal(403, "AuthorizationPermissionMismatch", MEMORY,
    "This request is not authorized to perform this operation using this permission.")
PROTOCOL_MISMATCH = Refusal(403, "AuthorizationProtocolMismatch", MEMORY,
    "This request is not authorized to perform this operation using this protocol.")
ADDRESS_MISMATCH = Refusal(403, "AuthorizationSourceIPMismatch", MEMORY,
    "This request is not authorized to perform this operation using this source IP {address}.")
PUBLIC_ACCESS_NOT_PERMITTED = Refusal(409, "PublicAccessNotPermitted",
    documentation("https://learn.microsoft.com/azure/storage/blobs/anonymous-read-access-prevent"),
    "Public access is not permitted on this storage account.")

# Operations and their results
INVALID_XML = Refusal(400, "InvalidXmlDocument",
    documentation("https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes"),
    "XML specified is not syntactically valid.")
INVALID_BLOB_TYPE = Refusal(409, "InvalidBlobType", public_output("https://github.com/manaflow-ai/subrouter/pull/223"),
    "The blob type is invalid for this operation.")
INVALID_RANGE = Refusal(416, "InvalidRange", public_output("https://github.com/floci-io/floci-az/issues/81"),
    "The range specified is invalid for the current size of the resource.", headers={"Content-Range": "bytes */{size}"})
SOURCE_NOT_FOUND = Refusal(404, "CannotVerifyCopySource", MEMORY, "The specified blob does not exist.")
PENDING_COPY = Refusal(409, "PendingCopyOperation",
    documentation("https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes"),
    "There is currently a pending copy operation.")
INVALID_PAGE_RANGE = Refusal(416, "InvalidPageRange",
    documentation("https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes"),
    "The page range specified is invalid.")
# For a token that is not accepted, with the directory's reason.
INVALID_TOKEN = Refusal(401, "InvalidAuthenticationInfo", MEMORY, "{error.message}",
    headers={"WWW-Authenticate": "{error.headers[WWW-Authenticate]}"}, extra={DETAIL: "{error.message}"})
# fmt: on


def signature_mismatch(string_to_sign: str) -> ServiceError:
    """Return the 403 for a wrong signature, with the string that should have been signed."""
    return AUTHENTICATION_FAILED(f"Signature did not match. String to sign used was {string_to_sign}")


def field_missing(name: str) -> ServiceError:
    """Return the 403 for a SAS without one of its fields, or with an empty one."""
    return AUTHENTICATION_FAILED(f"{name} is mandatory. Cannot be empty")


def malformed_sas() -> ServiceError:
    """Return the 403 for a SAS with a field that cannot be read."""
    return AUTHENTICATION_FAILED("Signature fields not well formed.")


def out_of_time(start: datetime | None, expiry: datetime, now: datetime) -> ServiceError:
    """Return the 403 for a SAS that is not valid yet, or has expired."""
    begins = f"Start [{format_datetime(start, usegmt=True)}] - " if start else ""
    return AUTHENTICATION_FAILED(
        f"Signature not valid in the specified time frame: {begins}Expiry [{format_datetime(expiry, usegmt=True)}] - "
        f"Current [{format_datetime(now, usegmt=True)}]"
    )


def expires_before_start(start: datetime, expiry: datetime) -> ServiceError:
    """Return the 403 for a SAS that ends before it begins."""
    return AUTHENTICATION_FAILED(
        f"Signed expiry time [{format_datetime(expiry, usegmt=True)}] must be after signed start time "
        f"[{format_datetime(start, usegmt=True)}]"
    )
