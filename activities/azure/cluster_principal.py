"""The identities in the customer's subscription besides the service: the cluster's principal, and claims of tokens."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import Any, TypedDict, TypeVar

from azure.core.credentials import TokenCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError

from activities.runtime.step import Step
from shared import cloud
from shared.azure import clients, credentials
from shared.azure.azure_errors import PrincipalRefused, is_refusal
from shared.vault import get_vault

Found = TypeVar("Found")
# Returns a management client of the given class.
Connect = Callable[[Callable[..., Any]], Any]


def cluster_credential(step: Step) -> TokenCredential:
    """Return the credential of the cluster's principal, as the request gave it."""
    secret = get_vault().get_secret(step.document["secrets"]["request"])["clientSecret"]
    return credentials.cluster_principal(step.tenant_id, step.properties["servicePrincipalProfile"]["clientId"], secret)


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


@contextmanager
def as_cluster(step: Step) -> Iterator[Connect]:
    """Yield a function that makes clients acting as the cluster's principal; they are closed at the end.

    Raises:
        PrincipalRefused: Entra ID or Azure refuses the principal's credentials.
    """
    credential, made = cluster_credential(step), dict[Any, Any]()
    with ExitStack() as stack, customers_own():

        def connect(client: Callable[..., Any]) -> Any:
            if client not in made:
                made[client] = stack.enter_context(clients.connect(client, step.subscription_id, credential))
            return made[client]

        yield connect


def read_as_either(step: Step, read: Callable[[Connect], Found]) -> Found:
    """Read as the service or, if it may not, as the cluster, so that problems are reported beside the missing role.

    Raises:
        HttpResponseError: 403 if neither may.
    """
    try:
        return read(step.customer)
    except HttpResponseError as refused:
        if refused.status_code != HTTPStatus.FORBIDDEN:
            raise
        try:
            with as_cluster(step) as connect:
                return read(connect)
        except PrincipalRefused:
            raise refused from None
