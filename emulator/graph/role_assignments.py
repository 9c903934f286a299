"""The operations of Graph on assignments of app roles. The messages of refusals are from memory."""

from collections.abc import Iterator

from emulator.core.store import Document
from emulator.entra.app_roles import DEFAULT_ACCESS
from emulator.entra.models import EntraModel, Principal
from emulator.entra.people import SERVICE_PRINCIPAL
from emulator.graph.exceptions import BAD_REQUEST
from emulator.graph.models import GraphModel
from emulator.graph.people import PeopleModel


class RoleAssignmentModel:
    """The app role assignments of the caller's tenant."""

    def __init__(self, entra: EntraModel, applications: GraphModel, people: PeopleModel) -> None:
        self._entra = entra
        self._applications = applications
        self._people = people

    def of_resource(self, caller: Principal, object_id: str) -> Iterator[Document]:
        """Yield the assignments of the roles of a service principal's application, as Graph shows them."""
        principal = self._applications.service_principal(caller, object_id)
        for found in self._entra.app_roles.of_resource(principal["objectId"]):
            yield self._shown(caller, found)

    def assign(self, caller: Principal, wanted: Document) -> Document:
        """Assign a role of an application that the caller owns or administers; return the assignment as Graph shows it.

        Raises:
            ServiceError: 400 for a missing member, a role that the application lacks or not for this kind of principal,
                or an assignment that exists; 403, 404.
        """
        for name in ("principalId", "resourceId", "appRoleId"):
            if not wanted.get(name):
                raise BAD_REQUEST(f"A value is required for property '{name}' of resource 'AppRoleAssignment'.")
        resource = self._applications.owned_service_principal(caller, wanted["resourceId"])
        kind, principal = self._people.object(caller, wanted["principalId"])
        role_id = wanted["appRoleId"].lower()
        if role_id != DEFAULT_ACCESS:
            self._check_role(resource, role_id, kind)
        known = self._entra.app_roles.of_resource(resource["objectId"])
        if any((found["appRoleId"], found["principalId"]) == (role_id, principal["objectId"]) for found in known):
            raise BAD_REQUEST("Permission being assigned already exists on the object")
        made = self._entra.app_roles.assign(resource["objectId"], role_id, kind, principal["objectId"])
        return self._shown(caller, made)

    def _check_role(self, resource: Document, role_id: str, kind: str) -> None:
        members = self._applications.registration(resource).get("members", {})
        role = next((role for role in members.get("appRoles", ()) if role["id"].lower() == role_id), None)
        needed = "Application" if kind == SERVICE_PRINCIPAL else "User"
        if role is None or not role.get("isEnabled") or needed not in role["allowedMemberTypes"]:
            raise BAD_REQUEST(f"Permission being assigned was not found on application '{resource['clientId']}'.")

    def _shown(self, caller: Principal, assignment: Document) -> Document:
        kind, principal = self._people.object(caller, assignment["principalId"])
        resource = self._applications.service_principal(caller, assignment["resourceId"])
        return {
            "id": assignment["id"],
            "deletedDateTime": None,
            "appRoleId": assignment["appRoleId"],
            "createdDateTime": assignment["createdDateTime"],
            "principalDisplayName": principal["displayName"],
            "principalId": principal["objectId"],
            "principalType": kind[0].upper() + kind[1:],
            "resourceDisplayName": resource["displayName"],
            "resourceId": resource["objectId"],
        }
