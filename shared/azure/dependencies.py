"""The service's own dependencies, by the host of a failed call: what clients and the log are told when one is away.

The client learns which dependency is away and that repeating helps. Only the log says whose permission is missing.
"""

import os
from http import HTTPStatus
from urllib.parse import urlsplit

from azure.core.exceptions import AzureError, ClientAuthenticationError

from shared.arm.errors import CloudError, service_unavailable
from shared.azure import errors
from shared.settings import Settings

COSMOS, KEY_VAULT, ARM = "Azure Cosmos DB", "Azure Key Vault", "Azure Resource Manager"
IDENTITY = "the managed identity endpoint"
# The identity endpoint of a virtual machine. A function app's is in the environment.
_MACHINE_IDENTITY = "169.254.169.254"
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_PERMISSIONS = {"GET": "Get", "PUT": "Set", "PATCH": "Set", "DELETE": "Delete"}


def unavailable(error: AzureError, settings: Settings) -> CloudError | None:
    """Return the message for a client if a dependency of the service failed a call, or None if the call was wrong.

    Missing access and a missing token count as away, because nothing is wrong with the request.
    """
    if not (_is_refused(error) or errors.is_away(error)):
        return None
    return away(_name(error, settings))


def away(name: str) -> CloudError:
    """Return the message for a client while a dependency is away."""
    return service_unavailable(
        f"{name}, which this service depends on, cannot be used at the moment. Nothing is wrong with the request: "
        "repeat it."
    )


def explain(error: AzureError, settings: Settings) -> str:
    """Say for the log what is away, or which permission is missing, whose, and on what."""
    failure, name = errors.translate(error), _name(error, settings)
    told = f"{failure.error.details[0]['code']}: {failure.error.message}"
    if not _is_refused(error):
        return f"{name} at {failure.host or 'an unknown address'} is away: {told}"
    who = f"the app's managed identity (object id {settings.rp_object_id})"
    if name not in (COSMOS, KEY_VAULT):
        return f"{who} gets no token from {name}: is it assigned to the app? {told}"
    if name == COSMOS:
        role = "the data role 'Cosmos DB Built-in Data Contributor'"
        return f"{who} lacks {role} on account '{settings.cosmosdb_account}': {told}"
    vault = failure.host.partition(".")[0]
    permission = f"the permission to {_PERMISSIONS.get(_method(error), 'Get')} secrets"
    return f"{who} lacks {permission} on {name} '{vault}': {told}"


def _is_refused(error: AzureError) -> bool:
    return isinstance(error, ClientAuthenticationError) or errors.status_of(error) in _REFUSED


def _method(error: AzureError) -> str:
    request = getattr(getattr(error, "response", None), "request", None)
    return str(getattr(request, "method", ""))


def _name(error: AzureError, settings: Settings) -> str:
    """Return the name of the dependency that a failed call was for."""
    if isinstance(error, ClientAuthenticationError) and error.response is None:
        # The SDK keeps nothing of the endpoint's answer, and for a while it refuses to ask again. In requests only the
        # app's own identity gets tokens.
        return IDENTITY
    host = errors.translate(error).host
    if host.endswith(f".{settings.cosmosdb_suffix}"):
        return COSMOS
    if host.partition(".")[0] in (settings.keyvault_name, settings.cluster_keyvault_name):
        return KEY_VAULT
    if host == urlsplit(settings.arm_endpoint).hostname:
        return ARM
    if host in (_MACHINE_IDENTITY, urlsplit(os.environ.get("IDENTITY_ENDPOINT", "")).hostname):
        return IDENTITY
    return "Azure"
