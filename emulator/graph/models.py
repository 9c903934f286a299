"""The operations of Graph on applications and service principals, and who may do them.

A service principal here may do what a signed-in user may, so it has the permissions that Entra ID gives users by default: it
reads its tenant's directory, registers applications, and changes those that it owns. With the application role
`Application.ReadWrite.All`, or as a member of the directory role Application Administrator, it may change the others
too.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from urllib.parse import urlsplit
from uuid import uuid4

from emulator.core.service_error import ServiceError
from emulator.core.store import Document
from emulator.entra.exceptions import WrongAudienceError
from emulator.entra.models import APPLICATION_ADMINISTRATOR, EntraModel, Principal
from emulator.entra.resources import GRAPH
from emulator.graph import key_credentials, permissions
from emulator.graph.exceptions import (
    BAD_REQUEST,
    DENIED,
    IDENTIFIER_IN_USE,
    NAME_IN_USE,
    NOT_VERIFIED_DOMAIN,
    OBJECT_NOT_FOUND,
    UNAUTHENTICATED,
    WRONG_AUDIENCE,
)

WRITES_ALL = "Application.ReadWrite.All"
# The permission of a client to do whatever the user may; the local Graph has no narrower one.
ACTS_AS_USER = "Directory.AccessAsUser.All"
# Members of an application that are kept elsewhere than among the members stored as sent.
KEPT_APART = ("displayName", "keyCredentials")


class GraphModel:
    """Applications and service principals of the caller's tenant."""

    def __init__(self, entra: EntraModel) -> None:
        self._entra = entra

    def authenticate(self, authorization: str | None) -> Principal:
        """Tell who sent a request.

        Raises:
            ServiceError: 401 `InvalidAuthenticationToken`; 403 for a user whose client may not act in the user's name.
        """
        if not authorization:
            raise UNAUTHENTICATED("Access token is empty.")
        try:
            caller = self._entra.authenticate(authorization, GRAPH.identifiers)
        except WrongAudienceError as error:
            raise WRONG_AUDIENCE() from error
        except ServiceError as error:
            raise UNAUTHENTICATED(f"Access token validation failure. {error.message}") from error
        if caller.is_user and ACTS_AS_USER not in caller.claims["scp"].split():
            raise DENIED()
        return caller

    def tenant(self, caller: Principal) -> Document:
        """Return the caller's tenant."""
        return self._entra.tenant(caller.tenant_id)

    # Applications

    def applications(self, caller: Principal) -> Iterator[Document]:
        """Yield the tenant's applications."""
        return self._entra.applications(caller.tenant_id)

    def application(self, caller: Principal, object_id: str) -> Document:
        """Return an application by object id; its application id does not name it.

        Raises:
            ServiceError: 404.
        """
        return _found(self.applications(caller), "objectId", object_id)

    def application_id(self, caller: Principal, app_id: str) -> str:
        """Return the object id of the application with an application id.

        Raises:
            ServiceError: 404.
        """
        return str(_found(self.applications(caller), "clientId", app_id)["objectId"])

    def create_application(self, caller: Principal, members: Document) -> Document:
        """Register an application that the caller owns.

        Raises:
            ServiceError: 400 for a name that is missing, or a value that is not allowed.
        """
        if not members.get("displayName"):
            raise BAD_REQUEST("A value is required for property 'displayName' of resource 'Application'.")
        client_id = str(uuid4())
        changed = self._changed(caller, {"clientId": client_id, "certificates": []}, members)
        self._entra.ensure_application(
            client_id, members["displayName"], tenant_id=caller.tenant_id, owners=[caller.object_id]
        )
        return self._entra.update_application(client_id, changed)

    def update_application(self, caller: Principal, object_id: str, changes: Document) -> None:
        """Change members of an application. Objects such as `api` are merged, lists are replaced, as in Graph.

        Raises:
            ServiceError: 400 for a value that is not allowed; 403, 404.
        """
        application = self._owned(caller, object_id)
        self._entra.update_application(application["clientId"], self._changed(caller, application, changes))

    def _changed(self, caller: Principal, application: Document, changes: Document) -> Document:
        """Return the members of the stored application that a request changes, after checking its values."""
        self._check_identifiers(caller, application["clientId"], changes.get("identifierUris", ()))
        free = {name: value for name, value in changes.items() if name not in KEPT_APART}
        before = application.get("members", {})
        changed: Document = {"members": _merged(before, free)}
        permissions.check(before, changed["members"], self._exists)
        if "displayName" in changes:
            changed["displayName"] = changes["displayName"]
        if "keyCredentials" in changes:
            changed["certificates"] = key_credentials.replaced(application["certificates"], changes["keyCredentials"])
        return changed

    def _exists(self, client_id: str) -> bool:
        """Tell whether there is an application or a client of Microsoft with this id."""
        try:
            self._entra.issuing.client_name(client_id.lower())
        except LookupError:
            return False
        return True

    def _check_identifiers(self, caller: Principal, client_id: str, identifiers: Iterable[str]) -> None:
        """Check identifier URIs: each contains the application's or the tenant's id, or a domain of the tenant."""
        domain = self.tenant(caller)["domain"]
        taken = {
            uri.lower()
            for other in self.applications(caller)
            if other["clientId"] != client_id
            for uri in other.get("members", {}).get("identifierUris", ())
        }
        for uri in identifiers:
            parts = urlsplit(uri.lower())
            ids = parts.scheme == "api" and parts.netloc in (client_id, caller.tenant_id)
            if not ids and parts.netloc != domain and not parts.netloc.endswith(f".{domain}"):
                raise NOT_VERIFIED_DOMAIN(uri)
            if uri.lower() in taken:
                raise IDENTIFIER_IN_USE()

    def delete_application(self, caller: Principal, object_id: str) -> None:
        """Remove an application and its service principal."""
        self._entra.delete_application(self._owned(caller, object_id)["clientId"])

    def add_password(
        self, caller: Principal, object_id: str, display_name: str, starts: datetime | None, expires: datetime | None
    ) -> Document:
        """Add a client secret; return its document, with the secret in clear text this one time."""
        application = self._owned(caller, object_id)
        key_id, secret = self._entra.add_secret(
            application["clientId"], display_name=display_name, starts=starts, expires=expires
        )
        known: list[Document] = self._entra.application(application["clientId"])["secrets"]
        added = next(entry for entry in known if entry["keyId"] == key_id)
        return added | {"secretText": secret}

    def remove_password(self, caller: Principal, object_id: str, key_id: str) -> None:
        """Remove a client secret.

        Raises:
            ServiceError: 400 if the application has no such secret.
        """
        application = self._owned(caller, object_id)
        if not self._entra.remove_secret(application["clientId"], key_id):
            raise BAD_REQUEST(f"No password credential found with keyId {key_id}.")

    def _owned(self, caller: Principal, object_id: str) -> Document:
        application = self.application(caller, object_id)
        self._check_owner(caller, application)
        return application

    def _check_owner(self, caller: Principal, application: Document) -> None:
        administrates = WRITES_ALL in caller.claims.get("roles", ()) or APPLICATION_ADMINISTRATOR in caller.claims.get(
            "wids", ()
        )
        if caller.object_id not in application["owners"] and not administrates:
            raise DENIED()

    # Service principals

    def service_principals(self, caller: Principal) -> Iterator[Document]:
        """Yield the tenant's service principals."""
        return self._entra.service_principals(caller.tenant_id)

    def service_principal(self, caller: Principal, object_id: str) -> Document:
        """Return a service principal by object id; its application id does not name it.

        Raises:
            ServiceError: 404.
        """
        return _found(self.service_principals(caller), "objectId", object_id)

    def service_principal_id(self, caller: Principal, app_id: str) -> str:
        """Return the object id of the service principal of an application.

        Raises:
            ServiceError: 404.
        """
        return str(_found(self.service_principals(caller), "clientId", app_id)["objectId"])

    def registration(self, principal: Document) -> Document:
        """Return the application of a service principal, which may be registered in another tenant."""
        return self._entra.application(principal["clientId"])

    def create_service_principal(self, caller: Principal, members: Document) -> Document:
        """Create the service principal of an application in the caller's tenant.

        Raises:
            ServiceError: 400 if the application does not exist; 409 if it has a service principal already.
        """
        app_id = members.get("appId")
        if not app_id:
            raise BAD_REQUEST("A value is required for property 'appId' of resource 'ServicePrincipal'.")
        try:
            self._entra.application(app_id)
        except LookupError as error:
            raise BAD_REQUEST(
                f"The appId '{app_id}' of the service principal does not reference a valid application object."
            ) from error
        if self._entra.service_principal(caller.tenant_id, app_id) is not None:
            raise NAME_IN_USE(app_id)
        self._entra.ensure_service_principal(caller.tenant_id, app_id)
        return self._entra.update_service_principal(caller.tenant_id, app_id, _principal_members(members))

    def owned_service_principal(self, caller: Principal, object_id: str) -> Document:
        """Return a service principal whose application the caller may change.

        Raises:
            ServiceError: 403, 404.
        """
        principal = self.service_principal(caller, object_id)
        self._check_owner(caller, self.registration(principal))
        return principal


def _found(documents: Iterable[Document], member: str, wanted: str) -> Document:
    """Return the document whose member has a value.

    Raises:
        ServiceError: 404.
    """
    for document in documents:
        if document[member] == wanted.lower():
            return document
    raise OBJECT_NOT_FOUND(wanted)


def _merged(known: Document, changes: Document) -> Document:
    """Return members after a change: an object keeps the members that the change does not name."""
    return known | {
        name: _merged(known.get(name) or {}, value) if isinstance(value, dict) else value
        for name, value in changes.items()
    }


def _principal_members(members: Document) -> Document:
    """Return the members that a request gives a stored service principal."""
    enabled = {"accountEnabled": members["accountEnabled"]} if "accountEnabled" in members else {}
    free = {name: value for name, value in members.items() if name not in ("appId", "accountEnabled")}
    return enabled | {"members": free}
