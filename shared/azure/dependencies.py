"""The messages for clients and for the log when a dependency of the service is away.

The host of a failed call tells which dependency it was. The client learns only that name, and that it should repeat the
request. The log also says which permission is missing, and whose.
"""

import os
from http import HTTPStatus
from urllib.parse import urlsplit

from azure.core.exceptions import AzureError, ClientAuthenticationError

from shared.arm.errors import CloudError, service_unavailable
from shared.azure import azure_errors
from shared.settings import Settings

COSMOS, KEY_VAULT, ARM = "Azure Cosmos DB", "Azure Key Vault", "Azure Resource Manager"
ENTRA, IDENTITY, STORAGE = "Microsoft Entra ID", "the managed identity endpoint", "Azure Storage"
# The identity endpoint of a virtual machine. A function app finds its own in `IDENTITY_ENDPOINT`.
_MACHINE_IDENTITY = "169.254.169.254"
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_PERMISSIONS = {"GET": "Get", "PUT": "Set", "PATCH": "Set", "DELETE": "Delete"}


def unavailable(error: AzureError, settings: Settings) -> CloudError | None:
    """Return the error for a client if a dependency is away, or None if it answered.

    A dependency also counts as away if the service lacks access or a token, because nothing is wrong with the request.
    """
    if not (is_refused(error) or azure_errors.is_away(error)):
        return None
    return away(name_of(error, settings))


def away(name: str) -> CloudError:
    """Return the error for a client while a dependency is away."""
    return service_unavailable(
        f"{name}, which this service depends on, cannot be used at the moment. Nothing is wrong with the request: "
        "repeat it."
    )


def explain(error: AzureError, settings: Settings) -> str:
    """Return the text for the log: what is away, or who lacks which permission on what."""
    failure, dependency = azure_errors.translate(error), name_of(error, settings)
    reason = f"{failure.error.details[0]['code']}: {failure.error.message}"
    if not is_refused(error):
        return f"{dependency} at {failure.host or 'an unknown address'} is away: {reason}"
    who = f"the app's managed identity (object id {settings.rp_object_id})"
    if dependency == ARM:
        return f"{who} may not read '{failure.resource_id}' in {dependency}: {reason}"
    if dependency == STORAGE:
        return f"{who} lacks the role 'Storage Blob Data Owner' on '{failure.host}': {reason}"
    if dependency not in (COSMOS, KEY_VAULT):
        return f"{who} gets no token from {dependency}: is it assigned to the app? {reason}"
    if dependency == COSMOS:
        role = "the data role 'Cosmos DB Built-in Data Contributor'"
        return f"{who} lacks {role} on account '{settings.cosmosdb_account}': {reason}"
    vault = failure.host.partition(".")[0]
    permission = f"the permission to {_PERMISSIONS.get(_method(error), 'Get')} secrets"
    return f"{who} lacks {permission} on {dependency} '{vault}': {reason}"


def is_refused(error: AzureError) -> bool:
    """Tell whether a dependency answered that the app may not do this."""
    return isinstance(error, ClientAuthenticationError) or azure_errors.status_of(error) in _REFUSED


def _method(error: AzureError) -> str:
    request = getattr(getattr(error, "response", None), "request", None)
    return str(getattr(request, "method", ""))


def name_of(error: AzureError, settings: Settings) -> str:
    """Return the name of the dependency that a failed call was sent to."""
    if isinstance(error, ClientAuthenticationError) and error.response is None:
        # The SDK drops the identity endpoint's answer, and for a while it refuses to ask again, so there is no host to
        # look up. It can only be this endpoint, because requests use no other identity than the app's own.
        return IDENTITY
    host = azure_errors.translate(error).host
    if host.endswith(f".{settings.cosmosdb_suffix}"):
        return COSMOS
    if host.partition(".")[0] in (settings.keyvault_name, settings.cluster_keyvault_name):
        return KEY_VAULT
    identity = (_MACHINE_IDENTITY, urlsplit(os.environ.get("IDENTITY_ENDPOINT", "")).hostname)
    by_host = dict.fromkeys(identity, IDENTITY) | {
        urlsplit(settings.bundles_url).hostname: STORAGE,
        urlsplit(settings.arm_endpoint).hostname: ARM,
    }
    return by_host.get(host, "Azure")
