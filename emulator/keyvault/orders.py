"""Orders of certificates: one at a time for each certificate, ended by its issuer.

The store has the time at which an order in flight ends. Every request after that time finds the certificate issued,
even after a restart. `reuse_key` of a policy is kept but ignored: each order makes a new key.
"""

import base64
from datetime import datetime, timedelta
from uuid import uuid4

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.keyvault import certificate_material
from emulator.keyvault.exceptions import (
    CERTIFICATE_DELETED_BUT_RECOVERABLE,
    CERTIFICATE_NAME_IN_USE,
    PENDING_IN_PROGRESS,
    PENDING_NOT_FOUND,
)
from emulator.keyvault.issuers import IssuerModel
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.policies import SELF, UNKNOWN, complete
from emulator.keyvault.properties import attributes, check_name, metadata
from emulator.keyvault.vault_certificates import CertificateModel

# Estimated as 1 to 5 minutes, because no figure is published for a public authority. Key Vault itself signs in seconds.
ISSUE_SECONDS = 180.0
SELF_SECONDS = 5.0
# Service of the faults that refuse an order; their operation is `issue <issuer>`.
FAULTS = "keyvault"
# The error code if the issuer or the request is at fault.
ISSUER_ERROR = "Certificate issuer error"
# The error code if the same order may succeed later.
CAN_RETRY = "FailedCanRetry"
# How often a vault looks for certificates to renew, without regard to the time scale.
LOOK_EVERY = timedelta(hours=1)
SECONDS_A_DAY = 86400


class OrderModel:
    """The orders of all vaults."""

    def __init__(
        self, platform: Platform, vaults: KeyVaultModel, certificates: CertificateModel, issuers: IssuerModel
    ) -> None:
        self._clock = platform.clock
        self._store = platform.store
        self._authority = platform.authority
        self._faults = platform.faults
        self._vaults = vaults
        self._certificates = certificates
        self._issuers = issuers
        self._orders = platform.store.table("keyvault_orders")
        self._looked: dict[str, datetime] = {}

    def create(self, vault: str, name: str, wish: Document, key_pem: str, correlation_id: str = "") -> Document:
        """Order a certificate, or its next version.

        Raises:
            ServiceError: 400; 409 if it is on order already, is deleted but recoverable, or a secret has the name.
        """
        check_name(name)
        found = self._certificates.find(vault, name)
        self._check_free(vault, name, found)
        policy = complete(wish.get("policy") or {})
        now, version = int(self._clock.now().timestamp()), uuid4().hex
        certificate = found or {"name": name, "vault": vault.lower(), "versions": [], "deleted": None, "created": now}
        certificate["policy"] = policy
        issuer = policy["issuer"]["name"]
        certificate["order"] = {
            "request_id": uuid4().hex,
            "version": version,
            "issuer": policy["issuer"],
            "csr": certificate_material.request(policy, key_pem),
            "status": "inProgress",
            "status_details": _details(issuer),
            "cancellation_requested": False,
            "correlationId": correlation_id,
        }
        given = {"enabled": True} | attributes(wish)
        made: Document = {
            "vault": vault.lower(),
            "name": certificate["name"],
            "version": version,
            "wanted": given,
            "attributes": given | {"enabled": False, "created": now, "updated": now},
        } | metadata({"tags": wish.get("tags")})
        if not certificate["versions"]:
            certificate["versions"].append(version)
        with self._store.transaction():
            self._certificates.put(certificate)
            self._certificates.put_version(certificate, made, key_pem)
            # There may still be an order of a certificate that was deleted meanwhile.
            self._orders.delete(f"{vault}/{name}".lower())
            if issuer != UNKNOWN:
                seconds = SELF_SECONDS if issuer == SELF else ISSUE_SECONDS
                self._orders.put(f"{vault}/{name}".lower(), {"ready": self._clock.after(seconds).isoformat()})
        return certificate

    def _check_free(self, vault: str, name: str, found: Document | None) -> None:
        if found is None:
            if self._vaults.has_own_secret(vault, name):
                raise CERTIFICATE_NAME_IN_USE(name)
            return
        if found["deleted"]:
            raise CERTIFICATE_DELETED_BUT_RECOVERABLE(name)
        if found["order"] and found["order"]["status"] == "inProgress":
            raise PENDING_IN_PROGRESS()

    def _renew(self, vault: str) -> None:
        """Order the next version of every certificate of a vault whose policy wants that now."""
        now = self._clock.now()
        if self._looked.get(vault, now - LOOK_EVERY) > now - LOOK_EVERY:
            return
        self._looked[vault] = now
        for certificate in self._certificates.all(vault):
            order, policy = certificate["order"] or {}, certificate["policy"]
            version = self._certificates.version(vault, certificate["name"], certificate["versions"][-1])
            left = version["attributes"].get("exp", float("inf")) - now.timestamp()
            days = max(
                (
                    one["trigger"].get("days_before_expiry") or 0
                    for one in policy["lifetime_actions"]
                    if one["action"]["action_type"] == "AutoRenew"
                ),
                default=0,
            )
            if left <= days * SECONDS_A_DAY and order.get("status") != "inProgress":
                wish = {"policy": policy, "tags": version.get("tags")}
                self.create(vault, certificate["name"], wish, certificate_material.new_key(policy))

    def settle(self, vault: str) -> None:
        """End every order of a vault that is due, and order what is to be renewed."""
        self._renew(vault.lower())
        for key, order in list(self._orders.scan(f"{vault.lower()}/")):
            if self._clock.now() >= datetime.fromisoformat(order["ready"]):
                certificate = self._certificates.active(vault, key.partition("/")[2])
                with self._store.transaction():
                    self._orders.delete(key)
                    if certificate is not None and certificate["order"]:
                        self._end(vault, certificate)

    def _end(self, vault: str, certificate: Document) -> None:
        order, policy = certificate["order"], certificate["policy"]
        version = self._certificates.version(vault, certificate["name"], order["version"])
        if error := self._refusal(vault, order):
            order |= {"status": "failed", "status_details": error["message"], "error": error}
        else:
            secret = self._vaults.managed_version(vault, certificate["name"], order["version"])
            chain = certificate_material.issue(policy, secret["value"], self._authority, self._clock.now())
            leaf = chain[0]
            version |= {
                "cer": base64.b64encode(leaf.public_bytes(Encoding.DER)).decode(),
                "x5t": base64.urlsafe_b64encode(leaf.fingerprint(hashes.SHA1())).decode().rstrip("="),  # noqa: S303 - the thumbprint's definition
                "attributes": version["attributes"]
                | version["wanted"]
                | {
                    "nbf": int(leaf.not_valid_before_utc.timestamp()),
                    "exp": int(leaf.not_valid_after_utc.timestamp()),
                    "updated": int(self._clock.now().timestamp()),
                },
            }
            order |= {"status": "completed", "status_details": None}
            if version["version"] not in certificate["versions"]:
                certificate["versions"].append(version["version"])
            value = certificate_material.secret_value(policy, secret["value"], chain)
            self._certificates.put_version(certificate, version, value)
        self._certificates.put(certificate)

    def _refusal(self, vault: str, order: Document) -> Document | None:
        issuer = order["issuer"]["name"]
        known = self._issuers.find(vault, issuer)
        if issuer != SELF and (known is None or not known["attributes"]["enabled"]):
            what = "is disabled" if known else f"does not exist in key vault '{vault}'"
            return {"code": ISSUER_ERROR, "message": f"The certificate issuer '{issuer}' {what}."}
        fault = self._faults.take(FAULTS, f"issue {issuer}", order["correlationId"])
        if fault is not None and fault.kind == "status":
            passing = fault.status_code == 429 or fault.status_code >= 500  # noqa: PLR2004 - HTTP's own
            return {"code": fault.code or (CAN_RETRY if passing else ISSUER_ERROR), "message": fault.message}
        return None

    def get(self, vault: str, name: str, request_id: str = "") -> Document:
        """Return a certificate with its last order.

        Args:
            vault: name of the vault.
            name: name of the certificate.
            request_id: id of the order, which another may have replaced; "" for the last one.

        Raises:
            ServiceError: 404.
        """
        found = self._certificates.active(vault, name)
        if found is None or not found["order"] or request_id not in ("", found["order"]["request_id"]):
            raise PENDING_NOT_FOUND(name)
        return found


def _details(issuer: str) -> str:
    if issuer == UNKNOWN:
        return "Pending certificate created. Please Perform Merge to complete the request."
    return (
        "Pending certificate created. Certificate request is in progress. This may take some time based on the issuer "
        "provider. Please check again later."
    )
