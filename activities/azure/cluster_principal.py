"""The identities in the customer's subscription besides the service: the cluster's principal, and claims of tokens."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import Any, TypedDict, TypeVar, assert_never

from azure.core.credentials import TokenCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError

from activities.runtime.step import Step
from shared import cloud
from shared.azure import clients, credentials
from shared.azure.azure_errors import PrincipalRefused, is_refusal
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.vault import get_vault

Found = TypeVar("Found")
# Returns a management client of the given class.
Connect = Callable[[Callable[..., Any]], Any]


def principal_of(step: Step) -> ServicePrincipal:
    """Return the cluster's principal, for rows that only clusters with one have.

    Raises:
        ValueError: if the cluster has workload identity; its plan has none of these rows.
    """
    credential = step.credential
    match credential:
        case ServicePrincipal():
            return credential
        case WorkloadIdentity():
            raise ValueError("the cluster has workload identity, so it has no service principal")
        case _:
            assert_never(credential)


def client_secret(step: Step) -> str:
    """Return the secret of a cluster's principal, as the request gave it."""
    # A dry run has none, and its document says so here.
    request = get_vault().get_secret(step.document["secrets"]["request"])
    secret: str = request["clientSecret"]
    return secret


def token_source(step: Step, principal: ServicePrincipal) -> TokenCredential:
    """Return what gets the tokens of the cluster's principal."""
    return credentials.cluster_principal(step.tenant_id, principal.client_id, client_secret(step))


class Claims(TypedDict, total=False):
    """The claims of an Entra ID token that this service reads."""

    oid: str
    altsecid: str
    puid: str
    roles: list[str]


def claims(credential: TokenCredential) -> Claims:
    """Get a token for ARM and return its claims. ARM checks the signature; we only read our own token."""
    payload = credential.get_token(cloud.cloud_profile().arm_scope).token.split(".")[1]
    found: Claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return found


@contextmanager
def customers_own() -> Iterator[None]:
    """Say of a refused credential that it is the cluster's principal's, and not the service's.

    Raises:
        PrincipalRefused: instead of the refusal.
    """
    try:
        yield
    except ClientAuthenticationError as error:
        if not is_refusal(error):
            raise
        raise PrincipalRefused(error.message, response=error.response) from error


def provider_object_id(step: Step) -> str:
    """Return the object id, in the customer's tenant, of what acts there for the service."""
    return str(claims(credentials.provider(step.tenant_id, get_vault().get_service_secret)).get("oid") or "")


@contextmanager
def as_cluster(step: Step, principal: ServicePrincipal) -> Iterator[Connect]:
    """Yield a function that makes clients acting as the cluster's principal; they are closed at the end.

    Raises:
        PrincipalRefused: Entra ID or Azure refuses the principal's credentials.
    """
    credential, made = token_source(step, principal), dict[Any, Any]()
    with ExitStack() as stack, customers_own():

        def connect(client: Callable[..., Any]) -> Any:
            if client not in made:
                made[client] = stack.enter_context(clients.connect(client, step.subscription_id, credential))
            return made[client]

        yield connect


def read_as_either(step: Step, read: Callable[[Connect], Found]) -> Found:
    """Read as the service or, if it may not, as the cluster, so that problems are reported beside the missing role.

    With workload identity the service never acts as the cluster.

    Raises:
        HttpResponseError: 403 if neither may.
    """
    try:
        return read(step.customer)
    except HttpResponseError as refused:
        if refused.status_code != HTTPStatus.FORBIDDEN:
            raise
        credential = step.credential
        match credential:
            case ServicePrincipal():
                try:
                    with as_cluster(step, credential) as connect:
                        return read(connect)
                except PrincipalRefused:
                    raise refused from None
            case WorkloadIdentity():
                raise
            case _:
                assert_never(credential)
