"""The errors of the directory: AADSTS codes of its own endpoints, and the 401s of services that check tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, said

AADSTS = "AADSTS"


@dataclass(frozen=True)
class Row:
    """One error of Entra ID: HTTP status, OAuth 2.0 error, text with `{placeholders}`, and `suberror`, if it has one."""

    status_code: int
    oauth_error: str
    text: str
    suberror: str = ""


# The rows for users, and for APIs that a tenant has registered, are from memory, except the text of 65001. Public
# output has 900023 (microsoftgraph/microsoft-graph-docs issue 13158), 700211 to 700213 and 7000272
# (Azure/azure-workload-identity issues 1200 and 1232), and 900561 (NunoFilipeMota/PublicScripts issue 5).
# fmt: off
_FEDERATION = "https://learn.microsoft.com/entra/workload-id/workload-identity-federation"
ERRORS: dict[int, Row] = {
    28000: Row(400, "invalid_request",
        "Provided value for the input parameter scope is not valid because it contains more than one resource. "
        "Scope {scope} is not valid."),
    50011: Row(400, "invalid_request",
        "The redirect URI '{address}' specified in the request does not match the redirect URIs configured for the "
        "application '{client_id}'."),
    50013: Row(401, "invalid_client", "Assertion failed signature validation. [Reason - {reason}]"),
    50020: Row(400, "invalid_grant",
        "User account '{{EmailHidden}}' from identity provider 'live.com' does not exist in tenant '{tenant}' and "
        "cannot access the application in that tenant. The account needs to be added as an external user in the "
        "tenant first."),
    50027: Row(400, "invalid_request", "JWT token is invalid or malformed: {reason}."),
    50034: Row(400, "invalid_grant",
        "The user account {{EmailHidden}} does not exist in the {tenant} directory. To sign into this application, "
        "the account must be added to the directory."),
    50049: Row(400, "invalid_instance", "Unknown or invalid instance."),
    50055: Row(400, "invalid_grant", "The password is expired."),
    50057: Row(400, "invalid_grant", "The user account is disabled."),
    50059: Row(400, "invalid_request",
        "No tenant-identifying information found in either the request or implied by any provided credentials."),
    50105: Row(400, "invalid_grant",
        "Your administrator has configured the application {api} ('{api_id}') to block users unless they are "
        "specifically granted ('assigned') access to the application. The signed in user '{{EmailHidden}}' is "
        "blocked because they are not a direct member of a group with access, nor had access directly assigned by "
        "an administrator. Please contact your administrator to assign access to this application."),
    50126: Row(400, "invalid_grant", "Error validating credentials due to invalid username or password."),
    50166: Row(400, "invalid_request", "Request to External OIDC endpoint failed."),
    50173: Row(400, "invalid_grant",
        "The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might have "
        "changed or reset their password. The grant was issued on '{issued}' and the TokensValidFrom date (before "
        "which tokens are not valid) for this user is '{valid_from}'."),
    65001: Row(400, "invalid_grant",
        "The user or administrator has not consented to use the application with ID '{client_id}' named "
        "'{client}'. Send an interactive authorization request for this user and resource.", "consent_required"),
    70003: Row(400, "unsupported_grant_type", "The app requested an unsupported grant type '{grant_type}'."),
    70011: Row(400, "invalid_scope",
        "The provided request must include a 'scope' input parameter. The provided value for the input parameter "
        "'scope' is not valid. The scope {scope} is not valid."),
    70021: Row(400, "invalid_request",
        "No matching federated identity record found for presented assertion. Assertion Issuer: '{issuer}'. Assertion "
        "Subject: '{subject}'. Assertion Audience: '{audience}'. " + _FEDERATION),
    90002: Row(400, "invalid_request",
        "Tenant '{tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the "
        "correct cloud. Check with your subscription administrator, this may happen if there are no active "
        "subscriptions for the tenant."),
    90009: Row(400, "invalid_request",
        "Application '{client_id}'({client}) is requesting a token for itself. This scenario is supported only if "
        "resource is specified using the GUID based App Identifier."),
    500011: Row(400, "invalid_resource",
        "The resource principal named {resource} was not found in the tenant named {tenant}. This can happen if "
        "the application has not been installed by the administrator of the tenant or consented to by any user in "
        "the tenant. You might have sent your authentication request to the wrong tenant."),
    501051: Row(400, "invalid_grant",
        "Application '{client_id}'({client}) is not assigned to a role for the application '{api_id}'({api})."),
    501481: Row(400, "invalid_grant",
        "The Code_Verifier does not match the code_challenge supplied in the authorization request."),
    650053: Row(400, "invalid_scope",
        "The application '{client}' asked for scope '{scope}' that doesn't exist on the resource '{api_id}'. "
        "Contact the app vendor."),
    700016: Row(400, "unauthorized_client",
        "Application with identifier '{client_id}' was not found in the directory '{tenant}'. This can happen if "
        "the application has not been installed by the administrator of the tenant or consented to by any user in "
        "the tenant. You may have sent your authentication request to the wrong tenant."),
    700021: Row(401, "invalid_client",
        "Client assertion application identifier doesn't match 'client_id' parameter. Review the documentation at "
        "https://learn.microsoft.com/entra/identity-platform/certificate-credentials."),
    700023: Row(401, "invalid_client",
        "Client assertion audience claim does not match Realm issuer. The audience '{audience}' is not the token "
        "endpoint '{endpoint}'."),
    700024: Row(401, "invalid_client",
        "Client assertion is not within its valid time range. Current time: {now}, assertion valid from "
        "{not_before}, expiry time of assertion {expires}."),
    700027: Row(401, "invalid_client",
        "The certificate with identifier used to sign the client assertion is not registered on application. "
        "[Reason - {reason}, Thumbprint of key used by client: '{thumbprint}', Please visit the Azure Portal, "
        "Graph Explorer or directly use MS Graph to see configured keys for app Id '{client_id}'.]"),
    700082: Row(400, "invalid_grant",
        "The refresh token has expired due to inactivity. The token was issued on {issued} and was inactive for "
        "90.00:00:00."),
    **{code: Row(401, "invalid_client",
        f"No matching federated identity record found for presented assertion {part} '{{{part}}}'. Check your federated "
        "identity credential Subject, Audience and Issuer against the presented assertion. " + _FEDERATION)
        for code, part in ((700211, "issuer"), (700212, "audience"), (700213, "subject"))},
    900023: Row(400, "invalid_request",
        "Specified tenant identifier '{tenant}' is neither a valid DNS name, nor a valid external domain."),
    900144: Row(400, "invalid_request", "The request body must contain the following parameter: '{parameter}'."),
    900561: Row(400, "invalid_request",
        "The endpoint only accepts POST, OPTIONS requests. Received a {method} request."),
    1002012: Row(400, "invalid_scope",
        "The provided value for scope {scope} is not valid. Client credential flows must have a scope value with "
        "/.default suffixed to the resource identifier (application ID URI)."),
    7000112: Row(400, "unauthorized_client", "Application '{client_id}'({name}) is disabled."),
    7000215: Row(401, "invalid_client",
        "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, "
        "not the client secret ID, for a secret added to app '{client_id}'."),
    7000216: Row(401, "invalid_client",
        "'client_assertion', 'client_secret' or 'request' is required for the 'client_credentials' grant type."),
    7000218: Row(401, "invalid_client",
        "The request body must contain the following parameter: 'client_assertion' or 'client_secret'."),
    7000222: Row(401, "invalid_client",
        "The provided client secret keys for app '{client_id}' are expired. Visit the Azure portal to create new "
        "keys for your app: https://aka.ms/NewClientSecret, or consider using certificate credentials for added "
        "security: https://aka.ms/certCreds."),
    7000229: Row(400, "unauthorized_client",
        "The client application {client_id} is missing service principal in the tenant {tenant}."),
    7000272: Row(401, "invalid_client",
        "The certificate with identifier {key_id} used to sign the federated credential could not be found in the "
        "metadata of identity provider {issuer}. Please validate that your Identity Provider's metadata exposes the key "
        "used to sign the incoming token."),
    9002313: Row(400, "invalid_grant", "Invalid request. Request is malformed or invalid."),
}
# fmt: on


@said(MEMORY)
def aadsts(code: int, **values: str) -> ServiceError:
    """Return the error with an AADSTS code; `values` fill in its text."""
    row = ERRORS[code]
    text = f"{AADSTS}{code}: {row.text.format(**values)}"
    extra = {"oauth_error": row.oauth_error, "suberror": row.suberror}
    return ServiceError(row.status_code, f"{AADSTS}{code}", text, extra=extra)


@said(MEMORY)
def unauthorized(code: str, message: str, tenant_id: str = "common") -> ServiceError:
    """Return the 401 with which ARM, and services like it, refuse a token."""
    challenge = (
        f'Bearer authorization_uri="https://login.microsoftonline.com/{tenant_id}", error="invalid_token", '
        f'error_description="{message}"'
    )
    return ServiceError(401, code, message, headers={"WWW-Authenticate": challenge})


class WrongAudienceError(ServiceError):
    """A token for another service, which each service refuses in its own words."""

    def __init__(self, message: str, audience: str, headers: dict[str, str]) -> None:
        super().__init__(401, "InvalidAuthenticationTokenAudience", message, headers=headers)
        self.audience = audience


@said(MEMORY)
def wrong_audience(audience: str, accepted: Sequence[str], tenant_id: str) -> WrongAudienceError:
    """Return the 401 for a token for another service."""
    allowed = ",".join(f"'{known}'" for known in accepted)
    message = (
        f"The access token has been obtained for wrong audience or resource '{audience}'. It should exactly match "
        f"with one of the allowed audiences {allowed}."
    )
    return WrongAudienceError(message, audience, unauthorized("", message, tenant_id).headers)


def shared_with(request: Request) -> dict[str, str]:
    """Return the header that lets a page of another site read an answer. Entra ID has it for single-page applications."""
    origin = request.headers.get("origin", "")
    return {"Access-Control-Allow-Origin": origin} if origin else {}


def render(request: Request, error: ServiceError) -> Response:
    """Write an error as the token endpoint does."""
    digits = error.code.removeprefix(AADSTS)
    trace_id = str(uuid4())
    correlation_id = request.headers.get("client-request-id") or str(uuid4())
    timestamp = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    body = {
        "error": error.extra.get("oauth_error", "server_error" if error.status_code >= 500 else "invalid_request"),  # noqa: PLR2004 - HTTP
        "error_description": f"{error.message} Trace ID: {trace_id} Correlation ID: {correlation_id} "
        f"Timestamp: {timestamp}",
        "error_codes": [int(digits)] if digits.isdigit() else [],
        "timestamp": timestamp,
        "trace_id": trace_id,
        "correlation_id": correlation_id,
    }
    if error.extra.get("suberror"):
        body["suberror"] = error.extra["suberror"]
    if digits.isdigit():
        body["error_uri"] = f"https://login.microsoftonline.com/error?code={digits}"
    headers = error.headers | {"x-ms-request-id": trace_id, "client-request-id": correlation_id} | shared_with(request)
    return JSONResponse(body, status_code=error.status_code, headers=headers)
