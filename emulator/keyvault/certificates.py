"""Certificates with versions, policies, orders and soft delete.

Every version has a secret of the same name and version, which goes where its certificate goes. An order in flight is
a moment in the store: whoever asks after it finds the certificate issued, also after a restart. Whether a key is used
again (`reuse_key`) is kept and not followed: each order makes a new one. Nothing is renewed by itself.
"""

import base64
from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import uuid4

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.keyvault import issuing
from emulator.keyvault.exceptions import (
    bad_parameter,
    certificate_deleted_but_recoverable,
    certificate_name_in_use,
    certificate_not_found,
    deleted_certificate_not_found,
    pending_ended,
    pending_in_progress,
    pending_not_found,
)
from emulator.keyvault.issuers import IssuerModel
from emulator.keyvault.models import RETENTION_DAYS, KeyVaultModel
from emulator.keyvault.policies import SELF, UNKNOWN, complete
from emulator.keyvault.properties import attributes, check_name, metadata

# No figure is published for a public authority: 1 to 5 minutes, estimated. Key Vault signs by itself in seconds.
ISSUE_SECONDS = 180.0
SELF_SECONDS = 5.0
# Where people inject the refusal of an order, as operation `issue <issuer>`.
FAULTS = "keyvault"
# What a vault says when the issuer, or the request, is at fault.
ISSUER_ERROR = "Certificate issuer error"
# What it says when the same order may do better later.
CAN_RETRY = "FailedCanRetry"
_TABLES = ("keyvault_certificates", "keyvault_certificate_versions", "keyvault_orders")


class CertificateModel:
    """The certificates of all vaults.

    A certificate's document holds its policy, its last order and the ids of its versions, oldest first; each version
    is a document of its own. Its key stands in its secret and nowhere else.
    """

    def __init__(self, platform: Platform, vaults: KeyVaultModel, issuers: IssuerModel) -> None:
        self._clock = platform.clock
        self._store = platform.store
        self._authority = platform.authority
        self._faults = platform.faults
        self._vaults = vaults
        self._issuers = issuers
        self._certificates, self._versions, self._orders = map(platform.store.table, _TABLES)

    # Orders

    def create(self, vault: str, name: str, wish: Document, key_pem: str, correlation_id: str = "") -> Document:
        """Order a certificate, or its next version.

        Args:
            vault: its vault.
            name: its name.
            wish: the request, `policy`, `attributes`, `tags`.
            key_pem: a new key, as the policy wants it.
            correlation_id: of the request; a fault may be meant for it.

        Raises:
            ServiceError: 400; 409 on order already, deleted and recoverable, or the name of a secret.
        """
        check_name(name)
        found = self._certificate(vault, name)
        self._check_free(vault, name, found)
        policy = complete(wish.get("policy") or {})
        now, version = self._now(), uuid4().hex
        certificate = found or {"name": name, "vault": vault.lower(), "versions": [], "deleted": None, "created": now}
        certificate["policy"] = policy
        issuer = policy["issuer"]["name"]
        certificate["order"] = {
            "request_id": uuid4().hex,
            "version": version,
            "issuer": policy["issuer"],
            "csr": issuing.request(policy, key_pem),
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
            self._versions.put(_key(vault, name, version), made)
            self._put(vault, certificate)
            self._put_secret(vault, certificate, made, key_pem)
            if issuer != UNKNOWN:
                seconds = SELF_SECONDS if issuer == SELF else ISSUE_SECONDS
                self._orders.put(_key(vault, name), {"ready": self._clock.after(seconds).isoformat()})
        return certificate

    def _check_free(self, vault: str, name: str, found: Document | None) -> None:
        if found is None:
            if self._vaults.has_own_secret(vault, name):
                raise certificate_name_in_use(name)
            return
        if found["deleted"]:
            raise certificate_deleted_but_recoverable(name)
        if found["order"] and found["order"]["status"] == "inProgress":
            raise pending_in_progress()

    def settle(self, vault: str) -> None:
        """End every order of a vault whose time has come."""
        for key, order in list(self._orders.scan(f"{vault.lower()}/")):
            if self._clock.now() >= datetime.fromisoformat(order["ready"]):
                certificate = self._certificates.get(key)
                with self._store.transaction():
                    self._orders.delete(key)
                    if certificate is not None:
                        self._end(vault, certificate)

    def _end(self, vault: str, certificate: Document) -> None:
        order, policy = certificate["order"], certificate["policy"]
        version = self._version(vault, certificate["name"], order["version"])
        if order["cancellation_requested"]:
            order |= {"status": "cancelled", "status_details": "The certificate request was cancelled."}
        elif error := self._refusal(vault, order):
            order |= {"status": "failed", "status_details": error["message"], "error": error}
        else:
            secret = self._vaults.managed_version(vault, certificate["name"], order["version"])
            chain = issuing.issue(policy, secret["value"], self._authority, self._clock.now())
            leaf = chain[0]
            version |= {
                "cer": base64.b64encode(leaf.public_bytes(Encoding.DER)).decode(),
                "x5t": base64.urlsafe_b64encode(leaf.fingerprint(hashes.SHA1())).decode().rstrip("="),  # noqa: S303 - the thumbprint's definition
                "attributes": version["attributes"]
                | version["wanted"]
                | {
                    "nbf": int(leaf.not_valid_before_utc.timestamp()),
                    "exp": int(leaf.not_valid_after_utc.timestamp()),
                    "updated": self._now(),
                },
            }
            order |= {"status": "completed", "status_details": None}
            if version["version"] not in certificate["versions"]:
                certificate["versions"].append(version["version"])
            self._versions.put(_key(vault, certificate["name"], version["version"]), version)
            self._put_secret(vault, certificate, version, issuing.secret_value(policy, secret["value"], chain))
        self._put(vault, certificate)

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

    def order(self, vault: str, name: str, request_id: str = "") -> Document:
        """Return a certificate with its last order.

        Args:
            vault: its vault.
            name: its name.
            request_id: the order that is meant, when another may have taken its place.

        Raises:
            ServiceError: 404.
        """
        found = self._active(vault, name)
        if found is None or not found["order"] or request_id not in ("", found["order"]["request_id"]):
            raise pending_not_found(name)
        return found

    def cancel_order(self, vault: str, name: str, wish: Document) -> Document:
        """Ask for an order to be cancelled; its issuer does so when it would have been done.

        Raises:
            ServiceError: 400; 403 it has ended; 404.
        """
        found = self.order(vault, name)
        if not isinstance(wish.get("cancellation_requested"), bool):
            raise bad_parameter("Property cancellation_requested is required and must be true or false.")
        if found["order"]["status"] != "inProgress":
            raise pending_ended()
        found["order"]["cancellation_requested"] = wish["cancellation_requested"]
        self._put(vault, found)
        return found

    def delete_order(self, vault: str, name: str) -> Document:
        """Forget an order; one in flight makes no certificate any more.

        Raises:
            ServiceError: 404.
        """
        found = self.order(vault, name)
        with self._store.transaction():
            self._orders.delete(_key(vault, name))
            self._put(vault, found | {"order": None})
        return found

    # Certificates

    def get(self, vault: str, name: str, version: str = "") -> tuple[Document, Document]:
        """Return a certificate and a version of it, the newest when none is named.

        Raises:
            ServiceError: 404.
        """
        check_name(name)
        found = self._active(vault, name)
        wanted = version.lower() or (found["versions"][-1] if found else "")
        if found is None or wanted not in found["versions"]:
            raise certificate_not_found(f"{name}/{version}" if version else name)
        return found, self._version(vault, name, wanted)

    def update(self, vault: str, name: str, version: str, wish: Document) -> tuple[Document, Document]:
        """Change a version's attributes or tags, those of its secret with it; one on order gets them when it is issued.

        Raises:
            ServiceError: 400, 404.
        """
        found, changed = self.get(vault, name, version)
        changed["attributes" if "cer" in changed else "wanted"] |= attributes(wish)
        changed["attributes"]["updated"] = self._now()
        changed |= metadata({"tags": wish.get("tags")})
        secret = self._vaults.managed_version(vault, name, changed["version"])
        with self._store.transaction():
            self._versions.put(_key(vault, name, changed["version"]), changed)
            self._put_secret(vault, found, changed, secret["value"])
        return found, changed

    def update_policy(self, vault: str, name: str, wish: Document) -> Document:
        """Change what the next version will be.

        Raises:
            ServiceError: 400, 404.
        """
        found, _ = self.get(vault, name)
        found["policy"] = complete(wish, found["policy"])
        self._put(vault, found)
        return found

    def all(self, vault: str, *, pending: bool, deleted: bool = False) -> Iterator[tuple[Document, Document]]:
        """Yield every certificate with its newest version, by name; those never issued only when asked for."""
        for _, found in list(self._certificates.scan(f"{vault.lower()}/")):
            certificate = self._certificate(vault, found["name"])
            if certificate is None or bool(certificate["deleted"]) != deleted:
                continue
            version = self._version(vault, found["name"], certificate["versions"][-1])
            if pending or "cer" in version:
                yield certificate, version

    def versions(self, vault: str, name: str) -> Iterator[tuple[Document, Document]]:
        """Yield a certificate's versions in the order of their ids; none for an unknown name."""
        check_name(name)
        found = self._active(vault, name)
        for version in sorted(found["versions"]) if found else ():
            yield found or {}, self._version(vault, name, version)

    # Soft delete

    def delete(self, vault: str, name: str) -> tuple[Document, Document]:
        """Move a certificate with its versions and its secret among the deleted ones; an order of it ends.

        Raises:
            ServiceError: 404.
        """
        found, version = self.get(vault, name)
        now = self._clock.now()
        found["deleted"] = {
            "deletedDate": int(now.timestamp()),
            "scheduledPurgeDate": int((now + timedelta(days=RETENTION_DAYS)).timestamp()),
        }
        with self._store.transaction():
            self._orders.delete(_key(vault, name))
            self._put(vault, found | {"order": None})
            self._vaults.delete_secret(vault, name, managed=True)
        return found, version

    def deleted(self, vault: str, name: str) -> tuple[Document, Document]:
        """Return a deleted certificate with its newest version.

        Raises:
            ServiceError: 404.
        """
        check_name(name)
        found = self._certificate(vault, name)
        if found is None or not found["deleted"]:
            raise deleted_certificate_not_found(name)
        return found, self._version(vault, name, found["versions"][-1])

    def recover(self, vault: str, name: str) -> tuple[Document, Document]:
        """Bring a deleted certificate back, and its secret.

        Raises:
            ServiceError: 404 not deleted; 409 it is there.
        """
        check_name(name)
        if self._active(vault, name) is not None:
            raise certificate_name_in_use(name)
        found, version = self.deleted(vault, name)
        found["deleted"] = None
        with self._store.transaction():
            self._put(vault, found)
            self._vaults.recover_secret(vault, name, managed=True)
        return found, version

    def purge(self, vault: str, name: str) -> None:
        """Remove a deleted certificate and its secret for good.

        Raises:
            ServiceError: 404.
        """
        self.deleted(vault, name)
        with self._store.transaction():
            self._forget(vault, name)
            self._vaults.purge_secret(vault, name, managed=True)

    # Documents

    def _certificate(self, vault: str, name: str) -> Document | None:
        """Return a certificate, deleted or not; one whose retention is over is gone."""
        found = self._certificates.get(_key(vault, name))
        if found and found["deleted"] and found["deleted"]["scheduledPurgeDate"] <= self._now():
            self._forget(vault, name)
            return None
        return found

    def _active(self, vault: str, name: str) -> Document | None:
        found = self._certificate(vault, name)
        return None if found is None or found["deleted"] else found

    def _version(self, vault: str, name: str, version: str) -> Document:
        found = self._versions.get(_key(vault, name, version))
        if found is None:
            raise LookupError(f"version {version} of certificate {name} is listed and not stored")
        return found

    def _put(self, vault: str, certificate: Document) -> None:
        self._certificates.put(_key(vault, certificate["name"]), certificate)

    def _put_secret(self, vault: str, certificate: Document, version: Document, value: str) -> None:
        secret: Document = {
            member: version[member] for member in ("name", "version", "attributes", "tags") if member in version
        }
        secret |= {"value": value, "contentType": certificate["policy"]["secret_props"]["contentType"]}
        self._vaults.put_managed(vault, secret)

    def _forget(self, vault: str, name: str) -> None:
        with self._store.transaction():
            self._certificates.delete(_key(vault, name))
            self._orders.delete(_key(vault, name))
            for key, _ in list(self._versions.scan(f"{_key(vault, name)}/")):
                self._versions.delete(key)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


def _details(issuer: str) -> str:
    if issuer == UNKNOWN:
        return "Pending certificate created. Please Perform Merge to complete the request."
    return (
        "Pending certificate created. Certificate request is in progress. This may take some time based on the issuer "
        "provider. Please check again later."
    )


def _key(vault: str, name: str, version: str = "") -> str:
    key = f"{vault}/{name}".lower()
    return f"{key}/{version}" if version else key
