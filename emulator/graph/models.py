"""The operations of Graph on the directory, and who may do them.

A service principal here stands for a signed-in user, so it has the permissions that Entra ID gives users by default: it
reads its tenant's directory, registers applications, and changes those that it owns. With the application role
`Application.ReadWrite.All` it may change the others too.
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import uuid4

from emulator.core.errors import ServiceError
from emulator.core.store import Document
from emulator.entra.models import EntraModel, Principal
from emulator.entra.resources import GRAPH
from emulator.graph.exceptions import bad_request, denied, name_in_use, not_found, unauthenticated

WRITES_ALL = "Application.ReadWrite.All"
# Members of an application that a caller may set besides its name; they are stored as sent.
FREE_MEMBERS = ("description", "notes", "signInAudience", "tags", "identifierUris")


class GraphModel:
    """Applications and service principals of the caller's tenant."""

    def __init__(self, entra: EntraModel) -> None:
        self._entra = entra

    def authenticate(self, authorization: str | None) -> Principal:
        """Tell who sent a request.

        Raises:
            ServiceError: 401 `InvalidAuthenticationToken`.
        """
        if not authorization:
            raise unauthenticated("Access token is empty.")
        try:
            return self._entra.authenticate(authorization, GRAPH.identifiers)
        except ServiceError as error:
            raise unauthenticated(f"Access token validation failure. {error.message}") from error

    def tenant(self, caller: Principal) -> Document:
        """Return the caller's tenant."""
        return self._entra.tenant(caller.tenant_id)

    # Applications

    def applications(self, caller: Principal) -> Iterator[Document]:
        """Yield the tenant's applications."""
        return self._entra.applications(caller.tenant_id)

    def application(self, caller: Principal, object_id: str) -> Document:
        """Return an application by object id or application id.

        Raises:
            ServiceError: 404.
        """
        for application in self.applications(caller):
            if object_id.lower() in (application["objectId"], application["clientId"]):
                return application
        raise not_found(object_id)

    def create_application(self, caller: Principal, display_name: str, members: Document) -> Document:
        """Register an application that the caller owns.

        Args:
            caller: who asks.
            display_name: name of the application.
            members: its `FREE_MEMBERS`.
        """
        client_id = str(uuid4())
        self._entra.ensure_application(client_id, display_name, tenant_id=caller.tenant_id, owners=[caller.object_id])
        return self._entra.update_application(client_id, {"members": members})

    def update_application(self, caller: Principal, object_id: str, changes: Document) -> None:
        """Change an application's name and its `FREE_MEMBERS`.

        Args:
            caller: who asks.
            object_id: object id or application id.
            changes: the members to change.
        """
        application = self._owned(caller, object_id)
        members = application.get("members", {}) | {key: changes[key] for key in FREE_MEMBERS if key in changes}
        name = changes.get("displayName", application["displayName"])
        self._entra.update_application(application["clientId"], {"displayName": name, "members": members})

    def delete_application(self, caller: Principal, object_id: str) -> None:
        """Remove an application and its service principal."""
        self._entra.delete_application(self._owned(caller, object_id)["clientId"])

    def add_password(
        self, caller: Principal, object_id: str, display_name: str, starts: datetime | None, expires: datetime | None
    ) -> Document:
        """Add a client secret; return its document, with the secret in clear text this one time.

        Args:
            caller: who asks.
            object_id: object id or application id.
            display_name: name of the secret.
            starts: start of its validity; now if None.
            expires: end of its validity; two years after the start if None.
        """
        application = self._owned(caller, object_id)
        key_id, secret = self._entra.add_secret(
            application["clientId"], display_name=display_name, starts=starts, expires=expires
        )
        known: list[Document] = self._entra.application(application["clientId"])["secrets"]
        added = next(entry for entry in known if entry["keyId"] == key_id)
        return added | {"secretText": secret}

    def remove_password(self, caller: Principal, object_id: str, key_id: str) -> None:
        """Remove a client secret.

        Args:
            caller: who asks.
            object_id: object id or application id.
            key_id: key id of the secret.

        Raises:
            ServiceError: 400 if the application has no such secret.
        """
        application = self._owned(caller, object_id)
        if not self._entra.remove_secret(application["clientId"], key_id):
            raise bad_request(f"No password credential found with keyId {key_id}.")

    def _owned(self, caller: Principal, object_id: str) -> Document:
        application = self.application(caller, object_id)
        self._check_owner(caller, application)
        return application

    def _check_owner(self, caller: Principal, application: Document) -> None:
        if caller.object_id not in application["owners"] and WRITES_ALL not in caller.claims.get("roles", ()):
            raise denied()

    # Service principals

    def service_principals(self, caller: Principal) -> Iterator[Document]:
        """Yield the tenant's service principals."""
        return self._entra.service_principals(caller.tenant_id)

    def service_principal(self, caller: Principal, object_id: str) -> Document:
        """Return a service principal by object id or application id.

        Raises:
            ServiceError: 404.
        """
        for principal in self.service_principals(caller):
            if object_id.lower() in (principal["objectId"], principal["clientId"]):
                return principal
        raise not_found(object_id)

    def create_service_principal(self, caller: Principal, app_id: str, *, enabled: bool) -> Document:
        """Create the service principal of an application in the caller's tenant.

        Args:
            caller: who asks.
            app_id: client id of the application.
            enabled: whether the service principal may get tokens.

        Raises:
            ServiceError: 400 if the application does not exist; 409 if it has a service principal already.
        """
        try:
            self._entra.application(app_id)
        except LookupError as error:
            raise bad_request(
                f"The appId '{app_id}' of the service principal does not reference a valid application object."
            ) from error
        if self._entra.service_principal(caller.tenant_id, app_id) is not None:
            raise name_in_use(app_id)
        self._entra.ensure_service_principal(caller.tenant_id, app_id)
        return self._entra.update_service_principal(caller.tenant_id, app_id, {"accountEnabled": enabled})

    def delete_service_principal(self, caller: Principal, object_id: str) -> None:
        """Remove a service principal."""
        principal = self.service_principal(caller, object_id)
        self._check_owner(caller, self._entra.application(principal["clientId"]))
        self._entra.delete_service_principal(caller.tenant_id, principal["clientId"])
