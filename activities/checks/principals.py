"""The checks of the two principals against Azure, before anything is made: the cluster's token, their permissions.

Source: ARO-RP `pkg/validate/openshiftcluster_validatedynamic.go`; the rules of permissions are those of 2026.
"""

import re
from dataclasses import replace

from activities.azure import cluster_principal
from activities.azure.cluster_principal import Claims
from activities.checks import permissions
from activities.checks.permissions import Principal
from activities.runtime.executor import Executor, TryAgain
from activities.runtime.step import Step
from shared import settings
from shared.arm.errors import CloudError, ErrorCode, summarize
from shared.azure.azure_errors import PrincipalRefused, clean
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import ServicePrincipal
from shared.steps import RetryClass

_PROFILE = "properties.servicePrincipalProfile"
# Every token of a principal has one of these; without them it is not a principal of this tenant.
_IDENTITY_CLAIMS = ("altsecid", "oid", "puid")
# With this permission the cluster could change applications of the tenant, which it never needs to.
_REFUSED_ROLE = "Application.ReadWrite.OwnedBy"
# Codes for an application, or a secret, that is not known everywhere yet.
_SPREADING = re.compile(r"AADSTS(700016|7000215)\b")


def _validate_service_principal(step: Step) -> None:
    """Get a token with the cluster's credentials, and store the object id in it.

    Raises:
        CloudError: `InvalidServicePrincipalClaims`, `InvalidServicePrincipalCredentials`, for the customer.
        TryAgain: `InvalidServicePrincipalCredentials`: a new application or secret takes minutes to be known.
    """
    principal = cluster_principal.principal_of(step)
    claims = _cluster_claims(step, principal)
    if found := _claim_problems(claims):
        raise summarize(found)
    wanted = replace(principal, object_id=str(claims.get("oid") or ""))
    step.decide(lambda document: cluster_credential.note(document, wanted))


def _claim_problems(claims: Claims) -> list[CloudError]:
    found = []
    if not any(claims.get(claim) for claim in _IDENTITY_CLAIMS):
        text = f"The token of the service principal has none of the claims {', '.join(_IDENTITY_CLAIMS)}."
        found.append(CloudError(400, ErrorCode.INVALID_SERVICE_PRINCIPAL_CLAIMS, text, _PROFILE))
    if _REFUSED_ROLE in (claims.get("roles") or []):
        text = (
            f"The service principal has the application permission '{_REFUSED_ROLE}', which a cluster must not have. "
            "Take it from the application, or give the cluster another one."
        )
        found.append(CloudError(400, ErrorCode.INVALID_SERVICE_PRINCIPAL_CREDENTIALS, text, _PROFILE))
    return found


def _validate_service_principal_permissions(step: Step) -> None:
    """Check that the cluster's principal may use the network, everything attached to its subnets, and encryption sets.

    Raises:
        CloudError, TryAgain: as `permissions.validate`, `InvalidServicePrincipalPermissions`.
    """
    service_principal = cluster_principal.principal_of(step)
    principal = Principal(
        "service principal",
        service_principal.object_id,
        ErrorCode.INVALID_SERVICE_PRINCIPAL_PERMISSIONS,
        permissions.CLUSTER_ACTIONS,
    )
    with cluster_principal.as_cluster(step, service_principal) as connect:
        permissions.validate(step, principal, connect)


def _validate_resource_provider_permissions(step: Step) -> None:
    """Check that the resource provider may do its part on these resources.

    Raises:
        CloudError, TryAgain: as `permissions.validate`, `InvalidResourceProviderPermissions`.
    """
    principal = Principal(
        "resource provider" if settings.load().first_party_client_id else "service's managed identity",
        cluster_principal.provider_object_id(step),
        ErrorCode.INVALID_RESOURCE_PROVIDER_PERMISSIONS,
        permissions.PROVIDER_ACTIONS,
    )
    permissions.validate(step, principal, step.customer)


def _cluster_claims(step: Step, principal: ServicePrincipal) -> Claims:
    """Return the claims of the cluster's principal.

    Raises:
        TryAgain: `InvalidServicePrincipalCredentials`.
        azure.core.exceptions.ClientAuthenticationError: Entra ID did not answer, or was busy, which says nothing about
            the credentials.
    """
    try:
        with cluster_principal.customers_own():
            return cluster_principal.claims(cluster_principal.token_source(step, principal))
    except PrincipalRefused as error:
        text = clean(str(error.message)).split("\n", 1)[0]
        refused = CloudError(
            400,
            ErrorCode.INVALID_SERVICE_PRINCIPAL_CREDENTIALS,
            f"Entra ID issued no token to the service principal: {text}",
            _PROFILE,
        )
        raise TryAgain(
            summarize([refused]), RetryClass.PRINCIPAL if _SPREADING.search(text) else RetryClass.NONE
        ) from error


validate_service_principal = Executor(run=_validate_service_principal)
validate_service_principal_permissions = Executor(run=_validate_service_principal_permissions)
validate_resource_provider_permissions = Executor(run=_validate_resource_provider_permissions)
