"""The directory: tenants, applications with their credentials, and an application's service principal in each tenant.

Users and groups are in `people.py`, assignments of applications' roles in `app_roles.py`, the sign-in of users in
`sign_in.py`, the making of tokens in `issuing.py`.

Other services call `authenticate` to learn who sent a request; they do not read tokens themselves.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.entra.app_roles import AppRoles
from emulator.entra.application_certificates import certificate_record
from emulator.entra.claims import (
    BY_CERTIFICATE,
    BY_SECRET,
    Principal,
    check_audience,
    check_times,
    principal_of,
)
from emulator.entra.exceptions import aadsts, unauthorized
from emulator.entra.issuing import TOKEN_SECONDS, Issuing
from emulator.entra.people import People
from emulator.entra.sign_in import SignIns
from emulator.entra.tokens import InvalidTokenError, TokenSigner, stable_id

__all__ = ["APPLICATION_ADMINISTRATOR", "TOKEN_SECONDS", "USER_ADMINISTRATOR", "EntraModel", "Principal"]

# The built-in directory role whose members may change every application of their tenant.
APPLICATION_ADMINISTRATOR = "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3"
# The one whose members may change every user and group.
USER_ADMINISTRATOR = "fe930be7-5e62-47db-91af-98c3a49a38b1"
SECRET_YEARS, SEEDED_YEARS = 2, 10
# What may name a tenant: an id, or a domain.
_TENANT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z0-9-]+(\.[a-z0-9-]+)+")


class EntraModel:
    """The directory.

    `propagation_seconds` is how long, in Azure's time, the token endpoint does not know a new service principal or
    secret. It is 0 unless a test needs this delay.
    """

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._store = platform.store
        self._access_changed = platform.access_changed
        self._tenants = platform.store.table("entra_tenants")
        self._applications = platform.store.table("entra_applications")
        self._principals = platform.store.table("entra_service_principals")
        self._objects = platform.store.table("entra_objects")
        self._signer = TokenSigner(platform.store.table("entra_keys"))
        self.people = People(platform)
        self.app_roles = AppRoles(platform, self.people)
        self.issuing = Issuing(self, self._signer, platform.clock)
        self.sign_ins = SignIns(self.people, platform.clock, platform.store.table("entra_refresh_tokens"))
        self.propagation_seconds = 0.0

    # Tenants

    def ensure_tenant(self, tenant_id: str, display_name: str, domain: str) -> None:
        """Create or confirm a tenant."""
        document = {"tenantId": tenant_id.lower(), "displayName": display_name, "domain": domain.lower()}
        self._tenants.put(tenant_id.lower(), document)

    def tenant_of(self, name: str) -> Document:
        """Return the tenant of a user by the domain in the user's name.

        Raises:
            ServiceError: AADSTS90002.
        """
        return self.tenant(name.rpartition("@")[2])

    def tenant(self, id_or_domain: str) -> Document:
        """Return a tenant by id or domain.

        Raises:
            ServiceError: AADSTS90002; 900023 for what is neither an id nor a domain.
        """
        wanted = id_or_domain.lower()
        found = self._tenants.get(wanted) or next(
            (tenant for _, tenant in self._tenants.scan() if tenant["domain"] == wanted), None
        )
        if found is None and not _TENANT.fullmatch(wanted):
            raise aadsts(900023, tenant=id_or_domain)
        if found is None:
            raise aadsts(90002, tenant=id_or_domain)
        return found

    # Applications

    def ensure_application(
        self,
        client_id: str,
        display_name: str,
        *,
        tenant_id: str = "",
        secrets: Sequence[str] = (),
        certificates: Sequence[bytes] = (),
        owners: Sequence[str] = (),
    ) -> Document:
        """Create or confirm an application; add the credentials that it lacks, and remove none.

        Args:
            client_id: application id.
            display_name: what people see.
            tenant_id: home tenant, where Graph shows its registration; "" for a tenant that is not emulated.
            secrets: client secrets in clear text, valid for ten years; only their hashes are stored.
            certificates: DER; clients may sign assertions with their keys.
            owners: object ids of the principals that may change it through Graph.
        """
        application = self._applications.get(client_id.lower()) or {
            "clientId": client_id.lower(),
            "objectId": stable_id("application", client_id),
            "displayName": display_name,
            "homeTenantId": tenant_id.lower(),
            "createdDateTime": rfc3339(self._clock.now()),
            "secrets": [],
            "certificates": [],
            "owners": [],
        }
        application["owners"] = sorted({*application["owners"], *owners})
        self._applications.put(client_id.lower(), application)
        known = {secret["hash"] for secret in application["secrets"]}
        for secret in secrets:
            if _hash(secret) not in known:
                self.add_secret(client_id, secret, expires=self._clock.now() + timedelta(days=365 * SEEDED_YEARS))
        for certificate in certificates:
            self.add_certificate(client_id, certificate)
        return self.application(client_id)

    def application(self, client_id: str) -> Document:
        """Return an application.

        Raises:
            LookupError: the application does not exist.
        """
        found = self._applications.get(client_id.lower())
        if found is None:
            raise LookupError(f"there is no application {client_id}")
        return found

    def applications(self, tenant_id: str) -> Iterator[Document]:
        """Yield the applications registered in a tenant."""
        for _, application in self._applications.scan():
            if application["homeTenantId"] == tenant_id.lower():
                yield application

    def update_application(self, client_id: str, changes: Document) -> Document:
        """Replace members of an application."""
        application = self.application(client_id) | changes
        self._applications.put(client_id.lower(), application)
        self._access_changed(client_id)
        return application

    def delete_application(self, client_id: str) -> None:
        """Remove an application and, as in Entra ID, its service principal in its home tenant."""
        application = self.application(client_id)
        with self._store.transaction():
            self._applications.delete(client_id.lower())
            self.delete_service_principal(application["homeTenantId"], client_id)
        self._access_changed(client_id)

    def add_secret(
        self,
        client_id: str,
        secret: str = "",
        *,
        display_name: str = "",
        starts: datetime | None = None,
        expires: datetime | None = None,
    ) -> tuple[str, str]:
        """Add a client secret; return (key id, secret).

        Args:
            client_id: client id of the application.
            secret: the secret in clear text; a random one if empty.
            display_name: what people see.
            starts: start of its validity; now if None.
            expires: end of its validity; two years after the start if None.
        """
        application = self.application(client_id)
        value = secret or _random_secret()
        key_id = stable_id("secret", client_id, _hash(value))
        start = starts or self._clock.now()
        visible = max(start, self._clock.after(self.propagation_seconds))
        application["secrets"].append(
            {
                "keyId": key_id,
                "hash": _hash(value),
                "hint": value[:3],
                "displayName": display_name,
                "startDateTime": rfc3339(start),
                "endDateTime": rfc3339(expires or start + timedelta(days=365 * SECRET_YEARS)),
                "visibleAt": rfc3339(visible),
            }
        )
        self._applications.put(client_id.lower(), application)
        return key_id, value

    def remove_secret(self, client_id: str, key_id: str) -> bool:
        """Remove a client secret; tell whether it existed. As in Azure, tokens issued before stay valid."""
        application = self.application(client_id)
        kept = [secret for secret in application["secrets"] if secret["keyId"] != key_id]
        removed = len(kept) < len(application["secrets"])
        self.update_application(client_id, {"secrets": kept})
        return removed

    def add_certificate(self, client_id: str, der: bytes) -> None:
        """Register a certificate; confirm one that is registered already."""
        application = self.application(client_id)
        record = certificate_record(der)
        if all(known["der"] != record["der"] for known in application["certificates"]):
            application["certificates"].append(record)
            self._applications.put(client_id.lower(), application)

    # Service principals

    def ensure_service_principal(
        self, tenant_id: str, client_id: str, *, roles: Sequence[str] = (), managed_identity_of: str = ""
    ) -> str:
        """Create or confirm an application's service principal in a tenant; return its object id.

        Args:
            tenant_id: the tenant.
            client_id: client id of the application, which must exist.
            roles: application roles that its tokens carry.
            managed_identity_of: resource id of a managed identity, which its tokens carry; "" if it is none.
        """
        key = _principal_key(tenant_id, client_id)
        found = self._principals.get(key)
        if found is not None:
            return str(found["objectId"])
        application = self.application(client_id)
        object_id = stable_id("principal", tenant_id, client_id)
        document = {
            "objectId": object_id,
            "clientId": client_id.lower(),
            "tenantId": tenant_id.lower(),
            "displayName": application["displayName"],
            "accountEnabled": True,
            "roles": list(roles),
            "directoryRoles": [],
            "managedIdentityOf": managed_identity_of,
            "createdDateTime": rfc3339(self._clock.now()),
            "visibleAt": rfc3339(self._clock.after(self.propagation_seconds)),
        }
        with self._store.transaction():
            self._principals.put(key, document)
            self._objects.put(object_id, {"key": key})
        return object_id

    def service_principal(self, tenant_id: str, client_id: str) -> Document | None:
        """Return an application's service principal in a tenant, or None."""
        return self._principals.get(_principal_key(tenant_id, client_id))

    def service_principals(self, tenant_id: str) -> Iterator[Document]:
        """Yield the service principals of a tenant."""
        for _, principal in self._principals.scan(f"{tenant_id.lower()}/"):
            yield principal

    def find_principal(self, object_id: str) -> Document | None:
        """Return a service principal by object id, or None."""
        known = self._objects.get(object_id.lower())
        return None if known is None else self._principals.get(known["key"])

    def kind_of(self, object_id: str) -> str | None:
        """Return what an object is, in the words of ARM's `principalType`: `ServicePrincipal`, `User`, `Group`; or None."""
        if self.people.user(object_id) is not None:
            return "User"
        if self.people.group(object_id) is not None:
            return "Group"
        return None if self.find_principal(object_id) is None else "ServicePrincipal"

    def delete_service_principal(self, tenant_id: str, client_id: str) -> bool:
        """Remove a service principal; tell whether it existed."""
        found = self.service_principal(tenant_id, client_id)
        if found is None:
            return False
        with self._store.transaction():
            self._objects.delete(found["objectId"])
            self.people.forget(found["objectId"])
            self.app_roles.forget(found["objectId"])
            deleted = self._principals.delete(_principal_key(tenant_id, client_id))
        self._access_changed(client_id)
        return deleted

    def update_service_principal(self, tenant_id: str, client_id: str, changes: Document) -> Document:
        """Replace members of a service principal.

        Raises:
            LookupError: the service principal does not exist.
        """
        found = self.service_principal(tenant_id, client_id)
        if found is None:
            raise LookupError(f"{client_id} has no service principal in {tenant_id}")
        self._principals.put(_principal_key(tenant_id, client_id), found | changes)
        self._access_changed(client_id)
        return found | changes

    def assign_directory_role(self, tenant_id: str, client_id: str, role: str) -> None:
        """Give a service principal a role in its tenant's directory; confirm one that it has.

        Raises:
            LookupError: the service principal does not exist.
        """
        found = self.service_principal(tenant_id, client_id) or {}
        roles = sorted({*found.get("directoryRoles", ()), role})
        self.update_service_principal(tenant_id, client_id, {"directoryRoles": roles})

    # Tokens

    def usable_principal(self, tenant_id: str, client_id: str) -> Document:
        """Return a service principal, after checking that it may get a token now.

        Raises:
            ServiceError: AADSTS700016 unknown application; 7000229 no service principal (yet); 7000112 disabled.
        """
        found = self.service_principal(tenant_id, client_id)
        application = self._applications.get(client_id.lower())
        if application is None or (found is None and application["homeTenantId"] != tenant_id.lower()):
            raise aadsts(700016, client_id=client_id, tenant=self.tenant(tenant_id)["displayName"])
        if found is None or found["visibleAt"] > rfc3339(self._clock.now()):
            raise aadsts(7000229, client_id=client_id, tenant=tenant_id)
        if not found["accountEnabled"]:
            raise aadsts(7000112, client_id=client_id, name=found["displayName"])
        return found

    def check_secret(self, client_id: str, secret: str) -> None:
        """Check a client secret.

        Raises:
            ServiceError: AADSTS7000215 unknown secret, or not known yet; 7000222 expired.
        """
        now = rfc3339(self._clock.now())
        wanted = _hash(secret)
        for known in self.application(client_id)["secrets"]:
            if not hmac.compare_digest(known["hash"], wanted) or known["visibleAt"] > now:
                continue
            if known["endDateTime"] < now:
                raise aadsts(7000222, client_id=client_id)
            return
        raise aadsts(7000215, client_id=client_id)

    def issue_token(
        self,
        tenant_id: str,
        client_id: str,
        audience: str,
        *,
        by_certificate: bool = False,
        lifetime_seconds: int = TOKEN_SECONDS,
    ) -> str:
        """Return an access token of a service principal, whose credential the caller must have checked.

        Args:
            tenant_id: the tenant.
            client_id: client id of the application.
            audience: the service that the token is for; the token has it exactly as the client asked for it.
            by_certificate: whether the application presented a certificate instead of a secret.
            lifetime_seconds: seconds to the expiry; negative for a token that has expired.

        Raises:
            ServiceError: AADSTS500011 for an unknown audience, or what `usable_principal` raises.
        """
        principal = self.usable_principal(tenant_id, client_id)
        proof = BY_CERTIFICATE if by_certificate or principal["managedIdentityOf"] else BY_SECRET
        return self.issuing.application_token(principal, audience, proof, lifetime_seconds)

    def authenticate(self, authorization: str | None, audiences: Sequence[str]) -> Principal:
        """Tell who sent a request.

        Raises:
            ServiceError: 401 `AuthenticationFailed` (no bearer token), `InvalidAuthenticationToken`,
                `InvalidAuthenticationTokenAudience` or `ExpiredAuthenticationToken`, with `WWW-Authenticate`.
        """
        if not authorization:
            raise unauthorized("AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise unauthorized(
                "AuthenticationFailed",
                "Authentication failed. The 'Authorization' header is provided in an invalid format.",
            )
        try:
            claims = self._signer.verify(token.strip())
        except InvalidTokenError as error:
            raise unauthorized("InvalidAuthenticationToken", "The access token is invalid.") from error
        check_times(claims, self._clock.now())
        check_audience(claims, tuple(audiences))
        return principal_of(claims)

    def jwks(self) -> list[dict[str, Any]]:
        """Return the public keys that verify tokens."""
        return self._signer.jwks()

    def now(self) -> datetime:
        """Return the directory's current time."""
        return self._clock.now()


def _principal_key(tenant_id: str, client_id: str) -> str:
    return f"{tenant_id}/{client_id}".lower()


def _hash(secret: str) -> str:
    # A random secret of 240 bits does not need a slow hash.
    return hashlib.sha256(secret.encode()).hexdigest()


def _random_secret() -> str:
    # Entra ID's secrets have 40 characters, with `8Q~` after the first three.
    text = secrets.token_urlsafe(30).replace("-", ".")
    return f"{text[:3]}8Q~{text[6:]}"
