"""The making of tokens: of applications and users, for Azure's services and for the APIs that a tenant has registered.

Whoever asks here has checked who signs in, and what the client may do.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from emulator.core.clock import Clock
from emulator.core.store import Document
from emulator.entra.apis import CLIENTS, Api, is_named, of_azure, of_registration
from emulator.entra.app_roles import AppRoles
from emulator.entra.claims import PUBLIC, Issue, application_claims, id_claims, user_claims
from emulator.entra.exceptions import aadsts
from emulator.entra.people import SERVICE_PRINCIPAL, USER
from emulator.entra.resources import GRAPH, find_resource
from emulator.entra.tokens import TokenSigner

TOKEN_SECONDS = 3600


class Directory(Protocol):
    """What tokens take from the directory."""

    app_roles: AppRoles

    def application(self, client_id: str) -> Document:
        """Return an application."""

    def service_principals(self, tenant_id: str) -> Iterator[Document]:
        """Yield the service principals of a tenant."""

    def tenant(self, id_or_domain: str) -> Document:
        """Return a tenant."""


class Issuing:
    """Makes the tokens of one directory."""

    def __init__(self, directory: Directory, signer: TokenSigner, clock: Clock) -> None:
        self._directory = directory
        self._signer = signer
        self._clock = clock

    def application_token(self, principal: Document, audience: str, proof: str, lifetime_seconds: int) -> str:
        """Return an access token of a service principal.

        Raises:
            ServiceError: AADSTS500011 for an unknown audience; 501051 if the API wants an assignment that is missing.
        """
        api = self.api(principal["tenantId"], audience)
        client_id, name = principal["clientId"], principal["displayName"]
        roles = self._roles(api, SERVICE_PRINCIPAL, principal["objectId"])
        if roles is None:
            raise aadsts(501051, client_id=client_id, client=name, api_id=api.app_id, api=api.name)
        issue = Issue(
            api=api,
            audience=audience,
            client_id=client_id,
            client_name=name,
            proof=proof,
            now=self._clock.now(),
            lifetime_seconds=lifetime_seconds,
            roles=principal["roles"] if api.app_id == GRAPH.app_id else roles,
        )
        return self._signer.sign(application_claims(principal, issue))

    def user_token(
        self,
        user: Document,
        client_id: str,
        audience: str,
        scopes: Sequence[str] = (),
        proof: str = PUBLIC,
        *,
        lifetime_seconds: int = TOKEN_SECONDS,
    ) -> str:
        """Return an access token of a user, whose sign-in the caller must have checked.

        Args:
            user: document of the user.
            client_id: client id of the application that asks, which must have the permissions.
            audience: the API that the token is for.
            scopes: names of the permissions; all that the client has if empty.
            proof: how the client proved who it is, as in the claim `azpacr`.
            lifetime_seconds: seconds to the expiry; negative for a token that has expired.

        Raises:
            ServiceError: AADSTS500011 for an unknown audience; 50105 if the API wants an assignment that is missing.
        """
        api = self.api(user["tenantId"], audience)
        roles = self._roles(api, USER, user["objectId"])
        if roles is None:
            raise aadsts(50105, api_id=api.app_id, api=api.name)
        issue = Issue(
            api=api,
            audience=audience,
            client_id=client_id,
            client_name=self.client_name(client_id),
            proof=proof,
            now=self._clock.now(),
            lifetime_seconds=lifetime_seconds,
            roles=roles,
        )
        return self._signer.sign(user_claims(user, issue, scopes or api.granted(client_id)))

    def id_token(
        self, user: Document, client_id: str, nonce: str = "", *, lifetime_seconds: int = TOKEN_SECONDS
    ) -> str:
        """Return an id token, which tells a client who has signed in."""
        return self._signer.sign(id_claims(user, client_id, self._clock.now(), lifetime_seconds, nonce))

    def api(self, tenant_id: str, identifier: str) -> Api:
        """Return what a tenant's tokens can be for: an Azure service, or an application with a service principal there.

        Raises:
            ServiceError: AADSTS500011.
        """
        resource = find_resource(identifier)
        if resource is not None:
            return of_azure(resource)
        for principal in self._directory.service_principals(tenant_id):
            application = self._directory.application(principal["clientId"])
            # Of a managed identity there is a service principal, but no registration.
            if not principal["managedIdentityOf"] and is_named(application, identifier):
                return of_registration(application, principal)
        raise aadsts(500011, resource=identifier, tenant=self._directory.tenant(tenant_id)["displayName"])

    def client_name(self, client_id: str) -> str:
        """Return the display name of a client: an application, or a public client of Microsoft."""
        known = CLIENTS.get(client_id)
        return self._directory.application(client_id)["displayName"] if known is None else known.name

    def _roles(self, api: Api, kind: str, principal_id: str) -> list[str] | None:
        """Return the names of the roles that a principal has in an application; None if it must have one and has none."""
        role_ids = (
            self._directory.app_roles.role_ids(api.principal_id, kind, principal_id) if api.principal_id else set()
        )
        return None if api.assigned_only and not role_ids else api.role_names(role_ids)
