"""Key Vault's errors: one constructor for each, and their shape."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output

REGION_HEADER = "x-ms-keyvault-region"
# Names the tenant that issues tokens, and the resource to ask for.
_CHALLENGE = {
    "WWW-Authenticate": 'Bearer authorization="https://login.microsoftonline.com/{vault[tenantId]}", '
    'resource="https://vault.azure.net"'
}
_CALLER = "appid={caller.client_id};oid={caller.object_id};iss=https://sts.windows.net/{caller.tenant_id}/"


# fmt: off
VAULT_NOT_FOUND = Refusal(404, "VaultNotFound", OWN, "The name '{host}' does not resolve: there is no such vault.")
SECRET_NOT_FOUND = Refusal(404, "SecretNotFound",
    public_output("https://github.com/Azure/azure-sdk-for-js/issues/25489"),
    "A secret with (name/id) {name} was not found in this key vault. If you recently deleted this secret you may be "
    "able to recover it using the correct recovery command. For help resolving this issue, please see "
    "https://go.microsoft.com/fwlink/?linkid=2125182")
DELETED_SECRET_NOT_FOUND = Refusal(404, "SecretNotFound",
    public_output("https://github.com/Azure/azure-sdk-for-net/issues/26027"),
    "Deleted Secret not found: {name}")
DELETED_BUT_RECOVERABLE = Refusal(409, "Conflict",
    public_output("https://github.com/microsoft/AzureKeyVaultExplorer/issues/42"),
    "Secret {name} is currently in a deleted but recoverable state, and its name cannot be reused; in this state, the "
    "secret can only be recovered or purged.", extra={"innererror": {"code": "ObjectIsDeletedButRecoverable"}})
SECRET_DISABLED = Refusal(403, "Forbidden", MEMORY,
    "Operation get is not allowed on a disabled secret.", extra={"innererror": {"code": "SecretDisabled"}})
SECRET_MANAGED = Refusal(403, "Forbidden", MEMORY,
    "Operation \"{operation}\" is not allowed as this object's lifetime is managed by Key Vault.",
    extra={"innererror": {"code": "SecretManagedByKeyVault"}})
CERTIFICATE_NOT_FOUND = Refusal(404, "CertificateNotFound", MEMORY,
    "A certificate with (name/id) {name} was not found in this key vault. If you recently deleted this certificate "
    "you may be able to recover it using the correct recovery command. For help resolving this issue, please see "
    "https://go.microsoft.com/fwlink/?linkid=2125182")
DELETED_CERTIFICATE_NOT_FOUND = Refusal(404, "CertificateNotFound", MEMORY, "Deleted Certificate not found: {name}")
CERTIFICATE_DELETED_BUT_RECOVERABLE = Refusal(409, "Conflict", MEMORY,
    "Certificate {name} is currently in a deleted but recoverable state, and its name cannot be reused; in this "
    "state, the certificate can only be recovered or purged.",
    extra={"innererror": {"code": "ObjectIsDeletedButRecoverable"}})
CERTIFICATE_NAME_IN_USE = Refusal(409, "Conflict", MEMORY, "The name {name} is in use in this key vault.")
PENDING_IN_PROGRESS = Refusal(409, "Conflict", MEMORY,
    "A new key vault certificate can not be created or imported while a pending key vault certificate's status is "
    "inProgress.")
PENDING_NOT_FOUND = Refusal(404, "PendingCertificateNotFound", MEMORY, "Pending certificate not found: {name}")
BAD_PARAMETER = Refusal(400, "BadParameter", MEMORY, "{message}")
INVALID_NAME = Refusal(400, "BadParameter",
    public_output("https://github.com/aspnet/MicrosoftConfigurationBuilders/issues/22"),
    "The request URI contains an invalid name: {name}")
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")

# Callers
UNAUTHORIZED = Refusal(401, "Unauthorized", MEMORY, "{message}", headers=_CHALLENGE)
WRONG_AUDIENCE = Refusal(401, "Unauthorized",
    public_output("https://github.com/crossplane-contrib/provider-azure/issues/346"),
    "AKV10022: Invalid audience. Expected https://vault.azure.net, found: {audience}.", headers=_CHALLENGE)
WRONG_ISSUER = Refusal(401, "Unauthorized", public_output("https://github.com/MicrosoftDocs/azure-docs/issues/75410"),
    "AKV10032: Invalid issuer. Expected one of https://sts.windows.net/{vault[tenantId]}/, found "
    "https://sts.windows.net/{tenant_id}/.", headers=_CHALLENGE)
FORBIDDEN_BY_RBAC = Refusal(403, "Forbidden", public_output("https://github.com/piyushsachdeva/Terraform_AKS/issues/2"),
    "Caller is not authorized to perform action on resource.\r\nIf role assignments, deny assignments or role "
    "definitions were changed recently, please observe propagation time.\r\n"
    f"Caller: {_CALLER}\r\n"
    "Action: '{action}'\r\nResource: '{scope}'\r\nAssignment: (not found)\r\n"
    "DenyAssignmentId: null\r\nDecisionReason: 'DeniedWithNoValidRBAC' \r\n"
    "Vault: {vault[name]};location={vault[location]}\r\n", extra={"innererror": {"code": "ForbiddenByRbac"}})
# fmt: on


def not_found(request: Request) -> ServiceError:
    """Return the error for a path or method that no operation has."""
    return NOT_SUPPORTED(f"{request.method} {request.url.path}")


def render(_request: Request, error: ServiceError) -> Response:
    """Write an error as Key Vault does."""
    headers = {"Cache-Control": "no-cache", "x-ms-keyvault-service-version": "1.9.2000.1"} | error.headers
    return JSONResponse({"error": error.body()}, status_code=error.status_code, headers=headers)
