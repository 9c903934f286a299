"""Certificates that Key Vault orders from an issuer, and renews.

Only activities import this module, because it brings an SDK that no request needs. Keys stay in Key Vault: here are
orders and policies, and `Vault.get_certificate` alone reads a key.
"""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.core.rest import HttpRequest
from azure.keyvault.certificates import CertificateClient, CertificateOperation

from shared import settings
from shared.fence import FencePolicy
from shared.vault import connect

IN_PROGRESS = "inprogress"
COMPLETED = "completed"
_SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1"
_VALIDITY_MONTHS = 3
_RENEWED_DAYS_BEFORE_EXPIRY = 30


def policy(issuer: str, subject: str, dns_names: list[str]) -> dict[str, Any]:
    """Return what is ordered, as Key Vault's API takes it: RSA 2048, for TLS servers, three months, renewed by itself.

    Source: ARO-RP `pkg/util/keyvault/keyvault.go`, `CreateSignedCertificate`.
    """
    return {
        "issuer": {"name": issuer},
        # Exportable, because the cluster shows it; without that its secret holds no key.
        "key_props": {"exportable": True, "kty": "RSA", "key_size": 2048, "reuse_key": False},
        "secret_props": {"contentType": "application/x-pem-file"},
        "x509_props": {
            "subject": subject,
            "sans": {"dns_names": dns_names},
            "ekus": [_SERVER_AUTHENTICATION],
            "key_usage": ["digitalSignature", "keyEncipherment"],
            "validity_months": _VALIDITY_MONTHS,
        },
        "lifetime_actions": [
            {
                "trigger": {"days_before_expiry": _RENEWED_DAYS_BEFORE_EXPIRY},
                "action": {"action_type": "AutoRenew"},
            }
        ],
    }


class Certificates:
    """The certificates of the clusters' vault."""

    def __init__(self, client: CertificateClient, issuer: str) -> None:
        """Wrap the client; `issuer` is one that the vault knows."""
        self._client = client
        self._issuer = issuer

    def begin(self, name: str, subject: str, dns_names: list[str]) -> bool:
        """Order a certificate, unless one is on order, or there is one for the same names that is still valid.

        A deleted one of this name is recovered, because it holds the name; whether it will do is found out next.

        Args:
            name: as `shared.clusters.secrets.certificate_name` makes it.
            subject: `CN=...`.
            dns_names: subject alternative names.

        Returns:
            Whether there was anything to do.
        """
        order = self.order(name)
        if order is not None and status(order) == IN_PROGRESS:
            return False
        if self.is_issued(name, subject, dns_names):
            return False
        wanted = {"policy": policy(self._issuer, subject, dns_names)}
        # The client's own `begin_create_certificate` starts a thread that polls, where nobody waits for it.
        response = self._client.send_request(HttpRequest("POST", f"/certificates/{name}/create", json=wanted))
        try:
            response.raise_for_status()
        except HttpResponseError as error:
            if _inner_code(error) != "ObjectIsDeletedButRecoverable":
                raise
            self._client.begin_recover_deleted_certificate(name)
        return True

    def order(self, name: str) -> CertificateOperation | None:
        """Return how the last order of a certificate goes, or None when there is none."""
        try:
            return self._client.get_certificate_operation(name)
        except ResourceNotFoundError:
            return None

    def is_issued(self, name: str, subject: str, dns_names: list[str]) -> bool:
        """Tell whether there is a certificate for these names that is enabled and has not expired."""
        try:
            found = self._client.get_certificate(name)
        except ResourceNotFoundError:
            return False
        properties, ordered = found.properties, found.policy
        if properties is None or ordered is None or not found.cer or not properties.enabled:
            return False
        if properties.expires_on is None or properties.expires_on <= datetime.now(UTC):
            return False
        return ordered.subject == subject and set(ordered.san_dns_names or ()) == set(dns_names)

    def delete(self, name: str) -> None:
        """Delete a certificate with all its versions and its key; one that does not exist is fine.

        Soft delete keeps it, and its name, until Key Vault purges it.
        """
        try:
            self._client.begin_delete_certificate(name)
        except ResourceNotFoundError:
            return


def status(order: CertificateOperation) -> str:
    """Return an order's status in lower case, because Key Vault writes it in more than one way."""
    return (order.status or "").lower()


def _inner_code(error: HttpResponseError) -> str:
    inner = error.error.innererror if error.error is not None else None
    return str((inner or {}).get("code", ""))


@cache
def get_certificates() -> Certificates:
    """Return the certificates of this process's vault of clusters."""
    own = settings.load()
    return Certificates(connect(CertificateClient, own.cluster_keyvault_name, FencePolicy()), own.certificate_issuer)
