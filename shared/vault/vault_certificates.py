"""Certificates that Key Vault orders from an issuer, and renews.

Only activities import this module, because it imports an SDK that no request needs. It handles orders and policies.
Keys stay in Key Vault; only `Vault.get_certificate` reads one.
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
    """Return the policy of an order: RSA 2048, for TLS servers, three months, renewed by Key Vault.

    Args:
        issuer: name of the issuer in the vault.
        subject: `CN=...`.
        dns_names: subject alternative names.

    Source: ARO-RP `pkg/util/keyvault/keyvault.go`, `CreateSignedCertificate`.
    """
    return {
        "issuer": {"name": issuer},
        # Exportable, because the cluster needs the key; otherwise the certificate's secret would not contain it.
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
        """Wrap the client; `issuer` is an issuer that the vault knows."""
        self._client = client
        self._issuer = issuer

    def begin(self, name: str, subject: str, dns_names: list[str]) -> bool:
        """Order a certificate, unless one is on order, or a valid one for the same names exists.

        A deleted certificate of this name is recovered, because it occupies the name. The next call finds out whether
        it is suitable.

        Args:
            name: the name that `shared.clusters.secrets.certificate_name` makes.
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
        # The client's own `begin_create_certificate` would start a thread that polls, and nothing here waits for it.
        response = self._client.send_request(HttpRequest("POST", f"/certificates/{name}/create", json=wanted))
        try:
            response.raise_for_status()
        except HttpResponseError as error:
            if _inner_code(error) != "ObjectIsDeletedButRecoverable":
                raise
            self._client.begin_recover_deleted_certificate(name)
        return True

    def order(self, name: str) -> CertificateOperation | None:
        """Return the state of a certificate's last order, or None if there is none."""
        try:
            return self._client.get_certificate_operation(name)
        except ResourceNotFoundError:
            return None

    def is_issued(self, name: str, subject: str, dns_names: list[str]) -> bool:
        """Tell whether an enabled certificate for these names exists that has not expired.

        Args:
            name: the certificate's name.
            subject: `CN=...`.
            dns_names: subject alternative names.
        """
        try:
            certificate = self._client.get_certificate(name)
        except ResourceNotFoundError:
            return False
        properties, ordered = certificate.properties, certificate.policy
        if properties is None or ordered is None or not certificate.cer or not properties.enabled:
            return False
        if properties.expires_on is None or properties.expires_on <= datetime.now(UTC):
            return False
        return ordered.subject == subject and set(ordered.san_dns_names or ()) == set(dns_names)

    def delete(self, name: str) -> None:
        """Delete a certificate with all its versions and its key, if it exists.

        Soft delete keeps it, and its name, until Key Vault purges it.
        """
        try:
            self._client.begin_delete_certificate(name)
        except ResourceNotFoundError:
            return


def status(order: CertificateOperation) -> str:
    """Return an order's status in lower case, because Key Vault writes it in several ways."""
    return (order.status or "").lower()


def _inner_code(error: HttpResponseError) -> str:
    inner = error.error.innererror if error.error is not None else None
    return str((inner or {}).get("code", ""))


@cache
def get_certificates() -> Certificates:
    """Return the certificates of this process's vault of clusters."""
    service_settings = settings.load()
    return Certificates(
        connect(CertificateClient, service_settings.cluster_keyvault_name, FencePolicy()),
        service_settings.certificate_issuer,
    )
