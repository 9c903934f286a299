"""What is asked of Azure before anything is made: the service principal's token, and permissions on the network.

Source: ARO-RP `pkg/validate/openshiftcluster_validatedynamic.go`, rules 1, 2, 4 and 5.
"""

import base64
import fnmatch
import json
import re
from collections.abc import Iterable
from typing import Any, Protocol

from azure.core.credentials import TokenCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from azure.mgmt.authorization import AuthorizationManagementClient

from activities.executor import Executor, TryAgain
from activities.step import Step
from shared import cloud
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.arm.resource_id import ResourceId
from shared.azure import clients, credentials
from shared.azure.errors import clean, retry_class
from shared.store import Document
from shared.vault import get_vault

_PROFILE = "properties.servicePrincipalProfile"
# Every token of a principal carries one of these; without them it is no principal of this tenant.
_IDENTITY_CLAIMS = ("altsecid", "oid", "puid")
# An application, or a secret of one, that is not known everywhere yet.
_SPREADING = re.compile(r"AADSTS(700016|7000215)\b")
_SUBNETS = "Microsoft.Network/virtualNetworks/subnets"
NETWORK_ACTIONS = (f"{_SUBNETS}/join/action", f"{_SUBNETS}/read", f"{_SUBNETS}/write")


class Permission(Protocol):
    """One entry of what a principal may do: what it allows, less what it excepts."""

    actions: list[str] | None
    not_actions: list[str] | None


def _validate_service_principal(step: Step) -> None:
    """Get a token with the cluster's credentials, and store the object id that it names.

    Raises:
        CloudError: `InvalidServicePrincipalClaims`, for the customer.
        TryAgain: `InvalidServicePrincipalCredentials`: a new application or secret takes minutes to be known.
    """
    claims = _cluster_claims(step)
    if not any(claims.get(claim) for claim in _IDENTITY_CLAIMS):
        raise CloudError(
            400,
            ErrorCode.INVALID_SERVICE_PRINCIPAL_CLAIMS,
            f"The token of the service principal has none of the claims {', '.join(_IDENTITY_CLAIMS)}.",
            _PROFILE,
        )
    object_id = str(claims.get("oid") or "")

    def change(document: Document) -> bool:
        profile = document["openShiftCluster"]["properties"]["servicePrincipalProfile"]
        if profile.get("objectId") == object_id:
            return False
        profile["objectId"] = object_id
        return True

    step.decide(change)


def _validate_service_principal_permissions(step: Step) -> None:
    """Check that the cluster's principal may join and change subnets of the network."""
    _validate_permissions(
        step,
        _cluster_credential(step),
        step.properties["servicePrincipalProfile"]["objectId"],
        "service principal",
        ErrorCode.INVALID_SERVICE_PRINCIPAL_PERMISSIONS,
    )


def _validate_resource_provider_permissions(step: Step) -> None:
    """Check that the first-party application may do the same."""
    credential = credentials.first_party(step.tenant_id, get_vault().get_service_secret)
    _validate_permissions(
        step,
        credential,
        str(_claims(credential).get("oid") or ""),
        "resource provider",
        ErrorCode.INVALID_RESOURCE_PROVIDER_PERMISSIONS,
    )


def _validate_permissions(
    step: Step, credential: TokenCredential, object_id: str, principal: str, code: ErrorCode
) -> None:
    """Compare what a principal may do on the cluster's network with what it has to.

    Raises:
        TryAgain: when an action is missing; an assignment takes minutes to reach every part of ARM.
    """
    network = resource_id.parse(step.properties["masterProfile"]["subnetId"]).parent
    held = _permissions(network, credential)
    if missing := missing_actions(NETWORK_ACTIONS, held):
        raise TryAgain(_refusal(code, principal, object_id, network, missing), "authorization")


def _permissions(network: ResourceId, credential: TokenCredential) -> list[Permission]:
    """List what a principal may do on a network; who may not even ask may do nothing.

    Raises:
        CloudError: `InvalidLinkedVNet`, for the customer: the network does not exist.
    """
    try:
        with clients.connect(AuthorizationManagementClient, network.subscription_id, credential) as client:
            held = client.permissions.list_for_resource(
                network.resource_group, network.provider, "", network.type, network.name
            )
            return list(held)
    except ResourceNotFoundError:
        text = f"The virtual network '{network}' was not found."
        raise CloudError(400, ErrorCode.INVALID_LINKED_VNET, text) from None
    except HttpResponseError as error:
        if error.status_code != 403:  # noqa: PLR2004 - Forbidden
            raise
        return []


def missing_actions(wanted: Iterable[str], held: list[Permission]) -> list[str]:
    """Return the actions that no entry allows. Wildcards match any text, and case does not count."""
    return [action for action in wanted if not any(_allows(permission, action) for permission in held)]


def _allows(permission: Permission, action: str) -> bool:
    return _matches(permission.actions, action) and not _matches(permission.not_actions, action)


def _matches(patterns: list[str] | None, action: str) -> bool:
    return any(fnmatch.fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns or [])


def _refusal(code: ErrorCode, principal: str, object_id: str, scope: ResourceId, missing: list[str]) -> CloudError:
    """Say what is missing, to whom, where, and the line that grants it."""
    return CloudError(
        400,
        code,
        f"The {principal} (object id {object_id}) lacks these permissions on '{scope}': {', '.join(missing)}. "
        f"Grant them with: az role assignment create --assignee-object-id {object_id} "
        f"--assignee-principal-type ServicePrincipal --role 'Network Contributor' --scope '{scope}'",
        details=[{"code": "AzureResource", "message": str(scope)}],
        owner=Owner.CUSTOMER,
    )


def _cluster_credential(step: Step) -> TokenCredential:
    secret = get_vault().get_secret(step.document["secrets"]["request"])["clientSecret"]
    return credentials.cluster_principal(step.tenant_id, step.properties["servicePrincipalProfile"]["clientId"], secret)


def _cluster_claims(step: Step) -> dict[str, Any]:
    """Return the claims of the cluster's principal.

    Raises:
        TryAgain: `InvalidServicePrincipalCredentials`.
    """
    try:
        return _claims(_cluster_credential(step))
    except ClientAuthenticationError as error:
        text = clean(str(error.message)).split("\n", 1)[0]
        refused = CloudError(
            400,
            ErrorCode.INVALID_SERVICE_PRINCIPAL_CREDENTIALS,
            f"Entra ID issued no token to the service principal: {text}",
            _PROFILE,
        )
        spreading = "principal" if _SPREADING.search(text) else "none"
        raise TryAgain(refused, "transient" if retry_class(error) == "transient" else spreading) from error


def _claims(credential: TokenCredential) -> dict[str, Any]:
    """Get a token for ARM and return what it says. ARM checks its signature; we only read our own token."""
    payload = credential.get_token(cloud.cloud_profile().arm_scope).token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


validate_service_principal = Executor(run=_validate_service_principal)
validate_service_principal_permissions = Executor(run=_validate_service_principal_permissions)
validate_resource_provider_permissions = Executor(run=_validate_resource_provider_permissions)
