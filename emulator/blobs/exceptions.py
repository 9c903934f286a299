"""Errors of the blob service, and their XML."""

from datetime import datetime
from email.utils import format_datetime
from uuid import uuid4
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.clock import Clock, rfc3339
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output, said

DETAIL = "AuthenticationErrorDetail"
_NOT_AUTHORIZED = "This request is not authorized to perform this operation using this"


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


@said(OWN)
def not_supported(what: str) -> ServiceError:
    """Return the 400 for a part of Azure that the local Azure does not have."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


@said(OWN)
def account_not_found(account: str) -> ServiceError:
    """Return the 404 for an account that does not exist; Azure's DNS would not resolve its name."""
    return ServiceError(404, "ResourceNotFound", f"The account '{account}' does not exist.")


@said(OWN)
def server_busy() -> ServiceError:
    """Return the 503 for a request that Azurite does not answer because it is restarting."""
    return ServiceError(503, "ServerBusy", "The server is busy: Azurite does not answer.")


@said(OWN)
def from_azurite(status_code: int, code: str, call: str) -> ServiceError:
    """Return the error with which Azurite answered a call of the management side.

    Args:
        status_code: HTTP status.
        code: Azurite's error code.
        call: method and path.
    """
    return ServiceError(status_code, code, f"Azurite answered {call} with {code}.")


# Credentials


@said(documentation("https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes"))
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


@said(MEMORY)
def invalid_token(error: ServiceError) -> ServiceError:
    """Return the 401 for a token that is not accepted, with the directory's reason."""
    return ServiceError(
        401, "InvalidAuthenticationInfo", error.message, headers=error.headers, extra={DETAIL: error.message}
    )


@said(public_output("https://github.com/Azure/AzureStor/issues/119"))
def wrong_audience(tenant_id: str) -> ServiceError:
    """Return the 401 for a token for another service; its header says where to get another one."""
    challenge = no_credential(tenant_id)
    return ServiceError(
        401,
        "InvalidAuthenticationInfo",
        challenge.message,
        headers=challenge.headers,
        extra={DETAIL: "Audience validation failed. Audience did not match."},
    )


@said(public_output("https://github.com/Azure/AzureStor/issues/140"))
def authentication_failed(detail: str) -> ServiceError:
    """Return the 403 for a signature or token that is not accepted, with the reason."""
    return ServiceError(
        403,
        "AuthenticationFailed",
        "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
        "including the signature.",
        extra={DETAIL: detail},
    )


@said(documentation("https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes"))
def malformed_authorization() -> ServiceError:
    """Return the 400 for an `Authorization` header that is neither a key's signature nor a token."""
    return ServiceError(
        400,
        "InvalidAuthenticationInfo",
        "Authentication information is not given in the correct format. Check the value of Authorization header.",
    )


def signature_mismatch(string_to_sign: str) -> ServiceError:
    """Return the 403 for a wrong signature, with the string that should have been signed."""
    return authentication_failed(f"Signature did not match. String to sign used was {string_to_sign}")


def field_missing(name: str) -> ServiceError:
    """Return the 403 for a SAS without one of its fields, or with an empty one."""
    return authentication_failed(f"{name} is mandatory. Cannot be empty")


def malformed_sas() -> ServiceError:
    """Return the 403 for a SAS with a field that cannot be read."""
    return authentication_failed("Signature fields not well formed.")


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


def expires_before_start(start: datetime, expiry: datetime) -> ServiceError:
    """Return the 403 for a SAS that ends before it begins."""
    return authentication_failed(
        f"Signed expiry time [{format_datetime(expiry, usegmt=True)}] must be after signed start time "
        f"[{format_datetime(start, usegmt=True)}]"
    )


def bearer_needs_version() -> ServiceError:
    """Return the 403 for a token in a request of a version that has no tokens, such as one without `x-ms-version`."""
    return authentication_failed("Authentication scheme Bearer is not supported in this version.")


@said(MEMORY)
def keys_not_permitted() -> ServiceError:
    """Return the 403 for a key, or a SAS signed with one, of an account that allows no keys."""
    return ServiceError(
        403,
        "KeyBasedAuthenticationNotPermitted",
        "Key based authentication is not permitted on this storage account.",
    )


@said(MEMORY)
def service_mismatch() -> ServiceError:
    """Return the 403 for a SAS that does not include the blob service."""
    return ServiceError(403, "AuthorizationServiceMismatch", f"{_NOT_AUTHORIZED} service.")


@said(MEMORY)
def resource_type_mismatch() -> ServiceError:
    """Return the 403 for a SAS that does not include the operation's level: service, container or blob."""
    return ServiceError(403, "AuthorizationResourceTypeMismatch", f"{_NOT_AUTHORIZED} resource type.")


@said(MEMORY)
def permission_mismatch() -> ServiceError:
    """Return the 403 for a SAS or a principal without the permission."""
    return ServiceError(403, "AuthorizationPermissionMismatch", f"{_NOT_AUTHORIZED} permission.")


@said(MEMORY)
def protocol_mismatch() -> ServiceError:
    """Return the 403 for an HTTPS-only SAS that is used over HTTP."""
    return ServiceError(403, "AuthorizationProtocolMismatch", f"{_NOT_AUTHORIZED} protocol.")


@said(MEMORY)
def address_mismatch(address: str) -> ServiceError:
    """Return the 403 for a SAS that does not allow the caller's IP address."""
    return ServiceError(403, "AuthorizationSourceIPMismatch", f"{_NOT_AUTHORIZED} source IP {address}.")


@said(documentation("https://learn.microsoft.com/azure/storage/blobs/anonymous-read-access-prevent"))
def public_access_not_permitted() -> ServiceError:
    """Return the 409 for anonymous access, or a request to allow it; no account here permits it."""
    return ServiceError(409, "PublicAccessNotPermitted", "Public access is not permitted on this storage account.")


# Names, headers, query parameters, bodies


@said(MEMORY)
def name_length() -> ServiceError:
    """Return the 400 for the name of a container or blob that is too short or too long."""
    return ServiceError(
        400, "OutOfRangeInput", "The specified resource name length is not within the permissible limits."
    )


@said(public_output("Azure/azure-sdk-for-js sdk/storage/storage-queue/recordings"))
def name_characters() -> ServiceError:
    """Return the 400 for a container's name with characters that it cannot have; the typing error is Azure's."""
    return ServiceError(400, "InvalidResourceName", "The specifed resource name contains invalid characters.")


@said(public_output("Azure/azure-sdk-for-js sdk/storage/storage-blob/recordings"))
def invalid_header(name: str, value: str) -> ServiceError:
    """Return the 400 for a header with a value that it cannot have."""
    return ServiceError(
        400,
        "InvalidHeaderValue",
        "The value for one of the HTTP headers is not in the correct format.",
        extra={"HeaderName": name, "HeaderValue": value},
    )


@said(public_output("https://github.com/mercuretechnologies/xprem/issues/26"))
def missing_header(name: str) -> ServiceError:
    """Return the 400 for a request without a header that it needs."""
    return ServiceError(
        400,
        "MissingRequiredHeader",
        "An HTTP header that's mandatory for this request is not specified.",
        extra={"HeaderName": name},
    )


@said(documentation("https://learn.microsoft.com/rest/api/storageservices/status-and-error-codes2"))
def invalid_query(name: str, value: str) -> ServiceError:
    """Return the 400 for a query parameter with a value that it cannot have."""
    return ServiceError(
        400,
        "InvalidQueryParameterValue",
        "Value for one of the query parameters specified in the request URI is invalid.",
        extra={"QueryParameterName": name, "QueryParameterValue": value, "Reason": "Invalid query parameter value."},
    )


@said(MEMORY)
def query_out_of_range(name: str, value: str, least: int, most: int) -> ServiceError:
    """Return the 400 for a number in the query that is too small or too large."""
    return ServiceError(
        400,
        "OutOfRangeQueryParameterValue",
        "One of the query parameters specified in the request URI is outside the permissible range.",
        extra={
            "QueryParameterName": name,
            "QueryParameterValue": value,
            "MinimumAllowed": str(least),
            "MaximumAllowed": str(most),
        },
    )


@said(MEMORY)
def missing_query(name: str) -> ServiceError:
    """Return the 400 for a request without a query parameter that it needs."""
    return ServiceError(
        400,
        "MissingRequiredQueryParameter",
        "A query parameter that's mandatory for this request is not specified.",
        extra={"QueryParameterName": name},
    )


@said(MEMORY)
def unsupported_verb() -> ServiceError:
    """Return the 405 for a method that the resource does not have."""
    return ServiceError(405, "UnsupportedHttpVerb", "The resource doesn't support specified Http Verb.")


@said(MEMORY)
def invalid_metadata() -> ServiceError:
    """Return the 400 for a metadata name that is not an identifier."""
    return ServiceError(
        400, "InvalidMetadata", "The metadata specified is invalid. It has characters that are not permitted."
    )


@said(MEMORY)
def empty_metadata_key() -> ServiceError:
    """Return the 400 for metadata without a name."""
    return ServiceError(400, "EmptyMetadataKey", "The key for one of the metadata key-value pairs is empty.")


@said(MEMORY)
def metadata_too_large() -> ServiceError:
    """Return the 400 for more metadata than a container or blob can have."""
    return ServiceError(
        400, "MetadataTooLarge", "The size of the specified metadata exceeds the maximum size permitted."
    )


@said(MEMORY)
def invalid_tags() -> ServiceError:
    """Return the 400 for blob index tags with characters that they cannot have."""
    return ServiceError(
        400, "InvalidTags", "The tags specified are invalid. It contains characters that are not permitted."
    )


@said(public_output("Azure/azure-sdk-for-js sdk/storage/storage-blob/recordings"))
def md5_mismatch(specified: str, calculated: str) -> ServiceError:
    """Return the 400 for a body that has another MD5 hash than the request says.

    Args:
        specified: base64, from the request.
        calculated: base64, of the body.
    """
    return ServiceError(
        400,
        "Md5Mismatch",
        "The MD5 value specified in the request did not match with the MD5 value calculated by the server.",
        extra={"UserSpecifiedMd5": specified, "ServerCalculatedMd5": calculated},
    )


@said(MEMORY)
def invalid_md5() -> ServiceError:
    """Return the 400 for an MD5 hash that is none."""
    return ServiceError(
        400,
        "InvalidMd5",
        "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded.",
    )


@said(MEMORY)
def missing_length() -> ServiceError:
    """Return the 411 for a PUT without `Content-Length`."""
    return ServiceError(411, "MissingContentLengthHeader", "The Content-Length header was not specified.")


@said(MEMORY)
def body_too_large(most: int) -> ServiceError:
    """Return the 413 for a body that is larger than the service takes."""
    return ServiceError(
        413,
        "RequestBodyTooLarge",
        "The request body is too large and exceeds the maximum permissible limit.",
        extra={"MaxLimit": str(most)},
    )


@said(public_output("https://github.com/manaflow-ai/subrouter/pull/223"))
def invalid_blob_type() -> ServiceError:
    """Return the 409 for an upload of another type than the existing blob has."""
    return ServiceError(409, "InvalidBlobType", "The blob type is invalid for this operation.")


@said(public_output("https://github.com/floci-io/floci-az/issues/81"))
def invalid_range(size: str) -> ServiceError:
    """Return the 416 for a range that begins after the last byte of a blob of this size."""
    return ServiceError(
        416,
        "InvalidRange",
        "The range specified is invalid for the current size of the resource.",
        headers={"Content-Range": f"bytes */{size}"},
    )


@said(documentation("https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes"))
def invalid_page_range() -> ServiceError:
    """Return the 416 for pages that a page blob does not have."""
    return ServiceError(416, "InvalidPageRange", "The page range specified is invalid.")


@said(MEMORY)
def invalid_xml() -> ServiceError:
    """Return the 400 for a body that is not XML."""
    return ServiceError(400, "InvalidXmlDocument", "XML specified is not syntactically valid.")


@said(MEMORY)
def invalid_input() -> ServiceError:
    """Return the 400 for a request that is wrong in a way that has no code of its own."""
    return ServiceError(400, "InvalidInput", "One of the request inputs is not valid.")


@said(MEMORY)
def internal_error() -> ServiceError:
    """Return the 500 for a request that Azurite cannot handle."""
    return ServiceError(500, "InternalError", "Server encountered an internal error. Please try again after some time.")
