"""The identities that act in Azure: the resource provider, what only reads for it, and those of a cluster.

The resource provider is the first-party application or, in a deployment that has none, the app's managed identity. The
managed identity also opens the service's own Cosmos DB and Key Vault; see `shared/cloud.py`.
"""

import base64
import binascii
import logging
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from azure.core.credentials import AccessToken, AccessTokenInfo, TokenCredential, TokenRequestOptions
from azure.core.exceptions import AzureError
from azure.identity import CertificateCredential, ClientSecretCredential

from shared import answer_framing, cloud, durations, settings, tracing
from shared.arm.errors import CloudError, ErrorCode, Owner

_log = logging.getLogger(__name__)

# Like the clients that ask for tokens: a thread must not wait for a retry that the plan decides.
IMPATIENT: dict[str, Any] = {
    "retry_total": 2,
    "retry_connect": 1,
    "retry_read": 0,
    "retry_status": 0,
    "retry_backoff_factor": 0.2,
    "raw_request_hook": tracing.add_headers,
    "raw_response_hook": answer_framing.expect_whole,
}


def provider(tenant_id: str, read_secret: Callable[[str], str]) -> TokenCredential:
    """Return the credential with which the service acts, in customers' subscriptions and in its own.

    Args:
        tenant_id: the customer's tenant, or the service's own. The managed identity has only one tenant.
        read_secret: as in `first_party`.
    """
    if settings.load().first_party_client_id:
        return first_party(tenant_id, read_secret)
    return cloud.managed_identity()


def installer(tenant_id: str, read_secret: Callable[[str], str]) -> TokenCredential:
    """Return the credential with which the program `openshift-install` reads Azure.

    Args:
        tenant_id: the customer's tenant, or the service's own.
        read_secret: as in `first_party`.

    Raises:
        CloudError: for the operator: this deployment has no identity for it.
    """
    if settings.load().first_party_client_id:
        return first_party(tenant_id, read_secret)
    if settings.load().installer_client_id:
        return cloud.installer_identity()
    raise CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        "The service has no identity with which OpenShift's installer reads Azure: INSTALLER_CLIENT_ID is empty. "
        "Deploy 'infra/service.json' and 'infra/subscription.json' of this release.",
        owner=Owner.PLATFORM,
    )


class FirstParty:
    """The first-party application's credential in one tenant, with the newest certificate of the service vault.

    The certificate is read again after an hour, because a process may outlive it. While the vault is away, the last one
    serves.
    """

    def __init__(self, tenant_id: str, read_secret: Callable[[str], str], clock: Callable[[], float]) -> None:
        """Read the certificate.

        Args:
            tenant_id: the tenant.
            read_secret: as in `first_party`.
            clock: seconds.

        Raises:
            azure.core.exceptions.AzureError: the vault does not answer, or has no certificate.
        """
        self._tenant_id, self._read_secret, self._clock = tenant_id, read_secret, clock
        self._lock = threading.Lock()
        self._again_at = clock() + durations.PUBLISHED_FRESH.total_seconds()
        self._text = self._read()
        self._credential = self._made()

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """Return a token, as `azure-identity` does."""
        return self._newest().get_token(*scopes, **options)

    def get_token_info(self, *scopes: str, options: TokenRequestOptions | None = None) -> AccessTokenInfo:
        """Return a token with more about it, as `azure-identity` does."""
        return self._newest().get_token_info(*scopes, options=options)

    def _newest(self) -> CertificateCredential:
        with self._lock:
            if self._clock() >= self._again_at:
                self._refresh()
            return self._credential

    def _refresh(self) -> None:
        try:
            text, again = self._read(), durations.PUBLISHED_FRESH
        except AzureError:
            _log.warning("the first party's certificate could not be read again", exc_info=True)
            text, again = self._text, durations.PUBLISHED_AGAIN
        self._again_at = self._clock() + again.total_seconds()
        # A credential keeps the tokens that it has got.
        if text != self._text:
            self._text = text
            self._credential = self._made()

    def _read(self) -> str:
        return self._read_secret(settings.load().first_party_certificate_secret)

    def _made(self) -> CertificateCredential:
        return CertificateCredential(
            self._tenant_id,
            settings.load().first_party_client_id,
            certificate_data=certificate_bytes(self._text),
            # Subject name and issuer authentication needs the chain. It lets the certificate rotate without
            # registration.
            send_certificate_chain=True,
            authority=cloud.cloud_profile().login_endpoint,
            # The authority comes from ARM's metadata. Discovery would ask the public cloud's host about it.
            disable_instance_discovery=True,
            transport=cloud.short_transport(),
            **IMPATIENT,
        )


@cache
def first_party(tenant_id: str, read_secret: Callable[[str], str]) -> FirstParty:
    """Return the first-party application's credential in a tenant, created once per process.

    Args:
        tenant_id: the customer's tenant, or the service's own.
        read_secret: reads a secret of the service vault, such as `Vault.get_service_secret`.
    """
    return FirstParty(tenant_id, read_secret, time.monotonic)


def cluster_principal(tenant_id: str, client_id: str, client_secret: str) -> ClientSecretCredential:
    """Return a credential of the cluster's service principal.

    It is not cached, because the customer may change the secret.

    Args:
        tenant_id: the cluster's tenant.
        client_id: the principal's application id.
        client_secret: the principal's secret.
    """
    return ClientSecretCredential(
        tenant_id,
        client_id,
        client_secret,
        authority=cloud.cloud_profile().login_endpoint,
        disable_instance_discovery=True,
        transport=cloud.short_transport(),
        **IMPATIENT,
    )


def cluster_identity(tenant_id: str, client_id: str, certificate: str, authority: str) -> CertificateCredential:
    """Return a credential of a managed identity that a customer has assigned to a cluster.

    It is not cached, because its certificate is replaced every few weeks.

    Args:
        tenant_id: the identity's tenant.
        client_id: the identity's application id.
        certificate: certificate and key, as `certificate_bytes` takes them.
        authority: where the identity logs in, which may be regional.
    """
    return CertificateCredential(
        tenant_id,
        client_id,
        certificate_data=certificate_bytes(certificate),
        send_certificate_chain=True,
        authority=authority,
        disable_instance_discovery=True,
        transport=cloud.short_transport(),
        **IMPATIENT,
    )


def certificate_bytes(secret: str) -> bytes:
    """Return the certificate in a form that azure-identity accepts.

    Key Vault returns a certificate as PEM text or as PKCS#12 in base64, depending on its content type.

    Raises:
        ValueError: if it is neither.
    """
    if "-----BEGIN" in secret:
        return secret.encode("ascii")
    try:
        return base64.b64decode(secret, validate=True)
    except binascii.Error:
        raise ValueError("the certificate is neither PEM nor base64 of PKCS#12") from None
