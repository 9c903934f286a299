"""User-assigned identities, and the apps whose identity endpoint gives tokens for them.

An app proves itself with a secret header. The secret keeps other processes from using its identities.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.entra.models import TOKEN_SECONDS, EntraModel
from emulator.managed_identity.exceptions import AMBIGUOUS, NO_IDENTITY, WRONG_HEADER


@dataclass(frozen=True)
class Identity:
    """A user-assigned identity."""

    resource_id: str
    tenant_id: str
    client_id: str
    object_id: str

    def is_named(self, client_id: str, object_id: str, resource_id: str) -> bool:
        """Tell whether every id that is given is this identity's; "" is not given."""
        pairs = ((client_id, self.client_id), (object_id, self.object_id), (resource_id, self.resource_id))
        return all(not given or given.lower() == own.lower() for given, own in pairs)


class ManagedIdentityModel:
    """All identities, and the endpoint of every app that has some."""

    def __init__(self, platform: Platform, entra: EntraModel) -> None:
        self._entra = entra
        self._store = platform.store
        self._identities = platform.store.table("managed_identities")
        self._endpoints = platform.store.table("managed_identity_endpoints")
        # Ids, in lower case, of the identities one of whose federated credentials is being written.
        self.writing: set[str] = set()

    # Identities

    def ensure(self, resource_id: str, tenant_id: str, *, client_id: str = "") -> Identity:
        """Create or confirm an identity with its service principal.

        Args:
            resource_id: its id in ARM.
            tenant_id: tenant of a new identity.
            client_id: application id of a new identity; a random one if empty.
        """
        found = self.find(resource_id)
        if found is not None:
            return found
        name, chosen = resource_id.rsplit("/", 1)[-1], client_id or str(uuid4())
        with self._store.transaction():
            # Without a home tenant: the directory has its service principal, but no registration of an application.
            self._entra.ensure_application(chosen, name)
            object_id = self._entra.ensure_service_principal(tenant_id, chosen, managed_identity_of=resource_id)
            document = {
                "resourceId": resource_id,
                "tenantId": tenant_id.lower(),
                "clientId": chosen.lower(),
                "objectId": object_id,
            }
            self._identities.put(resource_id.lower(), document)
        return _identity(document)

    def find(self, resource_id: str) -> Identity | None:
        """Return an identity, or None."""
        found = self._identities.get(resource_id.lower())
        return None if found is None else _identity(found)

    def remove(self, resource_id: str) -> None:
        """Remove an identity and its service principal, if it exists. Apps that have it get no more tokens for it."""
        found = self.find(resource_id)
        if found is not None:
            with self._store.transaction():
                self._entra.delete_service_principal(found.tenant_id, found.client_id)
                self._entra.delete_application(found.client_id)
                self._identities.delete(resource_id.lower())

    def trust(self, resource_id: str, credentials: Sequence[Document]) -> None:
        """Let the directory take tokens for an identity that fit one of its federated credentials, and no others."""
        found = self.find(resource_id)
        if found is not None:
            self._entra.update_application(found.client_id, {"federatedCredentials": list(credentials)})

    # Endpoints

    def header_of(self, site_id: str, identities: Sequence[str]) -> str:
        """Return the value of `X-IDENTITY-HEADER` with which a site's app gets tokens.

        A site keeps its header. Each call replaces the identities for which the header gives tokens.
        """
        key = site_id.lower()
        endpoint = self._endpoints.get(key) or {"header": secrets.token_hex(16).upper()}
        endpoint["identities"] = list(identities)
        self._endpoints.put(key, endpoint)
        return str(endpoint["header"])

    def forget(self, site_id: str) -> None:
        """Remove the header of a site that was deleted."""
        self._endpoints.delete(site_id.lower())

    def identities_of(self, header: str) -> list[Identity]:
        """Return the existing identities of the app with this header.

        Raises:
            ServiceError: 401 if no app has it.
        """
        given = header.encode()
        for _, endpoint in self._endpoints.scan():
            if hmac.compare_digest(given, endpoint["header"].encode()):
                return [found for each in endpoint["identities"] if (found := self.find(each)) is not None]
        raise WRONG_HEADER()

    def choose(self, identities: Sequence[Identity], *, client_id: str, object_id: str, resource_id: str) -> Identity:
        """Return the identity that a caller names, or the only one.

        Raises:
            ServiceError: 400 if the app does not have it, or has several and the caller names none.
        """
        found = [each for each in identities if each.is_named(client_id, object_id, resource_id)]
        if not found:
            raise NO_IDENTITY()
        if len(found) > 1:
            raise AMBIGUOUS()
        return found[0]

    def token(self, identity: Identity, resource: str) -> tuple[str, int]:
        """Return (token, its expiry in Unix seconds).

        Raises:
            ServiceError: 400 for an unknown resource.
        """
        token = self._entra.issue_token(identity.tenant_id, identity.client_id, resource)
        return token, int(self._entra.now().timestamp()) + TOKEN_SECONDS


def _identity(document: Document) -> Identity:
    return Identity(document["resourceId"], document["tenantId"], document["clientId"], document["objectId"])
